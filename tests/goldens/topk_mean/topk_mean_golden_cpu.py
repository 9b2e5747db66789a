import torch


def topk_mean_golden_cpu(x, k=5):
    """Mean of the k largest values of each row."""
    values, _ = x.topk(k, dim=-1, largest=True, sorted=True)
    return values.mean(-1)
