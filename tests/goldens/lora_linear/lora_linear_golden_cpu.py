import torch


def lora_linear_golden_cpu(x, w, lora_a, lora_b, scaling=2.0):
    """Base projection plus a low-rank update; w [N, K], lora_a [R, K], lora_b [N, R]."""
    base = x @ w.T
    low = x @ lora_a.T
    return base + (low @ lora_b.T) * scaling
