from typing import Optional

import torch


def rms_stats_outputs_golden_cpu(
    x: torch.Tensor,
    gamma: torch.Tensor,
    residual: Optional[torch.Tensor] = None,
    beta: Optional[torch.Tensor] = None,
    *,
    eps: float = 1e-6,
):
    """RMSNorm with an optional residual and offset; also returns rstd for the backward pass."""
    if residual is not None:
        x = x + residual
    x32 = x.float() if x.dtype != torch.float32 else x
    rstd = (x32.pow(2).mean(-1) + eps).rsqrt()
    y = x32 * rstd[..., None] * gamma.float()
    if beta is not None:
        y = y + beta.float()
    return y.to(x.dtype), rstd
