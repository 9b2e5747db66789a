import torch


def quant_matmul_per_token_golden_cpu(x, weight, x_scale, w_scale):
    """int8 x int8 with per-token and per-channel scales; x [M, K], weight [N, K], x_scale [M], w_scale [N]."""
    acc = torch.matmul(x.to(torch.int32), weight.to(torch.int32).t())
    out = acc.float() * x_scale.unsqueeze(1) * w_scale.unsqueeze(0)
    return out.to(torch.bfloat16)
