import torch
import torch.nn.functional as F


def moe_router_linear_golden_cpu(hidden_states, gate_weight, top_k=2):
    router_logits = F.linear(hidden_states.float(), gate_weight.float())
    routing = F.softmax(router_logits, dim=1)
    top = torch.topk(routing, top_k, dim=-1)
    return top.values.to(hidden_states.dtype), top.indices
