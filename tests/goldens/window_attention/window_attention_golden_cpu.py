import torch
import torch.nn.functional as F


def window_attention_golden_cpu(x, w_qkv, b_qkv, rel_bias, w_proj, b_proj, num_heads: int = 3):
    """Attention inside windows with a relative position bias, projections included; x [W, N, C]."""
    W, N, C = x.shape
    head_dim = C // num_heads
    qkv = F.linear(x, w_qkv, b_qkv).reshape(W, N, 3, num_heads, head_dim).permute(2, 0, 3, 1, 4)
    q, k, v = qkv.unbind(0)
    attn = (q @ k.transpose(-2, -1)) * head_dim ** -0.5
    attn = attn + rel_bias.unsqueeze(0)
    attn = torch.softmax(attn, dim=-1)
    y = (attn @ v).transpose(1, 2).reshape(W, N, C)
    return F.linear(y, w_proj, b_proj)
