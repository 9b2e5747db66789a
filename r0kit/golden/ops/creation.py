"""Tensors from nothing: zeros, full, arange, eye, linspace, literals, random numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, Shape
from r0kit.golden.dtypes import BOOL
from r0kit.golden.ops.elementwise import cast, elementwise
from r0kit.golden.ops.layout import ONE, stack
from r0kit.golden.ops.row import OLD_DTYPES, Call, Operation, as_scalar, items_of, row
from r0kit.golden.scalars import Constant
from r0kit.golden.values import ScalarValue, SequenceValue, TensorValue, Value, constant, is_none


def full(builder: Builder, shape: Shape, value: Value, dtype: str) -> TensorValue:
    """A tensor of one number; zeros and ones have their own names."""
    number = value.scalar.value if isinstance(value, ScalarValue) and isinstance(value.scalar, Constant) else None
    if number == 0 and number is not False:
        return builder.emit("zeros", [], shape, dtype)
    if number == 1 and number is not True:
        return builder.emit("ones", [], shape, dtype)
    return builder.emit("full", [value], shape, dtype)


def dtype_of(value: Value) -> str:
    """What torch makes of a Python number."""
    kind = value.type if isinstance(value, ScalarValue) else None
    return BOOL if kind is bool else "int64" if kind is int else "float32"


def _filled(number: float) -> Callable[[Call], Value]:
    return lambda call: full(call.builder, call.extents("shape"), constant(number), call.dtype() or "float32")


def _full(call: Call) -> Value:
    shape = call.extents("shape")
    return full(call.builder, shape, call["fill_value"], call.dtype() or dtype_of(call["fill_value"]))


def _filled_like(number: float) -> Callable[[Call], Value]:
    def rule(call: Call) -> Value:
        value = call.tensor("input")
        return full(call.builder, value.shape, constant(number), call.dtype() or value.dtype)

    return rule


def _full_like(call: Call) -> Value:
    value = call.tensor("input")
    return full(call.builder, value.shape, call["fill_value"], call.dtype() or value.dtype)


def _new(number: float) -> Callable[[Call], Value]:
    def rule(call: Call) -> Value:
        dtype = call.dtype() or call.tensor("input").dtype
        return full(call.builder, call.extents("shape"), constant(number), dtype)

    return rule


def _new_full(call: Call) -> Value:
    return full(call.builder, call.extents("shape"), call["fill_value"], call.dtype() or call.tensor("input").dtype)


def _new_empty(call: Call) -> Value:
    dtype = call.dtype() or call.tensor("input").dtype
    return call.builder.emit("empty", [], call.extents("shape"), dtype)


def _fill(call: Call) -> Value:
    value, number = call.tensor("input"), call["value"]
    if isinstance(number, TensorValue):
        return elementwise(call.builder, "add", full(call.builder, value.shape, constant(0), value.dtype), number)
    return full(call.builder, value.shape, number, value.dtype)


def _zero(call: Call) -> Value:
    value = call.tensor("input")
    return full(call.builder, value.shape, constant(0), value.dtype)


def _arange(call: Call) -> Value:
    """`arange(end)`, `arange(start, end)`, `arange(start, end, step)`."""
    builder = call.builder
    start, end = (call["start"], call["end"]) if call.given("end") else (constant(0), call["start"])
    if is_none(end):
        raise OperationError("arange needs an end")
    step = call["step"]
    dtype = call.dtype() or ("float32" if any(_is_real(value) for value in (start, end, step)) else "int64")
    return builder.emit("arange", [start, end, step], (_length(builder, start, end, step),), dtype)


def _is_real(value: Value) -> bool:
    return isinstance(value, ScalarValue) and value.type not in (int, bool)


def _length(builder: Builder, start: Value, end: Value, step: Value) -> Dim:
    """`ceil((end - start) / step)`."""
    for bound in (start, end, step):
        as_scalar(bound, "a bound of arange")
    if any(_is_real(value) for value in (start, end, step)):
        low, high, by = (builder.fold(value, "a bound of arange") for value in (start, end, step))
        length = -((low - high) // by)
        if not math.isfinite(length):
            raise OperationError(f"arange from {low} to {high} by {by} has no end")
        return Dim.of(int(length))
    low, high, by = (builder.extent(value, "a bound of arange") for value in (start, end, step))
    if by.const is not None and by.const < 0:
        return (low - high).ceil_div(-by)
    return high - low if by == ONE else (high - low).ceil_div(by)


def _spaced(op: str) -> Callable[[Call], Value]:
    def rule(call: Call) -> Value:
        steps = call.builder.extent(call["steps"], "steps")
        dtype = call.dtype() or "float32"
        return call.builder.emit(op, [call["start"], call["end"]], (steps,), dtype)

    return rule


def _eye(call: Call) -> Value:
    rows = call.builder.extent(call["n"], "n")
    columns = call.builder.extent(call["m"], "m") if call.given("m") else rows
    dtype = call.dtype() or "float32"
    return call.builder.emit("eye", [], (rows, columns), dtype)


def _tensor(call: Call) -> Value:
    """`torch.tensor(data)`: a number, nested lists of numbers, or lists of 0-d tensors; a tensor stays itself."""
    return literal(call.builder, call["data"], call.dtype())


def _constructed(call: Call) -> Value:
    """`torch.LongTensor([1, 2])`, or a shape, whose values are then not set."""
    dtype, given = OLD_DTYPES[call.path], items_of(call["data"])
    data = call["data"]
    if isinstance(data, SequenceValue) and len(data.items) == 1 and isinstance(data.items[0], SequenceValue):
        return literal(call.builder, data.items[0], dtype)
    return call.builder.emit("empty", [], tuple(call.builder.extent(e, "shape") for e in given), dtype)


def _scalar_tensor(call: Call) -> Value:
    return literal(call.builder, call["data"], call.dtype() or "float32")


def literal(builder: Builder, data: Value, dtype: str | None) -> TensorValue:
    """The tensor that a Python literal makes."""
    if isinstance(data, TensorValue):
        return cast(builder, data, dtype or data.dtype)
    if isinstance(data, ScalarValue):
        known = dtype or dtype_of(data)
        return builder.emit("scalar_tensor", [data], (), known)
    if not isinstance(data, SequenceValue):
        raise OperationError("torch.tensor of something that is not numbers")
    if any(isinstance(leaf, TensorValue) for leaf in _leaves(data)):
        return stack(builder, [literal(builder, item, dtype) for item in data.items], 0)
    numbers, shape = _numbers(builder, data)
    kinds = {type(builder.fold(leaf, "a number")) for leaf in _leaves(data)}
    guess = "float32" if float in kinds or not kinds else "int64" if int in kinds else BOOL
    known = dtype or guess
    return builder.emit("tensor", [], shape, known, data=numbers)


def _leaves(data: Value) -> list[Value]:
    return [leaf for item in data.items for leaf in _leaves(item)] if isinstance(data, SequenceValue) else [data]


def _numbers(builder: Builder, data: Value) -> tuple[Any, Shape]:
    if not isinstance(data, SequenceValue):
        return builder.fold(data, "a number of a literal"), ()
    parts = [_numbers(builder, item) for item in data.items]
    inner = parts[0][1] if parts else ()
    return tuple(number for number, _ in parts), (Dim.of(len(parts)), *inner)


# Random numbers: what they are is not known, that they are is.


def _random(op: str, integer: bool = False) -> Callable[[Call], Value]:
    def rule(call: Call) -> Value:
        dtype = call.dtype() or ("int64" if integer else "float32")
        return call.builder.emit(op, [], call.extents("shape"), dtype)

    return rule


def _random_like(op: str) -> Callable[[Call], Value]:
    def rule(call: Call) -> Value:
        value = call.tensor("input")
        dtype = call.dtype() or value.dtype
        return call.builder.emit(op, [], value.shape, dtype)

    return rule


def _randint(call: Call) -> Value:
    """`randint(high, shape)` or `randint(low, high, shape)`."""
    bounds: tuple[Value, Value] = (constant(0), call["low"])
    shape = call["high"]
    if not isinstance(shape, SequenceValue):
        bounds, shape = (call["low"], call["high"]), call["shape"]
    extents = tuple(call.builder.extent(item, "shape") for item in getattr(shape, "items", []))
    dtype = call.dtype() or "int64"
    return call.builder.emit("randint", bounds, extents, dtype)


def _randperm(call: Call) -> Value:
    dtype = call.dtype() or "int64"
    return call.builder.emit("randperm", [], (call.builder.extent(call["n"], "n"),), dtype)


_SHAPED = "(*shape, dtype=None)"
_LIKE = "(input, *, dtype=None)"
_NEW = "(input, *shape, dtype=None)"
ROWS: list[Operation] = [
    row("zeros", "torch.zeros", _SHAPED, _filled(0)),
    row("ones", "torch.ones", _SHAPED, _filled(1)),
    row("full", "torch.full", "(shape, fill_value, *, dtype=None)", _full),
    row("zeros", "torch.zeros_like", _LIKE, _filled_like(0)),
    row("ones", "torch.ones_like", _LIKE, _filled_like(1)),
    row("full", "torch.full_like", "(input, fill_value, *, dtype=None)", _full_like),
    row("zeros", "T.new_zeros", _NEW, _new(0)),
    row("ones", "T.new_ones", _NEW, _new(1)),
    row("full", "T.new_full", "(input, shape, fill_value, *, dtype=None)", _new_full),
    row("fill", "T.fill_", "(input, value)", _fill),
    row("zero", "T.zero_", "(input)", _zero),
    row("arange", "torch.arange", "(start, end=None, step=1, *, dtype=None)", _arange),
    row("linspace", "torch.linspace", "(start, end, steps, *, dtype=None)", _spaced("linspace")),
    row("logspace", "torch.logspace", "(start, end, steps, *, dtype=None)", _spaced("logspace")),
    row("eye", "torch.eye", "(n, m=None, *, dtype=None)", _eye),
    row("tensor", "torch.tensor torch.as_tensor torch.asarray", "(data, dtype=None)", _tensor),
    row("tensor", " ".join(path for path in OLD_DTYPES if path.startswith("torch.")), "(*data)", _constructed),
    row("tensor", "torch.scalar_tensor", "(data, *, dtype=None)", _scalar_tensor),
    row("empty", "torch.empty", _SHAPED, _random("empty")),
    row("empty", "torch.empty_like", _LIKE, _random_like("empty")),
    row("empty", "T.new_empty", _NEW, _new_empty),
    row("rand", "torch.rand", _SHAPED, _random("rand")),
    row("randn", "torch.randn", _SHAPED, _random("randn")),
    row("rand", "torch.rand_like", _LIKE, _random_like("rand")),
    row("randn", "torch.randn_like", _LIKE, _random_like("randn")),
    row("randint", "torch.randint", "(low, high, shape=None, *, dtype=None)", _randint),
    row("randperm", "torch.randperm", "(n, *, dtype=None)", _randperm),
]
