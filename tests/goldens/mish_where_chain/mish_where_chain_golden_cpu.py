import torch


def mish_where_chain_golden_cpu(x, threshold: float = 0.5, inplace: bool = False):
    y = x * torch.tanh(torch.nn.functional.softplus(x))
    if not inplace:
        y = y.clone()
    y[y < threshold] = 0.0
    z = torch.where(x > 0, y, -y)
    return z ** 2 + torch.maximum(z, torch.zeros_like(z)).sqrt()
