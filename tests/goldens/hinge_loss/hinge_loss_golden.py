import torch


def hinge_loss_golden(predictions, targets):
    # targets: [B], -1 or 1
    return torch.mean(torch.clamp(1 - predictions * targets.unsqueeze(1), min=0))
