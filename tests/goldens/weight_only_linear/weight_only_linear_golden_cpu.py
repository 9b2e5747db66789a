import torch


def weight_only_linear_golden_cpu(x, qweight, scales, zeros):
    """fp16 activations, uint8 weights with a scale and zero point per input row; x [M, K], qweight [K, N]."""
    w = (qweight.to(torch.float16) - zeros.unsqueeze(1)) * scales.unsqueeze(1)
    return torch.matmul(x.float(), w.float()).to(torch.float16)
