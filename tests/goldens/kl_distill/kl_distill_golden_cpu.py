import torch
import torch.nn.functional as F


def kl_distill_golden_cpu(student, teacher, temperature: float = 2.0):
    """Distillation loss: KL(teacher || student) of softened logits, batch mean, scaled by T^2."""
    log_p = F.log_softmax(student / temperature, dim=-1)
    q = F.softmax(teacher / temperature, dim=-1)
    kl = F.kl_div(log_p, q, reduction="batchmean")
    return kl * temperature ** 2
