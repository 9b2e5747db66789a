import torch


def pairwise_dot_golden_cpu(a, b):
    """Dot products of all pairs, spelled as product and sum; a [B, S, D], b [B, T, D]."""
    return (a[:, :, None, :] * b[:, None, :, :]).sum(-1)
