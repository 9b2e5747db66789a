import torch


def welford_norm_golden_cpu(x: torch.Tensor, eps: float = 1e-5, tile: int = 32) -> torch.Tensor:
    """Normalise rows of x [M, N] with mean and variance merged tile by tile (Chan's update)."""
    M, N = x.shape
    count = 0
    mean = torch.zeros(M, 1)
    m2 = torch.zeros(M, 1)
    for start in range(0, N, tile):
        stop = min(start + tile, N)
        block = x[:, start:stop].float()
        n = stop - start
        block_mean = block.mean(dim=1, keepdim=True)
        block_m2 = ((block - block_mean) ** 2).sum(dim=1, keepdim=True)
        delta = block_mean - mean
        total = count + n
        mean = mean + delta * (n / total)
        m2 = m2 + block_m2 + delta * delta * (count * n / total)
        count = total
    return (x.float() - mean) * torch.rsqrt(m2 / N + eps)
