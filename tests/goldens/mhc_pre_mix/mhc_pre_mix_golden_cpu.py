import torch


def mhc_pre_mix_golden_cpu(streams, w, scale, base, eps: float = 1e-6):
    """Mixes residual streams with weights computed from their RMS-normalised content.

    streams [T, R, D], w [R * D, R], scale [1], base [R] -> [T, D]
    """
    T, R, D = streams.shape
    flat = streams.reshape(T, R * D)
    mixes = torch.matmul(flat, w)
    rstd = torch.rsqrt(flat.square().mean(-1, keepdim=True) + eps)
    pre = torch.sigmoid(mixes * rstd * scale + base)
    return (pre.unsqueeze(-1) * streams).sum(dim=1)
