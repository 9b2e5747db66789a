"""Steps of a loop body emitted once more with other extents, simplified where a state has its initial value.

The whole axis taken as one tile, and the state as the loop finds it, make the recurrence its closed form:
`maximum(-inf, amax(s))` is `amax(s)`, `l * exp(-inf - m)` is 0, `0 + sum(p)` is `sum(p)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from r0kit.golden import ops
from r0kit.golden.attributes import Part, Point, mapped
from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, Shape
from r0kit.golden.ops import layout
from r0kit.golden.ops.creation import full
from r0kit.golden.ops.elementwise import cast
from r0kit.golden.program import Operand, Ref, Step
from r0kit.golden.scalars import Apply, Constant, Extent, Scalar, substituted
from r0kit.golden.values import ScalarValue, SliceValue, TensorValue, Value, constant, extent

LOWEST = -1.0e4  # a sentinel below this stands for minus infinity: no score comes near it, exp of it is 0 in FP32
ZERO, ONE = Dim.of(0), Dim.of(1)


class Replay:
    """Emits Steps with symbols replaced; `values` maps what they read to what stands for it now."""

    def __init__(self, builder: Builder, replacements: Mapping[str, Dim], values: Mapping[str, TensorValue]) -> None:
        self.builder, self.replacements = builder, replacements
        self.values: dict[str, TensorValue] = dict(values)

    def run(self, steps: Iterable[Step]) -> None:
        """Emit every Step; `value` then knows what each became. OperationError where one does not fit any more."""
        for step in steps:
            if step.target not in self.values:
                self.values[step.target] = emitted(self.builder, step, self._emit)

    def value(self, ref: str) -> TensorValue:
        return self.values.get(ref) or self.builder.value_of(ref)

    def of(self, value: TensorValue) -> TensorValue:
        """What a value of the body is now."""
        return self.value(value.ref)

    def dim(self, dim: Dim) -> Dim:
        return dim.substitute(self.replacements).assuming(self.builder.exact)

    def shape(self, shape: Shape) -> Shape:
        return tuple(map(self.dim, shape))

    def scalar(self, scalar: Scalar) -> Scalar:
        return simplified(substituted(scalar, self.replacements))

    def _emit(self, step: Step) -> TensorValue:
        if step.op == "carried":
            raise OperationError("the first trip finds something else than a tensor")
        operands = [self._operand(operand) for operand in step.operands]
        shape, attrs = self.shape(step.shape), self._attributes(step.attrs)
        short = _SHORT.get(step.op)
        result = short(self.builder, operands, attrs, shape) if short else None
        number = _number_of(self.builder, step.op, operands, attrs) if result is None else None
        if number is not None:
            return full(self.builder, shape, constant(number), step.dtype)
        if result is not None:
            return fitted(self.builder, result, shape, step.dtype)
        return self.builder.emit(step.op, operands, shape, step.dtype, **attrs)

    def _operand(self, operand: Operand) -> Value:
        return self.value(operand.name) if isinstance(operand, Ref) else ScalarValue(self.scalar(operand))

    def _attributes(self, attrs: Mapping[str, Any]) -> dict[str, Any]:
        return {name: mapped(value, self._attribute) for name, value in attrs.items()}

    def _attribute(self, value: Any) -> Any:
        return self.dim(value) if isinstance(value, Dim) else value


def emitted(builder: Builder, step: Step, emit: Callable[[Step], TensorValue]) -> TensorValue:
    """What `emit` returns, its Steps standing where `step` stands and named as it is."""
    before, builder.origin = builder.origin, step.origin
    try:
        with builder.at(step.span, step.text):
            value = emit(step)
    finally:
        builder.origin = before
    if step.name:
        builder.bind(value, step.name)
    return value


def fitted(builder: Builder, value: TensorValue, shape: Shape, dtype: str) -> TensorValue:
    """The value in this dtype and broadcast to this shape. OperationError where it does not fit."""
    value = cast(builder, value, dtype)
    return value if value.shape == shape else layout.expand(builder, value, shape)


def simplified(scalar: Scalar) -> Scalar:
    """`x / x` is 1, `0 * x` and `0 / x` are 0, `1 * x` and `0 + x` are x, for what extents make of them."""
    if not isinstance(scalar, Apply):
        return scalar
    arguments = tuple(map(simplified, scalar.arguments))
    match scalar.function, arguments:
        case "/", (a, b) if a == b and isinstance(a, Extent):
            return Constant(1.0)
        case (("*" | "/"), (Constant(0 | 0.0), _)):
            return Constant(0.0)
        case "*", (_, Constant(0 | 0.0)):
            return Constant(0.0)
        case "*", (Constant(1 | 1.0), other):
            return other
        case (("*" | "/"), (other, Constant(1 | 1.0))):
            return other
        case "+", (Constant(0 | 0.0), other):
            return other
        case (("+" | "-"), (other, Constant(0 | 0.0))):
            return other
    return Apply(scalar.function, arguments)


# Numbers that a value consists of


def number_in(builder: Builder, value: Value) -> float | None:
    """The one number that a scalar is, or that a tensor holds everywhere; None where it is not known to be one."""
    if isinstance(value, ScalarValue):
        known = value.scalar.value if isinstance(value.scalar, Constant) else None
        return known if isinstance(known, (int, float)) else None
    step = builder.definition(value.ref) if isinstance(value, TensorValue) else None
    if step is None:
        return None
    if step.op == "full" and isinstance(step.operands[0], Constant):
        return step.operands[0].value if isinstance(step.operands[0].value, (int, float)) else None
    return {"zeros": 0.0, "ones": 1.0}.get(step.op)


def _number_of(builder: Builder, op: str, operands: Sequence[Value], attrs: Mapping[str, Any]) -> float | None:
    """The number that a Step gives everywhere, where that follows from its operands."""
    numbers = [number_in(builder, operand) for operand in operands]
    if op in _KEEPS_NUMBER:
        return numbers[0]
    if op == "mul" and any(number == 0 for number in numbers):
        return 0.0
    if op == "div" and numbers[0] == 0:
        return 0.0
    if op == "sub" and numbers[0] is not None and numbers[0] <= LOWEST and numbers[1] is None:
        return numbers[0]
    compute = _FOLDED.get(op)
    if compute is None or any(number is None for number in numbers):
        return None
    try:
        return compute(*numbers)
    except (ArithmeticError, ValueError):
        return None


_KEEPS_NUMBER = frozenset(
    ("cast", "reshape", "unsqueeze", "squeeze", "expand", "permute", "select", "slice", "clone", "amax", "amin", "mean")
)


def _exp(x: float) -> float:
    return 0.0 if x <= LOWEST else math.exp(x)


_FOLDED: dict[str, Callable[..., float]] = {
    "neg": lambda x: -x,
    "exp": _exp,
    "exp2": lambda x: 0.0 if x <= LOWEST else 2.0**x,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "maximum": max,
    "minimum": min,
    "sum": lambda x: 0.0 if x == 0 else _unknown(),
    "square": lambda x: x * x,
}


def _unknown() -> float:
    raise ValueError("not known")


# Steps that come down to one of their operands

Short = Callable[[Builder, Sequence[Value], Mapping[str, Any], Shape], TensorValue | None]


def _neutral(is_neutral: Callable[[float], bool], both_sides: bool = True) -> Short:
    """Of two operands, the one beside a number that changes nothing."""

    def short(
        builder: Builder, operands: Sequence[Value], attrs: Mapping[str, Any], shape: Shape
    ) -> TensorValue | None:
        left, right = operands[0], operands[1]
        for number, other in ((right, left), (left, right)) if both_sides else ((right, left),):
            known = number_in(builder, number)
            if known is not None and is_neutral(known) and isinstance(other, TensorValue):
                return other
        return None

    return short


def _cut(builder: Builder, operands: Sequence[Value], attrs: Mapping[str, Any], shape: Shape) -> TensorValue | None:
    """A slice of everything is the value itself."""
    value = operands[0]
    assert isinstance(value, TensorValue)
    whole = attrs["start"] == ZERO and attrs["stop"] == value.shape[attrs["axis"]] and attrs["step"] == ONE
    return value if whole else None


def _stored(builder: Builder, operands: Sequence[Value], attrs: Mapping[str, Any], shape: Shape) -> TensorValue | None:
    """A store that covers everything is the value stored."""
    base, value = operands
    assert isinstance(base, TensorValue)
    return ops.store(builder, base, [as_item(part) for part in attrs["region"]], value)


def as_item(part: Part) -> Value:
    """The part of an axis as what stands in the brackets of an index."""
    return extent(part.at) if isinstance(part, Point) else SliceValue(*map(extent, part))


def _over_parts(op: str, neutral: Callable[[float], bool]) -> Short:
    """A reduction over parts put side by side needs only the parts that count."""

    def short(
        builder: Builder, operands: Sequence[Value], attrs: Mapping[str, Any], shape: Shape
    ) -> TensorValue | None:
        value = operands[0]
        step = builder.definition(value.ref) if isinstance(value, TensorValue) else None
        if step is None or step.op not in ("cat", "stack") or attrs["axes"] != (step.attrs["axis"],):
            return None
        parts = [builder.value_of(operand.name) for operand in step.operands if isinstance(operand, Ref)]
        left = [part for part in parts if not _is(builder, part, neutral)]
        if len(left) != 1:
            return None
        if step.op == "stack":
            part = left[0]
            return layout.unsqueeze(builder, part, (step.attrs["axis"],)) if attrs.get("keepdim") else part
        if left[0].shape[step.attrs["axis"]] == ONE:
            return left[0] if attrs.get("keepdim") else layout.reshape(builder, left[0], shape)
        return builder.emit(op, [left[0]], shape, left[0].dtype, **attrs)

    return short


def _is(builder: Builder, value: TensorValue, neutral: Callable[[float], bool]) -> bool:
    known = number_in(builder, value)
    return known is not None and neutral(known)


_SHORT: dict[str, Short] = {
    "add": _neutral(lambda number: number == 0),
    "sub": _neutral(lambda number: number == 0, both_sides=False),
    "mul": _neutral(lambda number: number == 1),
    "div": _neutral(lambda number: number == 1, both_sides=False),
    "maximum": _neutral(lambda number: number <= LOWEST),
    "minimum": _neutral(lambda number: number >= -LOWEST),
    "logaddexp": _neutral(lambda number: number <= LOWEST),
    "logical_or": _neutral(lambda number: number == 0),
    "logical_and": _neutral(lambda number: number == 1),
    "slice": _cut,
    "slice_store": _stored,
    "amax": _over_parts("amax", lambda number: number <= LOWEST),
    "amin": _over_parts("amin", lambda number: number >= -LOWEST),
    "sum": _over_parts("sum", lambda number: number == 0),
}
