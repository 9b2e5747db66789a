import torch
import torch.nn as nn


def linear_residual_golden_cpu(x, w, b, residual):
    return nn.functional.linear(x, w, b) + residual
