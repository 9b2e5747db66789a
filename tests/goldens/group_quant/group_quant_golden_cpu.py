import torch


def group_quant_golden_cpu(w: torch.Tensor, group_size: int = 32):
    """Asymmetric uint8 quantisation in groups along K; w [N, K]."""
    N, K = w.shape
    groups = w.float().reshape(N, K // group_size, group_size)
    hi = groups.amax(dim=-1, keepdim=True)
    lo = groups.amin(dim=-1, keepdim=True)
    scale = (hi - lo).clamp(min=1e-6) / 255.0
    zero = torch.round(-lo / scale)
    q = torch.clamp(torch.round(groups / scale) + zero, 0, 255).to(torch.uint8)
    return q.reshape(N, K), scale.squeeze(-1), zero.squeeze(-1)
