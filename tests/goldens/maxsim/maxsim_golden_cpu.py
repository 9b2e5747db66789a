import torch


def maxsim_golden_cpu(query, doc, doc_mask):
    """Late interaction score; query [B, Q, D], doc [B, T, D], doc_mask [B, T] bool (True keeps)."""
    sim = torch.bmm(query.float(), doc.float().transpose(1, 2))
    sim = sim.masked_fill(~doc_mask.unsqueeze(1), -1.0e4)
    best = sim.max(dim=-1)[0]
    return best.sum(dim=-1)
