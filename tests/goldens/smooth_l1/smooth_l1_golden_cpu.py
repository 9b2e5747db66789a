import torch


def smooth_l1_golden_cpu(pred, target, beta=1.0, reduction="mean"):
    """Smooth L1 by cases."""
    err = (pred - target).abs()
    loss = torch.where(err < beta, 0.5 * err ** 2 / beta, err - 0.5 * beta)
    if reduction == "none":
        return loss
    if reduction == "sum":
        return loss.sum()
    return loss.mean()
