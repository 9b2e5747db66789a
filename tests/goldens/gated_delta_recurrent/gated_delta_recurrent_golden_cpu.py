import torch


def gated_delta_recurrent_golden_cpu(q, k, v, g, beta):
    """Gated delta rule, token by token.

    q, k [B, H, T, K], v [B, H, T, V], g (log decay) and beta [B, H, T]; the state is [B, H, K, V].
    """
    B, H, T, K = k.shape
    state = torch.zeros(B, H, K, v.shape[-1])
    outputs = []
    for t in range(T):
        state = state * g[:, :, t].exp()[..., None, None]
        k_t = k[:, :, t]
        memory = (state * k_t.unsqueeze(-1)).sum(dim=-2)
        delta = (v[:, :, t] - memory) * beta[:, :, t].unsqueeze(-1)
        state = state + k_t.unsqueeze(-1) * delta.unsqueeze(-2)
        outputs.append((state * q[:, :, t].unsqueeze(-1)).sum(dim=-2))
    return torch.stack(outputs, dim=2), state
