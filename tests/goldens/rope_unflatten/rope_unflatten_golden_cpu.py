import torch


def rope_unflatten_golden_cpu(x, freqs):
    """Rotary embedding from angles, pairs by unflatten; x [B, S, H, D], freqs [S, D // 2]."""
    cos = torch.cos(freqs)
    sin = torch.sin(freqs)
    while cos.ndim < x.ndim - 1:
        cos = cos.unsqueeze(0)
        sin = sin.unsqueeze(0)
    a, b = x.float().unflatten(-1, (-1, 2)).unbind(-1)
    cos, sin = cos.unsqueeze(2), sin.unsqueeze(2)
    rotated = torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1)
    return rotated.flatten(-2).type_as(x)
