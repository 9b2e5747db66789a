"""All trips of a loop at once: every value that differs from trip to trip gets the trips as a new first axis.

This is what `torch.vmap` does, on Steps. What a trip adds to a state is summed over that axis (or its maximum taken).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from r0kit.golden.attributes import symbols_of
from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, Shape
from r0kit.golden.lift.replay import Replay, emitted, fitted
from r0kit.golden.ops import layout
from r0kit.golden.ops.elementwise import cast, elementwise
from r0kit.golden.ops.reduction import reduce
from r0kit.golden.program import Operand, Ref, Step
from r0kit.golden.scalars import Apply, Constant, Extent, Reading, Scalar, extents_of, readings_of
from r0kit.golden.values import ScalarValue, TensorValue, Value, extent

ZERO, ONE = Dim.of(0), Dim.of(1)

# How what the trips add to a state combines.
MONOIDS = {"add": "sum", "sub": "sum", "maximum": "amax", "minimum": "amin", "logical_or": "any", "logical_and": "all"}


class Lanes:
    """trip: symbol of the trip; count: number of trips; gathering: Steps that combine a state with what a trip gives.

    `varying` holds what has the trips as its first axis, by its name in the body.
    """

    def __init__(
        self,
        builder: Builder,
        trip: str,
        count: Dim,
        values: Mapping[str, TensorValue],
        gathering: frozenset[str],
        rule: Callable[[Step], Callable[[Lanes, Step], TensorValue]],
    ) -> None:
        self.builder, self.trip, self.count, self.gathering, self.rule = builder, trip, count, gathering, rule
        self.plain = Replay(builder, {}, values)
        self.varying: set[str] = set()

    def run(self, steps: Sequence[Step]) -> None:
        """Emit the Steps for all trips. OperationError where one has no such form."""
        for step in steps:
            if step.target in self.plain.values:
                continue
            if not self._varies(step):
                self.plain.run([step])
                continue
            emit = self._gathered if step.target in self.gathering else self._batched
            self.plain.values[step.target] = emitted(self.builder, step, emit)

    def of(self, value: TensorValue) -> tuple[TensorValue, bool]:
        """What a value of the body is now, and whether it has the trips as its first axis."""
        return self.plain.of(value), value.ref in self.varying

    def last(self, value: TensorValue) -> TensorValue:
        """What the last trip leaves of it."""
        now, varies = self.of(value)
        return layout.select(self.builder, now, 0, self.count - 1) if varies else now

    # Which Steps vary

    def _varies(self, step: Step) -> bool:
        return any(self.operand_varies(operand) for operand in step.operands) or self.mentions_trip(
            (*step.attrs.values(), step.shape)
        )

    def operand_varies(self, operand: Operand) -> bool:
        if isinstance(operand, Ref):
            return operand.name in self.varying
        return self.trip in extents_of(operand) or bool(readings_of(operand) & self.varying)

    def mentions_trip(self, value: Any) -> bool:
        return self.trip in symbols_of(value)

    # Emission

    def _batched(self, step: Step) -> TensorValue:
        if self.mentions_trip(step.shape):
            raise OperationError(f"the extents of {step.op} differ from trip to trip")
        value = self.rule(step)(self, step)
        if step.op != "slice_store" or self.is_local(step):
            self.varying.add(step.target)
        return value

    def emit(self, step: Step, operands: Sequence[Value], **changed: Any) -> TensorValue:
        """The Step with the trips in front of its shape."""
        return self.builder.emit(
            step.op, operands, self.with_trips(step.shape), step.dtype, **{**step.attrs, **changed}
        )

    def with_trips(self, shape: Shape) -> Shape:
        return (self.count, *shape)

    def operand(self, operand: Operand, rank: int) -> Value:
        """An operand to broadcast with others over `rank` axes after the trips'."""
        if not self.operand_varies(operand):
            return self.plain.value(operand.name) if isinstance(operand, Ref) else ScalarValue(operand)
        value = self.plain.value(operand.name) if isinstance(operand, Ref) else self.numbers(operand)
        missing = rank - (value.rank - 1)
        return layout.unsqueeze(self.builder, value, range(1, 1 + missing)) if missing > 0 else value

    def tensor(self, operand: Operand) -> TensorValue:
        """A tensor operand with the trips in front, repeated where it is the same for all of them."""
        if not isinstance(operand, Ref):
            raise OperationError("a number where all trips need a tensor")
        value = self.plain.value(operand.name)
        if operand.name in self.varying:
            return value
        front = layout.unsqueeze(self.builder, value, (0,))
        return layout.expand(self.builder, front, self.with_trips(value.shape))

    # Numbers that differ from trip to trip

    def numbers(self, scalar: Scalar) -> TensorValue:
        """A scalar that depends on the trip, as a vector over the trips."""
        match scalar:
            case Reading(tensor):
                value = self.plain.value(tensor)
                return layout.reshape(self.builder, value, (self.count,))
            case Extent(dim):
                return self._places(dim)
            case Apply(function, arguments) if function in _FUNCTIONS:
                parts = [self.numbers(a) if self.operand_varies(a) else ScalarValue(a, _type_of(a)) for a in arguments]
                return elementwise(self.builder, _FUNCTIONS[function], *parts)
            case Apply("float" | "int", (inner,)):
                return cast(self.builder, self.numbers(inner), "float32" if scalar.function == "float" else "int64")
        raise OperationError("a number that depends on the trip in a way that has no form for all trips at once")

    def _places(self, dim: Dim) -> TensorValue:
        slope, offset = self.affine(dim)
        bounds = [extent(offset), extent(offset + slope * self.count), extent(slope)]
        return self.builder.emit("arange", bounds, (self.count,), "int64")

    def affine(self, dim: Dim) -> tuple[Dim, Dim]:
        """(a, b) of `a * trip + b`. OperationError where it is not of that form."""
        form = dim.affine(self.trip)
        if form is None:
            raise OperationError(f"the place {dim} does not grow evenly with the trip")
        return form

    # What trips add to a state

    def divide(self, extent: Dim, length: Dim) -> None:
        """Note that blocks of `length` fill an axis, where the loop has as many trips as there are whole blocks."""
        if self.count == extent // length and self.builder.known(extent % length) == 0:
            self.builder.divides(extent, length, "blocks of a loop")

    def _gathered(self, step: Step) -> TensorValue:
        """`state <op> each` as `state <op> (all of them combined over the trips)`."""
        left, right = step.operands
        each, state = (right, left) if self.operand_varies(right) else (left, right)
        if self.operand_varies(state) or (step.op == "sub" and each is left):
            raise OperationError("a state is combined with itself")
        value = self.operand(each, len(step.shape))
        if not isinstance(value, TensorValue):
            raise OperationError("a number is added to a state in each trip")
        combined = reduce(self.builder, MONOIDS[step.op], value, (0,), False, value.dtype)
        inner = f"{step.target}/trips"
        self.plain.values[inner] = combined
        operands = tuple(Ref(inner) if operand is each else operand for operand in step.operands)
        outer = Step(step.target, step.op, operands, step.shape, step.dtype, step.kind, step.section, step.span)
        self.plain.run([outer])
        return fitted(self.builder, self.plain.value(step.target), step.shape, step.dtype)

    def is_local(self, step: Step) -> bool:
        """Whether a store goes into a tensor of its trip alone."""
        return not self.mentions_trip(step.attrs["region"])


_FUNCTIONS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "neg": "neg", "//": "floor_divide", "%": "remainder"}


def _type_of(scalar: Scalar) -> type | None:
    return type(scalar.value) if isinstance(scalar, Constant) else int if isinstance(scalar, Extent) else None
