"""Runs a Program with torch, Step by Step, so that it can be held against its golden in numbers. Needs torch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from r0kit.golden.dims import Dim
from r0kit.golden.ops import torch_text
from r0kit.golden.program import Operand, Program, Ref, Step
from r0kit.golden.scalars import text

Values = dict[str, Any]


def execute(program: Program, inputs: Mapping[str, Any], symbols: Mapping[str, int]) -> list[Any]:
    """The Program's outputs. symbols: value of every extent."""
    values: Values = {**inputs, **{one.name: one.value for one in program.parameters}}
    for step in program.steps:
        _run(step, values, symbols)
    return [values[output.value] for output in program.outputs]


def _run(step: Step, values: Values, symbols: Mapping[str, int]) -> None:
    special = _SPECIAL.get(step.op)
    result = special(step, values, symbols) if special else _computed(step, values, symbols)
    values[step.target] = result
    if step.op == "loop":
        return
    shape = tuple(extent.evaluate(symbols) for extent in step.shape)
    assert tuple(result.shape) == shape, f"{step.target} = {step.op}: {tuple(result.shape)}, stated {shape}"
    assert str(result.dtype) == f"torch.{step.dtype}", f"{step.target} = {step.op}: {result.dtype}, stated {step.dtype}"


def _computed(step: Step, values: Values, symbols: Mapping[str, int]) -> Any:
    def extent(dim: Dim) -> str:
        return str(dim.evaluate(symbols))

    written = torch_text(step, [_operand(operand, extent) for operand in step.operands], extent)
    return eval(written, {**values, "torch": torch, "math": math, "_values": values})


def _operand(operand: Operand, extent: Any) -> str:
    if isinstance(operand, Ref):
        return f"_values[{operand.name!r}]"
    return text(operand, extent, "_values['{}'].item()".format)


def _item(step: Step, values: Values, symbols: Mapping[str, int]) -> Any:
    return values[step.tensors[0]][step.attrs["index"]]


def _loop(step: Step, values: Values, symbols: Mapping[str, int]) -> Any:
    """The results of the last trip, and those of all trips side by side."""
    inside = dict(values)
    trips: list[Sequence[Any]] = []
    for trip in range(step.attrs["count"].evaluate(symbols)):
        states = [inner for inner in step.body if inner.op == "carried"]
        found = {s.target: inside[s.tensors[0 if trip == 0 else -1]] for s in states}
        inside.update(found)
        for inner in step.body:
            if inner.op != "carried":
                _run(inner, inside, {**symbols, step.attrs["trip"]: trip})
        trips.append([inside[result.name] for result in step.attrs["results"]])
    return trips


def _project(step: Step, values: Values, symbols: Mapping[str, int]) -> Any:
    trips, index = values[step.tensors[0]], step.attrs["index"]
    if step.attrs.get("stacked"):
        return torch.stack([trip[index] for trip in trips])
    return trips[-1][index]


_SPECIAL = {"item": _item, "loop": _loop, "project": _project}
