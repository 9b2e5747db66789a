import torch


def dynamic_quant_golden_cpu(x):
    """Per-token symmetric int8 quantisation; x [T, D] -> (int8 [T, D], scale [T, 1])."""
    xf = x.to(torch.float32)
    max_abs = torch.max(torch.abs(xf), dim=-1, keepdim=True).values
    scale = torch.clamp(max_abs, min=1e-8) / 127
    q = torch.clamp(torch.round(xf / scale), -128, 127)
    return q.to(torch.int8), scale
