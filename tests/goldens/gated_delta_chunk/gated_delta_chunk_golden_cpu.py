import torch


def gated_delta_chunk_golden_cpu(q, k, v, g, beta):
    """One chunk of the gated delta rule without an incoming state.

    q, k [B, H, C, K], v [B, H, C, V], g (cumulated log decay) and beta [B, H, C].
    """
    C = q.shape[-2]
    k_beta = k * beta.unsqueeze(-1)
    v_beta = v * beta.unsqueeze(-1)
    decay = torch.exp(torch.clamp(g.unsqueeze(-1) - g.unsqueeze(-2), max=0.0))
    strict = torch.tril(torch.ones(C, C), diagonal=-1)
    lower = torch.tril(torch.ones(C, C))
    A = torch.matmul(k_beta, k.transpose(-1, -2)) * decay * strict
    inv = torch.eye(C).repeat(q.shape[0], q.shape[1], 1, 1)
    for i in range(1, C):
        row = (A[..., i, :i].unsqueeze(-1) * inv[..., :i, :]).sum(-2)
        inv[..., i, :] = inv[..., i, :] - row
    u = torch.matmul(inv, v_beta)
    attn = torch.matmul(q, k.transpose(-1, -2)) * decay * lower
    return torch.matmul(attn, u)
