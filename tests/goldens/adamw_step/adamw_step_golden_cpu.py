import math

import torch


def adamw_step_golden_cpu(param, grad, exp_avg, exp_avg_sq, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01, step: int = 10):
    """One AdamW update; returns the new parameter and both moments."""
    param = param * (1 - lr * weight_decay)
    exp_avg = beta1 * exp_avg + (1 - beta1) * grad
    exp_avg_sq = beta2 * exp_avg_sq + (1 - beta2) * grad * grad
    bias_correction1 = 1 - beta1 ** step
    bias_correction2 = 1 - beta2 ** step
    denom = exp_avg_sq.sqrt() / math.sqrt(bias_correction2) + eps
    param = param - (lr / bias_correction1) * (exp_avg / denom)
    return param, exp_avg, exp_avg_sq
