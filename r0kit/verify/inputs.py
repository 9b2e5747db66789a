"""The tensors of one case. Imported by the child process alone, because it needs torch."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

_LARGEST = torch.finfo(torch.float32).max
_BLOCK = 131_071  # a prime, so that no axis has it as a period
_SHARE = 64  # a special value takes the place of one element in so many, at least of one


def make(tensor: Mapping[str, Any], seed: int, position: int) -> Any:
    """The input that a `TensorPlan`, as plain data, describes: a tensor, or a list of them.

    Values depend on the seed, the position of the input and its shape alone, not on what else a case has.
    """
    generator = torch.Generator().manual_seed((seed * 1_000_003 + position * 7919) % (1 << 62))
    members = [_random(tensor, shape, generator) for shape in tensor["shapes"]]
    for member in members:
        _place_special(member, tensor["special"], generator)
    return members if tensor["is_list"] else members[0]


def _random(tensor: Mapping[str, Any], shape: Sequence[int], generator: torch.Generator) -> torch.Tensor:
    """Uniform numbers; beyond the first `_BLOCK` of them they repeat, which costs a tenth of drawing more."""
    dtype: torch.dtype = getattr(torch, tensor["dtype"], torch.float32)
    count = math.prod(shape)
    values = _drawn(tensor, dtype, min(count, _BLOCK), generator)
    if count > _BLOCK:
        values = values.repeat(-(-count // _BLOCK))[:count]
    return values.reshape(tuple(shape))


def _drawn(tensor: Mapping[str, Any], dtype: torch.dtype, count: int, generator: torch.Generator) -> torch.Tensor:
    low, high = sorted((float(tensor["low"]), float(tensor["high"])))
    if dtype is torch.bool:
        return torch.rand(count, generator=generator) < 0.5
    if dtype.is_floating_point:
        limit = min(torch.finfo(dtype).max, _LARGEST / 2)
        values = torch.empty(count).uniform_(max(low, -limit), min(high, limit), generator=generator)
        return values.to(dtype)
    bounds = torch.iinfo(dtype)
    first, last = max(math.ceil(low), bounds.min), min(math.floor(high), bounds.max, (1 << 63) - 2)
    return torch.randint(first, max(first, last) + 1, (count,), generator=generator, dtype=torch.int64).to(dtype)


def _place_special(values: torch.Tensor, special: Any, generator: torch.Generator) -> None:
    """Put what SPEC's `input_special_values` says among the values: numbers anywhere, or each at its index."""
    for number, index in _specials(special):
        if values.numel() == 0:
            return
        if index is not None:
            values[tuple(index) if isinstance(index, list) else index] = number
            continue
        count = max(1, values.numel() // _SHARE)
        places = torch.randperm(values.numel(), generator=generator)[:count]
        values.view(-1)[places] = torch.tensor(number, dtype=torch.float64).to(values.dtype)


def _specials(special: Any) -> Iterator[tuple[float, Any]]:
    """(number, index or None) for each special value: `inf`, `["nan", "-inf"]`, `{value: inf, index: [0, 1]}`."""
    if special is None:
        return
    if isinstance(special, Mapping):
        index = special.get("index", special.get("indices", special.get("position")))
        values = special.get("value", special.get("values"))
        for number, _ in _specials(values):
            yield number, index
    elif isinstance(special, (list, tuple)):
        for entry in special:
            yield from _specials(entry)
    else:
        yield float(special), None
