from typing import List

import torch


def sum_tensor_list_golden_cpu(xs: List[torch.Tensor], scale: float = 0.5) -> torch.Tensor:
    """Scaled sum of the experts' outputs, each [T, D]."""
    total = torch.zeros_like(xs[0], dtype=torch.float32)
    for x in xs:
        total = total + x.float() * scale
    return total
