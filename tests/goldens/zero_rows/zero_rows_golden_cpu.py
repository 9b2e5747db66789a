import torch


def zero_rows_golden_cpu(x, rows, keep_scale):
    """Drops the listed rows and rescales the rest; x [N, D], rows [R]."""
    out = x.clone()
    out[rows] = 0.0
    return out.mul_(keep_scale)
