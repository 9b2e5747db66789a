import torch


def attention_masked_rows_golden_cpu(q, k, v, bias, key_mask):
    """Additive bias and a key mask; a batch entry with no key left gives 0 instead of NaN.

    q [B, H, S, D], k and v [B, H, T, D], bias [H, S, T], key_mask [B, T] bool (True keeps).
    """
    scale = q.shape[-1] ** -0.5
    scores = torch.matmul(q.float(), k.float().transpose(-2, -1)) * scale + bias
    scores = scores.masked_fill(torch.logical_not(key_mask)[:, None, None, :], -1.0e30)
    row_max = scores.amax(dim=-1, keepdim=True)
    p = torch.exp(scores - row_max)
    denom = p.sum(dim=-1, keepdim=True)
    out = torch.matmul(p, v.float()) / denom
    alive = key_mask.any(dim=-1).view(-1, 1, 1, 1)
    return torch.where(alive, out, torch.zeros_like(out))
