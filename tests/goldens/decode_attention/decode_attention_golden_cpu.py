import torch


def decode_attention_golden_cpu(q, k_cache, v_cache, seq_lens):
    """One query token per sequence against its cache.

    q [B, H, D], k_cache / v_cache [B, T, H, D], seq_lens [B] (valid cache rows, at least 1).
    """
    B, T, H, D = k_cache.shape
    scores = torch.einsum("bhd,bthd->bht", q.float(), k_cache.float()) * D ** -0.5
    pos = torch.arange(T)
    dead = pos[None, :] >= seq_lens[:, None]
    scores = scores.masked_fill(dead.unsqueeze(1), -1.0e30)
    weights = torch.nn.functional.softmax(scores, dim=2)
    return torch.einsum("bht,bthd->bhd", weights, v_cache.float()).to(q.dtype)
