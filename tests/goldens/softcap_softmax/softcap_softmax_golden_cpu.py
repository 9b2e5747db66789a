import torch


def softcap_softmax_golden_cpu(x, cap: float = 30.0):
    x = x.to(torch.float32)
    capped = cap * torch.tanh(x / cap)
    peak = torch.amax(capped, dim=-1, keepdim=True)
    numer = (capped - peak).exp()
    return numer.div(numer.sum(-1, keepdim=True))
