import torch


def rope_interleaved_golden_cpu(x, cos, sin):
    """Rotary embedding of neighbouring pairs; x [T, H, D], cos / sin [T, D // 2]."""
    xf = x.to(torch.float32)
    even = xf[..., 0::2]
    odd = xf[..., 1::2]
    c = cos.unsqueeze(1)
    s = sin.unsqueeze(1)
    out = torch.empty_like(xf)
    out[..., 0::2] = even * c - odd * s
    out[..., 1::2] = even * s + odd * c
    return out.to(x.dtype)
