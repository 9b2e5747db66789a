import torch


def weighted_nll_golden_cpu(log_probs, target, class_weight):
    """Negative log likelihood with class weights; log_probs [B, C], target [B], class_weight [C]."""
    picked = torch.gather(log_probs, dim=1, index=target.unsqueeze(-1)).squeeze(-1)
    w = class_weight[target]
    return -(w * picked).sum() / w.sum()
