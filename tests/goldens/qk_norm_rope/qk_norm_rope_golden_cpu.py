import torch


def qk_norm_rope_golden_cpu(q, k, q_weight, k_weight, cos, sin, eps: float = 1e-6):
    """RMSNorm of every query and key head, then rotary embedding; q [T, Hq, 128], k [T, Hk, 128], cos / sin [T, 64]."""

    def norm(x, weight):
        inv = torch.rsqrt((x * x).mean(dim=-1, keepdim=True) + eps)
        return x * inv * weight

    def rope(x):
        x1, x2 = x.chunk(2, dim=-1)
        c, s = cos[:, None], sin[:, None]
        return torch.cat([x1 * c - x2 * s, x2 * c + x1 * s], dim=-1)

    return rope(norm(q.float(), q_weight)), rope(norm(k.float(), k_weight))
