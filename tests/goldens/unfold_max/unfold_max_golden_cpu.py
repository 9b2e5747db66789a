import torch


def unfold_max_golden_cpu(x: torch.Tensor, size: int = 4, step: int = 3) -> torch.Tensor:
    """Sliding maximum along the last axis, by unfold."""
    windows = x.unfold(-1, size, step)
    return windows.max(dim=-1).values
