import torch


def flatten_leading_golden_cpu(x, w, b=None):
    """Linear over any number of leading dimensions; a 2-d input returns early."""
    shape = x.shape
    if x.dim() == 2:
        return torch.relu(x @ w)
    x2 = x.reshape(-1, shape[-1])
    assert x2.shape[1] == w.shape[0]
    y = x2 @ w
    if b is not None:
        y = y + b
    y = torch.relu(y)
    return y.view(*shape[:-1], w.shape[1])
