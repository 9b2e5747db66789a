import torch


def scaled_matmul_golden_cpu(a, b, alpha: float = 0.5):
    """alpha * (a @ b) in FP16 with FP32 accumulation."""
    c = torch.matmul(a.float(), b.float())
    return (c * alpha).half()
