import torch

INT8_MAX = 127.0


def rms_norm_quant_golden_cpu(x, gamma, *, eps=1e-6):
    """RMSNorm followed by per-token symmetric int8 quantisation; x [T, D]."""
    xf = x.float()
    rstd = torch.rsqrt(xf.square().mean(dim=-1, keepdim=True) + eps)
    y = xf * rstd * gamma.float()
    amax = y.abs().amax(dim=-1, keepdim=True).clamp_min(1e-12)
    scale = amax / INT8_MAX
    q = torch.round(y / scale).clamp(-128, 127).to(torch.int8)
    return q, scale.squeeze(-1)
