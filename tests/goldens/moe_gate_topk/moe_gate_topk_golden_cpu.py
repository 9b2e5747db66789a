import torch


def moe_gate_topk_golden_cpu(logits, top_k: int = 4):
    """Softmax router: the top_k experts of each token and their renormalised weights."""
    scores = torch.softmax(logits.float(), dim=-1)
    topk_weights, topk_ids = torch.topk(scores, k=top_k, dim=-1)
    topk_weights = topk_weights / topk_weights.sum(dim=-1, keepdim=True)
    return topk_weights, topk_ids.to(torch.int32)
