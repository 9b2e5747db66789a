import torch


def token_entropy_golden_cpu(logits):
    """Entropy of each token's distribution; logits [T, V] -> [T]."""
    logp = torch.nn.functional.log_softmax(logits.float(), dim=-1)
    p = torch.exp(logp)
    return -torch.sum(p * logp, dim=-1)
