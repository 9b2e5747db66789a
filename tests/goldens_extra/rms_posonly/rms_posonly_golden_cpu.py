import torch


def rms_posonly_golden_cpu(x, /, weight, *, eps: float = 1e-6, zero_centered: bool = True):
    inv = torch.rsqrt(x.float().pow(2).mean(dim=-1, keepdim=True) + eps)
    w = weight.float() + 1.0 if zero_centered else weight.float()
    return x * inv * w
