"""torch.exp of numbers that are far below zero, in the same bits, without what underflow costs. Child process only.

Scores that a mask has moved to -1e30 are common in goldens, whose fused softmax is indifferent to them. The exponential
by itself is not: its library takes eight to ten times as long for each number whose exponential is 0.
"""

from __future__ import annotations

from types import ModuleType

import torch

LOWEST = -110.0  # exp of less is below 2 ** -158, and the smallest float32 above 0 is 2 ** -149
_WORTH = 1 << 14  # elements from which on a look at the smallest of them is cheap beside their exponentials


def exp(value: torch.Tensor) -> torch.Tensor:
    """The same as torch.exp."""
    if value.dtype is not torch.float32 or value.numel() < _WORTH or not value.amin() < LOWEST:
        return torch.exp(value)
    near = torch.exp(torch.nn.functional.threshold(value, LOWEST, 0.0))  # 0 takes the place of what is far below
    result: torch.Tensor = torch.ops.aten.threshold_backward(near, value, LOWEST)  # and then that of exp(0), which is 1
    return result


def torch_for_stages() -> ModuleType:
    """A module like torch, with this `exp`."""
    module = ModuleType("torch")
    module.__dict__.update({**vars(torch), "exp": exp})
    return module
