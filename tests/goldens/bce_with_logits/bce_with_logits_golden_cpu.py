import torch


def bce_with_logits_golden_cpu(logits, labels, pos_weight=None, weight=None):
    """Numerically stable binary cross entropy, per-sample loss averaged over the classes."""
    max_val = torch.clamp(-logits, min=0)
    log_weight = 1.0
    if pos_weight is not None:
        log_weight = (pos_weight - 1) * labels + 1
    softplus = torch.log1p(torch.exp(-torch.abs(logits)))
    loss = (1 - labels) * logits + log_weight * (softplus + max_val)
    if weight is not None:
        loss = loss * weight
    return loss.mean(dim=1)
