"""How goldens are called, and where their results are found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from r0kit.verify.callers import call_golden

CALLING = {"arguments": [["x", "key", "tensors"], ["out", "key", "tensors"]], "stored": ["out"], "owner": ""}


def _puts_another(tensors: dict[str, Any]) -> None:
    tensors["out"] = tensors["x"] * 2


def _overwrites(tensors: dict[str, Any]) -> None:
    tensors["out"][:] = tensors["x"] * 2


def _returns(tensors: dict[str, Any]) -> Any:
    return tensors["x"] * 2


@pytest.mark.parametrize("golden", [_puts_another, _overwrites, _returns])
def test_results_are_what_a_mapping_holds_after_the_call(golden: Callable[..., Any]) -> None:
    given = {"x": torch.ones(3), "out": torch.zeros(3)}
    assert [value.tolist() for value in call_golden(golden, CALLING, given, {})] == [[2.0, 2.0, 2.0]]
