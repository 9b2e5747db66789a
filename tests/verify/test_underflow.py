"""The exponential that generated stage functions use gives the bits of torch.exp, whatever it is given."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch

from r0kit.verify import underflow

COUNT = 1 << 15
EDGES = [float("nan"), float("inf"), -float("inf"), -1e30, -3.4e38, -110.0, -110.1, -109.9, -104.0, -88.0, -0.0, 0.0]


def bits(value: torch.Tensor) -> torch.Tensor:
    return value.view(torch.int32)


@pytest.mark.parametrize("masked", [0.0, 0.5, 1.0])
def test_bits_are_those_of_torch_exp(masked: float) -> None:
    generator = torch.Generator().manual_seed(7)
    scores = torch.rand(COUNT, generator=generator) * 240 - 120
    scores[torch.rand(COUNT, generator=generator) < masked] = -1e30
    scores[: len(EDGES)] = torch.tensor(EDGES)
    assert torch.equal(bits(underflow.exp(scores)), bits(torch.exp(scores)))
    grid = scores[len(EDGES) :][: COUNT // 2 + 8].reshape(8, -1).t()
    assert torch.equal(underflow.exp(grid), torch.exp(grid))


def test_a_missing_number_hides_nothing() -> None:
    """A NaN beside masked scores: the look at the smallest number does not see them, and the result is the same."""
    scores = torch.full((COUNT,), -1e30)
    scores[5] = float("nan")
    assert torch.equal(bits(underflow.exp(scores)), bits(torch.exp(scores)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_other_dtypes_and_small_tensors_go_to_torch(dtype: str) -> None:
    values = torch.linspace(-1000, 10, COUNT).to(getattr(torch, dtype))
    assert torch.equal(underflow.exp(values), torch.exp(values))
    assert torch.equal(underflow.exp(values[:7].float()), torch.exp(values[:7].float()))


def test_stage_functions_see_it_as_torch() -> None:
    module = underflow.torch_for_stages()
    assert module.exp is underflow.exp
    assert module.sum is torch.sum
    assert torch.exp is not underflow.exp
