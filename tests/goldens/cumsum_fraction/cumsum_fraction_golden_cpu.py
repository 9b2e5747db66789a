import torch


def cumsum_fraction_golden_cpu(weights):
    """Cumulative distribution of unnormalised weights [B, N]."""
    total = weights.sum(dim=-1, keepdim=True)
    return torch.cumsum(weights / total, dim=-1)
