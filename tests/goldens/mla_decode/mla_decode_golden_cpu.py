
import math

import torch


def mla_decode_golden_cpu(q_nope, q_pe, kv_cache, k_pe, w_uk, w_uv, scale=None):
    """DeepSeek MLA, absorbed form."""
    B, H, D = q_nope.shape
    C = kv_cache.shape[-1]
    if scale is None:
        scale = 1.0 / math.sqrt(D + q_pe.shape[-1])
    q_lat = torch.einsum("bhd,hdc->bhc", q_nope.float(), w_uk.float())
    s = torch.einsum("bhc,bsc->bhs", q_lat, kv_cache.float())
    s = s + torch.einsum("bhr,bsr->bhs", q_pe.float(), k_pe.float())
    s = s * scale
    p = torch.softmax(s, dim=-1)
    o_lat = torch.einsum("bhs,bsc->bhc", p, kv_cache.float())
    o = torch.einsum("bhc,hcv->bhv", o_lat, w_uv.float())
    return o.to(q_nope.dtype)
