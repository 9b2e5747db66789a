import torch
import torch.nn.functional as F


def dequant_swiglu_quant_golden_cpu(x, weight_scale, activation_scale):
    """int32 accumulators of a gate / up matmul -> SwiGLU -> int8 with a scale per token.

    x [M, N] int32, weight_scale [N], activation_scale [M, 1].
    """
    deq = x.to(torch.float32) * weight_scale * activation_scale
    gate, up = deq.chunk(2, dim=-1)
    act = F.silu(gate) * up
    amax = act.abs().amax(-1, keepdim=True)
    scale = amax / 127.0
    q = torch.round(act / scale).to(torch.int8)
    return q, scale.squeeze(-1)
