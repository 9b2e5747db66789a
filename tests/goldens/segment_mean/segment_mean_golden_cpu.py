import torch


def segment_mean_golden_cpu(values, segment, num_segments: int = 6):
    """Mean of the rows of each segment; values [N, D], segment [N] in [0, num_segments)."""
    D = values.shape[1]
    index = segment.unsqueeze(1).expand(-1, D)
    total = torch.zeros(num_segments, D).scatter_add_(0, index, values)
    count = torch.zeros(num_segments).index_add_(0, segment, torch.ones_like(segment, dtype=torch.float32))
    return total / count.clamp(min=1.0).unsqueeze(1)
