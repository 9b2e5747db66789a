import torch


def concat_tensor_list_golden_cpu(tensors: "list[torch.Tensor]", weight: torch.Tensor):
    """Concatenates feature blocks and projects them; tensors [M, K] each, weight [N, 2K]."""
    x = torch.cat([t.float() for t in tensors], dim=1)
    return torch.relu(x @ weight.float().t())
