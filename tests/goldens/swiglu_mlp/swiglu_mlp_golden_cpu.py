import torch
import torch.nn.functional as F


def swiglu_mlp_golden_cpu(x, w_gate, w_up, w_down):
    """LLaMA feed-forward; x [T, D], w_gate / w_up [I, D], w_down [D, I]."""
    gate = F.linear(x.float(), w_gate.float())
    up = F.linear(x.float(), w_up.float())
    hidden = F.silu(gate) * up
    return F.linear(hidden, w_down.float()).to(x.dtype)
