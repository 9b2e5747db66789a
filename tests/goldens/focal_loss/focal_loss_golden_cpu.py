import torch


def focal_loss_golden_cpu(inputs, targets, alpha: float = 0.25, gamma: float = 2.0, reduction: str = "sum"):
    """Sigmoid focal loss of dense detectors."""
    p = torch.sigmoid(inputs)
    ce = -(targets * torch.log(p + 1e-8) + (1 - targets) * torch.log(1 - p + 1e-8))
    p_t = p * targets + (1 - p) * (1 - targets)
    loss = ce * ((1 - p_t) ** gamma)
    if alpha >= 0:
        alpha_t = alpha * targets + (1 - alpha) * (1 - targets)
        loss = alpha_t * loss
    if reduction == "mean":
        loss = loss.mean()
    elif reduction == "sum":
        loss = loss.sum()
    return loss
