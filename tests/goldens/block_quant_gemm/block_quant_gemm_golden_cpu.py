
import torch

def block_quant_gemm_golden_cpu(x, w, block: int = 128):
    M, K = x.shape
    xb = x.float().reshape(M, K // block, block)
    amax = xb.abs().amax(dim=-1).clamp(min=1e-4)
    s = amax / 448.0
    q = (xb / s[..., None]).to(torch.float16)
    acc = torch.zeros(M, w.shape[1])
    for i in range(K // block):
        part = q[:, i].float() @ w[i * block:(i + 1) * block].float()
        acc += part * s[:, i, None]
    return acc.to(torch.bfloat16)
