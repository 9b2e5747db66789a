import torch


def spectral_sigma_golden_cpu(w, u, eps: float = 1e-12):
    """One power iteration; w [M, N], u [M] -> v [N] and the spectral norm estimate [].  谱归一化的一步"""
    v = torch.mv(w.t(), u)
    v = v / (torch.sqrt((v * v).sum()) + eps)
    wv = torch.matmul(w, v)
    sigma = torch.sum(u * wv)
    return v, sigma
