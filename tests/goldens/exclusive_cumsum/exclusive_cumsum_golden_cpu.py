import torch


def exclusive_cumsum_golden_cpu(counts):
    """Start offset of every expert's tokens; counts [B, E] -> [B, E]."""
    inclusive = torch.cumsum(counts, dim=-1)
    zero = torch.zeros_like(counts[:, :1])
    return torch.cat((zero, inclusive[:, :-1]), dim=-1).to(torch.int32)
