"""Extents of a contract's axes: which ones a plan is for, and shapes in numbers."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from r0kit.contract.model import Contract, Module, Tensor
from r0kit.contract.shape import read_shape

Shape = tuple[int, ...]
Extents = Mapping[str, int]

LARGEST = 2**48  # elements along one axis; beyond it a shape is a mistake


class ExtentError(ValueError):
    """An axis without an extent, or an extent that is none; the message names it."""


def cases(contract: Contract) -> tuple[Extents, ...]:
    """The shape cases of `composition_verification` that bind axes to extents."""
    return tuple(MappingProxyType(case) for case in map(_usable, contract.verification.shapes) if case)


def _usable(case: Mapping[str, object]) -> dict[str, int]:
    return {name: value for name, value in case.items() if isinstance(value, int) and not isinstance(value, bool)}


def axes(contract: Contract) -> tuple[str, ...]:
    """Names of the axes in the contract's shapes, in order."""
    tensors = (*contract.primary_inputs, *(output for module in contract.modules for output in module.outputs))
    return tuple(dict.fromkeys(name for tensor in tensors for name, _ in read_shape(tensor.shape).names))


def chosen(contract: Contract, wanted: Extents) -> Extents:
    """Extents to plan for: those of the largest shape case, with `wanted` in their place where it says otherwise."""
    known: list[Extents] = [{**case, **wanted} for case in cases(contract)] or [dict(wanted)]
    largest = max(known, key=partial(_elements, contract))
    return MappingProxyType(dict(largest))


def _elements(contract: Contract, extents: Extents) -> int:
    total = 0
    for tensor in contract.primary_inputs:
        try:
            total += product(concrete(tensor.shape, extents))
        except ExtentError:
            continue
    return total


def product(shape: Shape) -> int:
    """Number of elements; 1 for a scalar."""
    total = 1
    for extent in shape:
        total *= extent
    return total


def concrete(shape: str, extents: Extents) -> Shape:
    """`"[B, 2*H]"` in numbers. ExtentError where an axis has no extent, or a dimension is below 1."""
    if not shape:
        raise ExtentError("a value without a shape")
    read = read_shape(shape)
    if read.problem:
        raise ExtentError(read.problem)
    unknown = [name for name, _ in read.names if name not in extents]
    if len(unknown) == 1:
        raise ExtentError(f"axis {unknown[0]} has no extent: name one, as in --extents {unknown[0]}=1024")
    if unknown:
        option = ",".join(f"{name}=1024" for name in unknown)
        raise ExtentError(f"axes {', '.join(unknown)} have no extents: name them, as in --extents {option}")
    return tuple(_extent(dimension, extents) for dimension in dimensions(shape))


def dimensions(shape: str) -> tuple[str, ...]:
    """`"[M, 2 * N]"` as its dimensions, each spelled in one way."""
    try:
        tree = ast.parse(shape.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExtentError(f"the shape {shape[:60]!r} cannot be read") from None
    return tuple(map(ast.unparse, tree.elts)) if isinstance(tree, ast.List) else (ast.unparse(tree),)


def _extent(dimension: str, extents: Extents) -> int:
    value = _value(ast.parse(dimension, mode="eval").body, extents)
    if not 1 <= value <= LARGEST:
        raise ExtentError(f"the dimension {dimension} is {value} at these extents")
    return value


def _value(tree: ast.expr, extents: Extents) -> int:
    match tree:
        case ast.Constant(int(value)):
            return value
        case ast.Name(name):
            return extents[name]
        case ast.UnaryOp(ast.USub(), operand):
            return -_value(operand, extents)
        case ast.UnaryOp(ast.UAdd(), operand):
            return _value(operand, extents)
        case ast.BinOp(left, operator, right):
            return _combined(operator, _value(left, extents), _value(right, extents))
    raise ExtentError(f"the dimension {ast.unparse(tree)[:60]!r} cannot be read")


def _combined(operator: ast.operator, left: int, right: int) -> int:
    if max(abs(left), abs(right)) > LARGEST:
        raise ExtentError("a dimension beyond any tensor")
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.FloorDiv() if right:
            return left // right
    raise ExtentError("a dimension that divides by 0")


def tensor_of(contract: Contract, module: Module, name: str) -> Tensor:
    """What is known of a value that `module` reads."""
    source = next((wire.module for wire in module.inputs if wire.name == name), 0)
    if source == 0:
        return next((tensor for tensor in contract.primary_inputs if tensor.name == name), Tensor(name))
    made = [output for other in contract.modules if other.id == source for output in other.outputs]
    return next((output for output in made if output.name == name), Tensor(name))
