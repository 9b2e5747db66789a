import torch
import torch.nn.functional as F


def conv_bn_relu_golden_cpu(x, weight, bias, gamma, beta, eps=1e-5):
    """Convolution, batch norm with batch statistics, ReLU; x [N, C, H, W], weight [O, C, 3, 3]."""
    y = F.conv2d(x, weight, bias, stride=1, padding=1)
    mean = y.mean(dim=(0, 2, 3), keepdim=True)
    var = ((y - mean) ** 2).mean(dim=(0, 2, 3), keepdim=True)
    y = (y - mean) / torch.sqrt(var + eps)
    y = y * gamma.reshape(1, -1, 1, 1) + beta.reshape(1, -1, 1, 1)
    return F.relu(y, inplace=True)
