import torch


def attention_with_lse_golden_cpu(q, k, v):
    """Attention that also returns the log-sum-exp of each row, for merging partial results; q [N, S, D], k and v [N, T, D]."""
    s = torch.bmm(q, k.transpose(1, 2)) * (1.0 / q.shape[-1] ** 0.5)
    lse = torch.logsumexp(s, dim=-1)
    out = torch.bmm(torch.softmax(s, dim=-1), v)
    return out, lse
