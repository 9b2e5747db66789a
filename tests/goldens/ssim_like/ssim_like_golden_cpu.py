
import torch.nn.functional as F


def ssim_like_golden_cpu(a, b, window):
    mu_a = F.conv2d(a, window, padding=1)
    mu_b = F.conv2d(b, window, padding=1)
    var_a = F.conv2d(a * a, window, padding=1) - mu_a ** 2
    var_b = F.conv2d(b * b, window, padding=1) - mu_b ** 2
    cov = F.conv2d(a * b, window, padding=1) - mu_a * mu_b
    c1, c2 = 0.01 ** 2, 0.03 ** 2
    ssim = ((2 * mu_a * mu_b + c1) * (2 * cov + c2)) / ((mu_a ** 2 + mu_b ** 2 + c1) * (var_a + var_b + c2))
    return 1.0 - ssim.mean(dim=(1, 2, 3))
