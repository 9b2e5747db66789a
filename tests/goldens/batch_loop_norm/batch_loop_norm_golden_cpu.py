import torch


def batch_loop_norm_golden_cpu(x, scale, eps: float = 1e-6):
    """L2 normalisation of every sample, written with a loop over the batch; x [B, N], scale [B]."""
    out = torch.empty_like(x)
    for b in range(x.size(0)):
        row = x[b]
        norm = torch.sqrt(torch.sum(row * row) + eps)
        out[b] = row / norm * scale[b]
    return out
