import torch
import torch.nn.functional as F


def masked_softmax_golden_cpu(scores, mask):
    """Softmax over the kept positions; masked ones get exactly 0.  scores [B, H, N], mask [B, N] bool (True keeps)."""
    keep = mask[:, None, :]
    logits = scores.float().masked_fill(~keep, -1.0e30)
    p = F.softmax(logits, dim=-1)
    return p * keep
