import torch


def prefix_mean_golden_cpu(x, length):
    """Mean of the first `length` rows of x [S, D]; length is a one-element tensor."""
    n = int(length.item())
    valid = x[:n]
    return valid.sum(dim=0) / n
