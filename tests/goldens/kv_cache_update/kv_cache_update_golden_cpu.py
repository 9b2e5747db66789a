import torch


def kv_cache_update_golden_cpu(cache, new, start: int = 3):
    """Writes new rows into a copy of the cache; cache [B, H, T, D], new [B, H, S, D] at rows start .. start + S."""
    S = new.shape[2]
    updated = cache.clone()
    updated[:, :, start:start + S, :] = new.to(cache.dtype)
    return updated
