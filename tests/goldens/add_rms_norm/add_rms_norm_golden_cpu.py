from typing import Tuple

import torch


def add_rms_norm_golden_cpu(
    x: torch.Tensor,         # [B, S, D]
    residual: torch.Tensor,  # [B, S, D]
    weight: torch.Tensor,    # [D]
    epsilon: float = 1e-5,
) -> Tuple[torch.Tensor, torch.Tensor]:
    """Residual add, then RMSNorm; the sum is also the next layer's residual."""
    hidden = x.float() + residual.float()
    denom = torch.sqrt(torch.mean(hidden * hidden, dim=-1, keepdim=True) + epsilon)
    normed = hidden / denom * weight.float()
    return normed.to(x.dtype), hidden.to(x.dtype)
