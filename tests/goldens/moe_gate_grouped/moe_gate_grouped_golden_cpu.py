import torch


def moe_gate_grouped_golden_cpu(
    logits, bias, n_group: int = 4, topk_group: int = 3, top_k: int = 6, routed_scaling_factor: float = 2.5
):
    """Sigmoid router with a correction bias and group-limited top-k."""
    num_tokens, num_experts = logits.shape
    scores = logits.float().sigmoid()
    scores_for_choice = scores + bias.unsqueeze(0)
    group_scores = scores_for_choice.view(num_tokens, n_group, -1).topk(2, dim=-1)[0].sum(dim=-1)
    group_idx = torch.topk(group_scores, k=topk_group, dim=-1)[1]
    group_mask = torch.zeros_like(group_scores)
    group_mask.scatter_(1, group_idx, 1)
    score_mask = group_mask.unsqueeze(-1).expand(num_tokens, n_group, num_experts // n_group).reshape(num_tokens, -1)
    tmp_scores = scores_for_choice.masked_fill(~score_mask.bool(), float("-inf"))
    _, topk_idx = torch.topk(tmp_scores, k=top_k, dim=-1)
    weights = scores.gather(1, topk_idx)
    weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-20)
    return topk_idx, weights * routed_scaling_factor
