import math

import torch


def causal_attention_golden_cpu(q, k, v):
    """Causal self attention; q, k, v [B, H, S, D]."""
    S, D = q.shape[-2:]
    scores = torch.matmul(q.float(), k.float().transpose(-1, -2)) / math.sqrt(D)
    future = torch.triu(torch.ones(S, S, dtype=torch.bool), diagonal=1)
    scores = scores.masked_fill(future, float("-inf"))
    attn = torch.softmax(scores, dim=-1)
    out = attn.to(v.dtype) @ v
    return out
