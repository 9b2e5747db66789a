import torch


def ema_scan_golden_cpu(x, decay):
    """First-order recurrence h[t] = decay * h[t-1] + (1 - decay) * x[t], step by step; x [B, T, D], decay [D]."""
    B, T, D = x.shape
    h = torch.zeros(B, D)
    out = torch.zeros(B, T, D)
    for t in range(T):
        h = decay * h + (1 - decay) * x[:, t]
        out[:, t] = h
    return out
