import torch


def rotate_half(x):
    """Rotates half the hidden dims of the input."""
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def rope_half_golden_cpu(q, k, cos, sin):
    """Rotary embedding, halves; q [B, S, Hq, D], k [B, S, Hk, D], cos / sin [S, D]."""
    cos = cos[None, :, None, :].float()
    sin = sin[None, :, None, :].float()
    q_embed = q.float() * cos + rotate_half(q.float()) * sin
    k_embed = k.float() * cos + rotate_half(k.float()) * sin
    return q_embed.to(q.dtype), k_embed.to(k.dtype)
