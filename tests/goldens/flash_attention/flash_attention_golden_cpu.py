import math

import torch


def flash_attention_golden_cpu(q, k, v, block: int = 16):
    """Attention over key blocks with running maximum, sum and output; q [B, H, S, D], k and v [B, H, T, D]."""
    B, H, S, D = q.shape
    T = k.shape[2]
    scale = 1.0 / math.sqrt(D)
    m = torch.full((B, H, S, 1), -1.0e30)
    l = torch.zeros(B, H, S, 1)
    o = torch.zeros(B, H, S, D)
    for j in range(0, T, block):
        kj = k[:, :, j:j + block].float()
        vj = v[:, :, j:j + block].float()
        s = torch.matmul(q.float(), kj.transpose(-2, -1)) * scale
        m_new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        alpha = torch.exp(m - m_new)
        p = torch.exp(s - m_new)
        l = l * alpha + p.sum(dim=-1, keepdim=True)
        o = o * alpha + torch.matmul(p, vj)
        m = m_new
    return o / l
