import math

import torch

SQRT_2_OVER_PI = math.sqrt(2.0 / math.pi)
COEFF = 0.044715


def _inner(x):
    cubed = x * x * x
    return SQRT_2_OVER_PI * (x + COEFF * cubed)


def gelu_tanh_manual_golden(x: torch.Tensor) -> torch.Tensor:
    x32 = x.float()
    return (0.5 * x32 * (1.0 + torch.tanh(_inner(x32)))).to(x.dtype)
