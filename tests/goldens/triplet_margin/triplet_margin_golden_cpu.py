import torch


def _distance(a, b, eps):
    diff = a - b + eps
    return torch.sqrt((diff * diff).sum(dim=-1))


def triplet_margin_golden_cpu(anchor, positive, negative, margin: float = 1.0, eps: float = 1e-6):
    """max(d(a, p) - d(a, n) + margin, 0), mean over the batch; every input [B, D]."""
    d_ap = _distance(anchor, positive, eps)
    d_an = _distance(anchor, negative, eps)
    return torch.clamp_min(d_ap - d_an + margin, 0.0).mean()
