import torch


def reverse_cumsum_golden(x):
    # 从右向左的前缀和
    return torch.cumsum(x.flip(1), dim=1).flip(1)
