import torch

ROPE_DIM = 32


def _rotate(t, cos, sin):
    b, h, s, d = t.shape
    t = t.view(b, h, s, d // 2, 2).permute(0, 1, 2, 4, 3).reshape(b, h, s, d)
    half = torch.cat((-t[..., d // 2:], t[..., :d // 2]), dim=-1)
    return t * cos + half * sin


def rope_partial_golden_cpu(q, cos, sin):
    """Only the last ROPE_DIM features of each head are rotated; q [B, H, S, D], cos / sin [S, 32]."""
    q_nope, q_pe = torch.split(q.float(), [q.shape[-1] - ROPE_DIM, ROPE_DIM], dim=-1)
    q_pe = _rotate(q_pe.contiguous(), cos, sin)
    return torch.cat([q_nope, q_pe], dim=-1).to(q.dtype)
