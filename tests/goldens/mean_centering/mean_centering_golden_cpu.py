import torch


def mean_centering_golden_cpu(x):
    """Double centring of a matrix: subtract row and column means, add the grand mean; x [M, N]."""
    row = x.mean(dim=1, keepdim=True)
    col = x.mean(dim=0, keepdim=True)
    grand = x.mean()
    return x - row - col + grand
