import torch


def gather_scale_rows_golden_cpu(x, index, scale):
    """MoE dispatch: pick token rows and weight them; x [T, D], index / scale [M]."""
    rows = x.index_select(0, index)
    return rows * scale.unsqueeze(-1)
