import torch
import torch.nn.functional as F


def instance_norm_golden_cpu(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5):
    return F.instance_norm(x, weight=weight, bias=bias, eps=eps)
