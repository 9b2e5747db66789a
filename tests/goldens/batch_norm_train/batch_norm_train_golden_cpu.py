import torch
import torch.nn.functional as F


def batch_norm_train_golden_cpu(x, weight, bias, eps: float = 1e-5):
    """BatchNorm with the statistics of this batch; x [N, C, H, W]."""
    return F.batch_norm(x, None, None, weight, bias, training=True, eps=eps)
