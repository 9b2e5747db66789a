import torch


def flash_attention_inplace_golden_cpu(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, chunk: int = 24) -> torch.Tensor:
    """The recurrence with in-place updates, over pairs of key and value chunks; q [S, D], k and v [T, D]."""
    acc = torch.zeros_like(q, dtype=torch.float32)
    norm = torch.zeros(q.shape[0], dtype=torch.float32)
    peak = torch.full((q.shape[0],), float("-inf"))
    for kc, vc in zip(k.split(chunk, dim=0), v.split(chunk, dim=0)):
        s = q.float() @ kc.float().T
        cur = torch.max(peak, s.max(dim=1).values)
        corr = (peak - cur).exp()
        p = (s - cur[:, None]).exp()
        norm.mul_(corr).add_(p.sum(dim=1))
        acc.mul_(corr[:, None])
        acc += p @ vc.float()
        peak = cur
    return acc / norm.unsqueeze(-1)
