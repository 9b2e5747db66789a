import torch


def pre_norm_linear_golden_cpu(x, gamma, w, eps=1e-6):
    """RMSNorm then projection; x [T, D], w [N, D]."""
    xf = x.float()
    normed = xf / torch.sqrt((xf ** 2).mean(-1, keepdim=True) + eps) * gamma
    return torch.matmul(normed.to(x.dtype), w.T)
