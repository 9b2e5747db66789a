
import torch


def rms(x, w, eps):
    v = x.pow(2).mean(-1, keepdim=True)
    return x * torch.rsqrt(v + eps) * w

def rotate(x, cos, sin):
    x1, x2 = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-x2, x1), dim=-1) * sin

def qkv_norm_rope_golden_cpu(x, gamma, w_qkv, q_gamma, k_gamma, cos, sin, num_heads=4, num_kv=2, eps=1e-6):
    T, Dm = x.shape
    h = rms(x.float(), gamma.float(), eps).to(x.dtype)
    qkv = h @ w_qkv
    Dh = cos.shape[-1]
    q, k, v = qkv.split([num_heads * Dh, num_kv * Dh, num_kv * Dh], dim=-1)
    q = q.view(T, num_heads, Dh).float()
    k = k.view(T, num_kv, Dh).float()
    q = rotate(rms(q, q_gamma.float(), eps), cos[:, None], sin[:, None])
    k = rotate(rms(k, k_gamma.float(), eps), cos[:, None], sin[:, None])
    return q.to(x.dtype), k.to(x.dtype), v.reshape(T, num_kv, Dh)
