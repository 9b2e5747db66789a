import torch
import torch.nn.functional as F


def layer_norm_call_golden_cpu(x, gamma=None, beta=None, eps=1e-5):
    """The library's LayerNorm, FP32 inside."""
    D = x.shape[-1]
    y = F.layer_norm(x.float(), (D,), gamma.float(), beta.float(), eps)
    return y.to(dtype=x.dtype)
