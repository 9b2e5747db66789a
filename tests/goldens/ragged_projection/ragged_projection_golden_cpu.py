import torch


def ragged_projection_golden_cpu(x, lengths, weight):
    """Sum of the projections of the first max(lengths) rows of x [S, K]; the rows behind pad every sequence."""
    longest = int(lengths.max().item())
    valid = x[:longest] * 0.5
    projected = valid @ weight
    return projected.sum(dim=0)
