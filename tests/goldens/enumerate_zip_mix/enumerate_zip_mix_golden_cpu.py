import torch

WEIGHTS = (0.5, 1.0, 2.0)


def enumerate_zip_mix_golden_cpu(x):
    """Weighted sum of three feature blocks, the first with its sign flipped; x [M, 3G]."""
    total = None
    for i, (part, w) in enumerate(zip(x.chunk(3, dim=-1), WEIGHTS)):
        term = part * w
        if i == 0:
            term = -term
        total = term if total is None else total + term
    return total
