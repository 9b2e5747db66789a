import torch


def temperature_softmax_golden_cpu(logits, temperature=1.0, top_bias=None):
    """Sampling probabilities.  温度缩放后再做 softmax"""
    if temperature != 1.0:
        logits = logits / temperature   # 温度缩放
    if top_bias is not None:
        logits = logits + top_bias
    m, _ = logits.max(dim=-1, keepdim=True)   # 行最大值
    e = torch.exp(logits - m)
    return e / e.sum(dim=-1, keepdim=True)
