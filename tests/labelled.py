"""The labelled operators of tests/goldens as data: golden, machine contract, labels; and, with torch, their runs.

Reads the files on its own, without r0kit, so that what it says is evidence about r0kit.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).parent / "goldens"
EXTRA = Path(__file__).parent / "goldens_extra"  # signatures that not every caller can serve: positional-only, lists
_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv}
_CONTRACT = re.compile(r"```json machine-contract\n(.*?)```", re.S)


@dataclass(frozen=True, slots=True)
class Operator:
    """One folder of tests/goldens."""

    name: str
    golden: Path
    spec: Path
    machine: dict[str, Any]
    labels: dict[str, Any]

    @property
    def function(self) -> str:
        """Name of its golden function."""
        return self.golden.stem

    def symbols(self, case: dict[str, Any]) -> dict[str, int]:
        """Extent of each symbol that the input shapes of `case` name."""
        return {
            dim: size
            for tensor in self.machine["inputs"]
            for dim, size in zip(tensor["shape"], _one(tensor, case["input_shapes"][tensor["name"]]), strict=True)
            if isinstance(dim, str) and dim.isidentifier()
        }

    def parameters(self, case: dict[str, Any]) -> dict[str, Any]:
        """Scalar parameters of `case`: SPEC's defaults and what the case overrides."""
        return {**self.machine["default_params"], **case["params"]}


def operators(folder: Path = FOLDER) -> list[Operator]:
    """Every operator of `folder`, by name."""
    return [_read(labels.parent) for labels in sorted(folder.glob("*/labels.json"))]


def _read(folder: Path) -> Operator:
    [golden] = folder.glob("*_golden*.py")
    spec = folder / "SPEC.md"
    [machine] = _CONTRACT.findall(spec.read_text(encoding="utf-8"))
    labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    return Operator(folder.name, golden, spec, json.loads(machine), labels)


def extent(dimension: str | int, symbols: dict[str, int]) -> int:
    """Value of a shape expression of names, integers and + - * // under `symbols`."""

    def value(node: ast.expr) -> int:
        match node:
            case ast.Constant(value=number):
                return int(str(number))
            case ast.Name(name):
                return symbols[name]
            case ast.UnaryOp(ast.USub(), operand):
                return -value(operand)
            case ast.BinOp(left, function, right):
                return int(_OPERATORS[type(function)](value(left), value(right)))
        raise ValueError(f"no dimension: {dimension!r}")

    return value(ast.parse(str(dimension), mode="eval").body)


def load(path: Path, name: str | None = None) -> ModuleType:
    """The golden's module, executed: goldens of this folder are ours."""
    found = importlib.util.spec_from_file_location(name or path.stem, path)
    assert found and found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def make_inputs(item: Operator, case: dict[str, Any], seed: int = 0) -> dict[str, Any]:
    """Tensors (or lists of them) for every input of `case`, inside SPEC's value ranges. Needs torch."""
    import torch

    torch.manual_seed(seed)
    return {t["name"]: _input(t, case["input_shapes"][t["name"]]) for t in item.machine["inputs"]}


def _one(tensor: dict[str, Any], sizes: list[Any]) -> list[int]:
    return sizes[0] if tensor.get("is_list") else sizes


def _input(tensor: dict[str, Any], sizes: list[Any]) -> Any:
    if tensor.get("is_list"):
        return [_random(tensor, one) for one in sizes]
    return _random(tensor, sizes)


def _random(tensor: dict[str, Any], size: list[int]) -> Any:
    import torch

    dtype = getattr(torch, tensor["dtype"])
    low, high = tensor["value_range"] or (-1, 1)
    if dtype is torch.bool:
        return torch.rand(size) < 0.5
    if not dtype.is_floating_point:
        return torch.randint(math.ceil(low), math.floor(high) + 1, size).to(dtype)
    return (torch.rand(size) * (high - low) + low).to(dtype)


def run(item: Operator, case: dict[str, Any], module: ModuleType | None = None, seed: int = 0) -> list[Any]:
    """The golden's outputs on `case`, as a list in the order it returns them. Needs torch."""
    function = getattr(module or load(item.golden), item.function)
    return call(function, {**make_inputs(item, case, seed), **item.parameters(case)})


def call(function: Callable[..., Any], arguments: dict[str, Any]) -> list[Any]:
    """Outputs of `function`, as a list; positional-only parameters are passed as such."""
    names = inspect.signature(function).parameters.values()
    positional = [arguments[one.name] for one in names if one.kind is one.POSITIONAL_ONLY]
    keywords = {
        one.name: arguments[one.name] for one in names if one.kind is not one.POSITIONAL_ONLY and one.name in arguments
    }
    result = function(*positional, **keywords)
    return list(result) if isinstance(result, (tuple, list)) else [result]
