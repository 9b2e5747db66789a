
import torch
import torch.nn.functional as F


def indexer_topk_golden_cpu(q, k, w, top_k: int = 8):
    """Lightning indexer: sum_h w_h * relu(q_h . k), then top-k positions under a causal mask."""
    scores = torch.einsum("thd,sd->hts", q.float(), k.float())
    scores = F.relu(scores)
    logits = (scores * w.float().transpose(0, 1).unsqueeze(-1)).sum(dim=0)
    T, S = logits.shape
    mask = torch.arange(S)[None, :] > torch.arange(T)[:, None] + (S - T)
    logits = logits.masked_fill(mask, float("-inf"))
    values, indices = torch.topk(logits, top_k, dim=-1)
    return values, indices.to(torch.int32)
