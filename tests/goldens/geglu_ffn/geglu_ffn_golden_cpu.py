import torch


def geglu_ffn_golden_cpu(x, w1, b1, w2, b2):
    """Feed-forward with GEGLU; w1 [D, 2I], w2 [I, D]."""
    h = torch.matmul(x, w1) + b1
    value, gate = torch.chunk(h, 2, dim=-1)
    h = value * torch.nn.functional.gelu(gate)
    return torch.matmul(h, w2) + b2
