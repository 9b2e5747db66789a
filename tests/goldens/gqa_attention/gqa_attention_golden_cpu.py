import torch


def gqa_attention_golden_cpu(query, key, value, scale: float = 0.125):
    """Grouped query attention: Hq query heads share Hk key / value heads."""
    _, Hq, _, _ = query.shape
    Hk = key.shape[1]
    group = Hq // Hk
    key = key.repeat_interleave(group, dim=1)
    value = value.repeat_interleave(group, dim=1)
    logits = torch.einsum("bhsd,bhtd->bhst", query.float(), key.float())
    probs = torch.softmax(logits * scale, dim=-1)
    return torch.einsum("bhst,bhtd->bhsd", probs, value.float())
