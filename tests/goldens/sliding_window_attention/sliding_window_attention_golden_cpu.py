import torch


def sliding_window_attention_golden_cpu(q, k, v, window: int = 8):
    """Each query sees itself and the window - 1 keys before it; q, k, v [B, H, S, D]."""
    S = q.shape[2]
    i = torch.arange(S).view(-1, 1)
    j = torch.arange(S).view(1, -1)
    rel = i - j
    visible = (rel >= 0) & (rel < window)
    s = (q.float() @ k.float().mT) * (q.shape[-1] ** -0.5)
    s = torch.where(visible, s, -1.0e30)
    p = s.softmax(dim=-1)
    return (p @ v.float()).to(q.dtype)
