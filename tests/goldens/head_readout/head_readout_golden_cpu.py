import torch


def head_readout_golden_cpu(state, query, gate):
    """Reads a matrix state with one vector per head; state [B, H, K, V], query [B, H, K], gate [B, H, V]."""
    read = torch.einsum("bhkv,bhk->bhv", state, query)
    return read * torch.sigmoid(gate)
