import torch
import torch.nn.functional as F


def moe_balance_loss_golden_cpu(router_logits):
    """Load balancing loss of a top-1 router: E * sum_e(fraction of tokens e gets * mean probability of e)."""
    T, E = router_logits.shape
    probs = torch.softmax(router_logits, dim=-1)
    choice = torch.argmax(router_logits, dim=-1)
    fraction = F.one_hot(choice, num_classes=E).float().mean(dim=0)
    mean_prob = probs.mean(dim=0)
    return E * torch.sum(fraction * mean_prob)
