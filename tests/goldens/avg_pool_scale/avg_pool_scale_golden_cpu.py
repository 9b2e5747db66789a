import torch.nn.functional as F


def avg_pool_scale_golden_cpu(x, scale):
    """Average pooling with padding, then a factor per channel; x [N, C, H, W]."""
    y = F.avg_pool2d(x, kernel_size=3, stride=2, padding=1)
    return y * scale[:, None, None]
