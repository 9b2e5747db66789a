import torch

TILE = 64


def online_softmax_loop_golden_cpu(x: torch.Tensor) -> torch.Tensor:
    """Softmax of rows in two passes over column tiles; x [M, N]."""
    M, N = x.shape
    m = torch.full((M, 1), -1.0e30)
    l = torch.zeros((M, 1))
    # 第一遍：在线统计
    for start in range(0, N, TILE):
        tile = x[:, start:start + TILE].float()
        m_new = torch.maximum(m, tile.amax(dim=1, keepdim=True))
        l = l * torch.exp(m - m_new) + torch.exp(tile - m_new).sum(dim=1, keepdim=True)
        m = m_new
    # 第二遍：写输出
    y = torch.empty(M, N)
    for start in range(0, N, TILE):
        stop = min(start + TILE, N)
        y[:, start:stop] = torch.exp(x[:, start:stop].float() - m) / l
    return y
