import torch


def einsum_chain_golden_cpu(a, b, c, d):
    return torch.einsum("ij,jk,kl,lm->im", a, b, c, d)
