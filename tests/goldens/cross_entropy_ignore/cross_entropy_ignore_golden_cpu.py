import torch


def cross_entropy_ignore_golden_cpu(logits, labels, ignore_index: int = -100):
    """Cross entropy by hand; rows whose label is ignore_index do not count."""
    x = logits.to(torch.float32)
    row_max = x.max(dim=-1, keepdim=True)[0]
    lse = torch.log(torch.exp(x - row_max).sum(dim=-1)) + row_max.squeeze(-1)
    valid = labels != ignore_index
    safe = torch.where(valid, labels, torch.zeros_like(labels))
    picked = x.gather(1, safe.unsqueeze(1)).squeeze(1)
    nll = torch.where(valid, lse - picked, torch.zeros_like(lse))
    return nll.sum() / valid.sum().clamp(min=1).to(torch.float32)
