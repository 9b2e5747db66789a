"""Comparison, tolerances and inputs."""

from __future__ import annotations

import math
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from r0kit.contract.model import Verification
from r0kit.spec import Tolerance
from r0kit.verify.compare import measure
from r0kit.verify.inputs import make
from r0kit.verify.policy import PRO_SCHEME_A, Limits, limits_of, looser

CLOSE = Limits(1e-3, 1e-3)
SCHEME_A = Limits(policy=PRO_SCHEME_A)
INF, NAN = math.inf, math.nan


def within(stage: list[float], golden: list[float], limits: Limits = CLOSE, dtype: str = "float32") -> bool:
    kind = getattr(torch, dtype)
    found = measure(torch.tensor(stage).to(kind), torch.tensor(golden).to(kind), limits)
    return found is None or bool(found["within"])


@pytest.mark.parametrize(
    ("stage", "golden", "expected"),
    [
        ([1.0, 2.0], [1.0005, 2.0], True),
        ([1.0, 2.0], [1.1, 2.0], False),
        ([NAN], [NAN], True),
        ([NAN], [1.0], False),
        ([1.0], [NAN], False),
        ([INF], [INF], True),
        ([INF], [-INF], False),
        ([1.0], [INF], False),
        ([INF], [1e30], False),
        ([], [], True),
    ],
)
def test_allclose_agrees_with_torch(stage: list[float], golden: list[float], expected: bool) -> None:
    assert within(stage, golden) is expected
    assert torch.allclose(torch.tensor(stage), torch.tensor(golden), atol=1e-3, rtol=1e-3, equal_nan=True) is expected


@pytest.mark.parametrize(
    ("stage", "golden", "dtype", "expected"),
    [
        ([1.0] * 99 + [1.05], [1.0] * 100, "float16", True),  # 1 % may be off, by no more than 0.1
        ([1.0] * 99 + [1.2], [1.0] * 100, "float16", False),
        ([1.0] * 98 + [1.05] * 2, [1.0] * 100, "float16", False),
        ([1.0] * 99 + [1.9], [1.0] * 100, "bfloat16", True),
        ([1.0] * 99 + [1.02], [1.0] * 100, "float32", False),
        ([1.0] * 99 + [1.005], [1.0] * 100, "float32", True),
        ([NAN] + [1.0] * 999, [1.0] * 1000, "float32", False),
        ([INF] + [1.0] * 999, [-INF] + [1.0] * 999, "float32", False),
        ([INF], [INF], "float16", True),
        ([INF], [65504.0], "float16", True),  # against a finite value, infinity is the largest finite one
        ([INF] + [1.0] * 999, [2.0] + [1.0] * 999, "float16", False),
        ([3], [3], "int32", True),
        ([3] * 999 + [4], [3] * 1000, "int32", False),
    ],
)
def test_scheme_a(stage: list[float], golden: list[float], dtype: str, expected: bool) -> None:
    assert within(stage, golden, SCHEME_A, dtype) is expected


def test_what_is_measured() -> None:
    golden = torch.zeros(3, 4)
    golden[1, 2] = 2.0
    stage = golden.clone()
    stage[1, 2], stage[2, 0] = 1.0, 0.5
    found = measure(stage, golden, CLOSE)
    assert found is not None
    assert (found["max_abs"], found["count"], found["total"]) == (1.0, 2, 12)
    assert (found["index"], found["golden"], found["stage"]) == ([1, 2], 2.0, 1.0)
    assert found["max_rel"] == INF


def test_nan_is_the_worst() -> None:
    found = measure(torch.tensor([9.0, NAN]), torch.tensor([0.0, 1.0]), CLOSE)
    assert found is not None
    assert (found["index"], found["max_abs"]) == ([1], INF)


def test_shapes_and_dtypes_must_be_equal() -> None:
    x = torch.zeros(2)
    assert measure(x, torch.zeros(2, 1), CLOSE) == {"within": False, "kind": "shape", "expected": [2, 1], "actual": [2]}
    assert measure(x, x.half(), CLOSE) == {"within": False, "kind": "dtype", "expected": "float16", "actual": "float32"}


def test_int64_is_not_rounded_on_the_way() -> None:
    assert measure(torch.tensor([2**60]), torch.tensor([2**60]), CLOSE) is None
    assert measure(torch.tensor([True]), torch.tensor([False]), CLOSE)["within"] is False


def test_whose_tolerance_counts() -> None:
    spec = Tolerance(0.1, 0.2)
    assert limits_of(Verification(1e-3, 1e-4), spec) == Limits(1e-3, 1e-4)
    assert limits_of(Verification(), spec) == Limits(0.1, 0.2)
    assert limits_of(Verification(1e-3, 1e-4, PRO_SCHEME_A), spec) == SCHEME_A
    assert limits_of(Verification(), Tolerance(policy=PRO_SCHEME_A)) == SCHEME_A
    assert limits_of(Verification(), Tolerance()) is None
    assert looser(Verification(0.1, 0.3), spec) == "rtol 0.3 is looser than SPEC's 0.2"
    assert looser(Verification(0.1, 0.1), spec) == ""


def tensor(**changes: Any) -> dict[str, Any]:
    usual = {
        "name": "x",
        "shapes": [[50, 40]],
        "dtype": "float32",
        "low": -2,
        "high": 3,
        "is_list": False,
        "special": None,
    }
    return usual | changes


@pytest.mark.parametrize(
    "dtype", ["float32", "float16", "bfloat16", "float64", "int8", "uint8", "int32", "int64", "bool"]
)
def test_inputs_lie_in_their_range(dtype: str) -> None:
    low, high = (0, 200) if dtype == "uint8" else (-2, 3)
    made = make(tensor(dtype=dtype, low=low, high=high), 1, 0)
    assert (list(made.shape), made.dtype) == ([50, 40], getattr(torch, dtype))
    if dtype != "bool":
        assert low <= made.double().min() < made.double().max() <= high
        assert made.dtype.is_floating_point or {made.min().item(), made.max().item()} == {low, high}


def test_inputs_depend_on_the_seed_and_the_place() -> None:
    assert torch.equal(make(tensor(), 1, 0), make(tensor(), 1, 0))
    assert not torch.equal(make(tensor(), 1, 0), make(tensor(), 2, 0))
    assert not torch.equal(make(tensor(), 1, 0), make(tensor(), 1, 1))


def test_lists_and_ranges_beyond_the_dtype() -> None:
    made = make(tensor(is_list=True, shapes=[[2], [3, 4]]), 1, 0)
    assert [list(member.shape) for member in made] == [[2], [3, 4]]
    assert make(tensor(dtype="float16", low=-1e9, high=1e9), 1, 0).isfinite().all()
    assert make(tensor(dtype="int8", low=-1e9, high=1e9), 1, 0).min() == -128
    assert make(tensor(low=-INF, high=INF), 1, 0).isfinite().all()


@pytest.mark.parametrize(
    ("special", "inf", "nan"),
    [
        ("inf", 31, 0),
        (["inf", "nan"], 31, 31),
        ({"value": "-inf", "index": [0, 1]}, 1, 0),
        ([{"values": ["nan"], "position": [3]}], 0, 40),
    ],
)
def test_special_values(special: Any, inf: int, nan: int) -> None:
    made = make(tensor(special=special), 1, 0)
    assert abs(int(made.isinf().sum()) - inf) <= 2
    assert abs(int(made.isnan().sum()) - nan) <= 2


def test_special_values_of_a_scalar_tensor_and_of_nothing() -> None:
    assert make(tensor(shapes=[[]], special="inf"), 1, 0).item() == INF
    assert make(tensor(shapes=[[0, 3]], special="inf"), 1, 0).numel() == 0


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64", "int8", "bool", "int64"])
def test_equal_values_are_equal_however_they_lie(dtype: str) -> None:
    kind = getattr(torch, dtype)
    x = torch.arange(65).to(kind)
    for view in (x, x[:64], x[1:], x[1:9], x[:64].reshape(8, 8).T, x[:64].reshape(8, 8)[:, ::2], x[0], x[:0]):
        assert measure(view, view.clone(), CLOSE) is None
    other = x[:64].clone()
    other[7] = not other[7] if dtype == "bool" else 99
    assert measure(x[:64], other, CLOSE)["within"] is False


def test_zeros_of_both_signs_are_equal() -> None:
    found = measure(torch.zeros(4), -torch.zeros(4), CLOSE)
    assert found is None or (found["within"], found["max_abs"]) == (True, 0.0)


@pytest.mark.parametrize(
    ("stage", "golden", "dtype", "expected"),
    [
        ([4.0, 0.0039], [4.0039, 0.0], "float16", 1.0),
        ([4.0, 0.0], [4.0, 0.5], "float16", 128.0),
        ([1.0, 2.0], [1.0, 2.03125], "bfloat16", 2.0),
        ([0.0], [1.0], "float32", 2.0**23),
        ([NAN], [1.0], "float16", INF),
    ],
)
def test_differences_are_counted_in_spacings_of_the_largest_value(
    stage: list[float], golden: list[float], dtype: str, expected: float
) -> None:
    kind = getattr(torch, dtype)
    found = measure(torch.tensor(stage).to(kind), torch.tensor(golden).to(kind), Limits(0.0, 0.0))
    assert found is not None and found["spacings"] == pytest.approx(expected, rel=0.01)
