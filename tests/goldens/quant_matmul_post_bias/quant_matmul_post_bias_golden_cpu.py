import torch


def quant_matmul_post_bias_golden_cpu(x1, x2, post_bias, scale: float = 0.0025):
    y = torch.mm(x1.to(torch.int32), x2.to(torch.int32)).to(torch.float32)
    y = y * scale + post_bias
    return y.to(torch.float16)
