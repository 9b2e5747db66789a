import torch


def copy_and_project_golden_cpu(x, w):
    """Returns the input itself next to its projection."""
    return x, torch.matmul(x, w)
