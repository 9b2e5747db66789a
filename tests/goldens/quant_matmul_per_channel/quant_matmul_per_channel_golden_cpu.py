import torch


def quant_matmul_per_channel_golden_cpu(x1, x2, scale, bias=None):
    """int8 matmul, int32 bias, then one scale per output channel."""
    acc = torch.matmul(x1.int(), x2.int())
    if bias is not None:
        acc = acc + bias
    return (acc.float() * scale).half()
