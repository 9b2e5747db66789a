
import torch


def talking_heads_golden_cpu(q, k, v, w_pre, w_post, bias):
    d = q.shape[-1]
    dots = torch.matmul(q, k.transpose(-2, -1)) * d ** -0.5
    dots = torch.einsum("bhij,hg->bgij", dots, w_pre) + bias
    attn = dots.softmax(dim=-1, dtype=torch.float32).to(v.dtype)
    attn = torch.einsum("bhij,hg->bgij", attn, w_post)
    return attn @ v
