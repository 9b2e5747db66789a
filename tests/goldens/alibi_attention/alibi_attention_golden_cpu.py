import math

import torch


def alibi_attention_golden_cpu(q, k, v, slopes):
    """Attention with linear position biases; q [B, H, S, D], k and v [B, H, T, D], slopes [H]."""
    S, T = q.size(-2), k.size(-2)
    distance = (torch.arange(S)[:, None] - torch.arange(T)[None, :]).abs()
    bias = -slopes.float().view(-1, 1, 1) * distance
    scores = torch.matmul(q.float(), k.float().transpose(2, 3))
    scores = scores / math.sqrt(q.size(-1)) + bias.unsqueeze(0)
    top = scores.amax(dim=-1, keepdim=True)
    e = torch.exp(scores - top)
    p = e / e.sum(dim=-1, keepdim=True)
    return torch.matmul(p, v.float())
