import torch


def rank_where_golden_cpu(x, limit):
    """Clips each row to its own limit, keeping the sign; x [B, N], limit [B] (positive)."""
    bound = limit.view(-1, 1).expand_as(x)
    sign = torch.where(x < 0, torch.full_like(x, -1.0), torch.ones_like(x))
    clipped = torch.minimum(x.abs(), bound)
    exceeded = (x.abs() > bound).to(torch.int32).sum(dim=-1, dtype=torch.int32)
    return sign * clipped, exceeded
