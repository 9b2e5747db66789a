import torch


def sinkhorn_golden_cpu(logits, iters: int = 2, eps: float = 1e-6):
    """Doubly stochastic scaling of small matrices; logits [T, 4, 4]."""
    P = torch.exp(logits.float())
    for _ in range(iters):
        P = P / (P.sum(dim=-1, keepdim=True) + eps)
        P = P / (P.sum(dim=-2, keepdim=True) + eps)
    return P
