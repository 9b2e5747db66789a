import torch


def per_head_loop_attention_golden_cpu(q, k, v):
    """Attention written with a loop over batch and heads that stores slices; q [B, H, S, D], k and v [B, H, T, D]."""
    B, H, S, D = q.shape
    out = torch.zeros(B, H, S, D, dtype=torch.float32)
    for b in range(B):
        for h in range(H):
            scores = torch.mm(q[b, h].float(), k[b, h].float().t()) * (D ** -0.5)
            probs = torch.softmax(scores, dim=-1)
            out[b, h] = torch.mm(probs, v[b, h].float())
    return out
