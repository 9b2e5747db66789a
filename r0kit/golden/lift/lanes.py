"""All trips of a loop at once: every value that differs from trip to trip gets the trips as a new first axis.

This is what `torch.vmap` does, on Steps. What a trip adds to a state is summed over that axis (or its maximum taken).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from r0kit.golden import ops
from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, Shape, product
from r0kit.golden.lift.replay import Replay, emitted, fitted
from r0kit.golden.ops import layout
from r0kit.golden.ops.elementwise import cast, elementwise
from r0kit.golden.ops.reduction import reduce
from r0kit.golden.program import Kind, Operand, Ref, Step
from r0kit.golden.scalars import Apply, Constant, Extent, Reading, Scalar, extents_of, readings_of
from r0kit.golden.values import ScalarValue, SliceValue, TensorValue, Value, constant, extent

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
    ) -> None:
        self.builder, self.trip, self.count, self.gathering = builder, trip, count, gathering
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
        return any(self._operand_varies(operand) for operand in step.operands) or self._mentions_trip(
            (*step.attrs.values(), step.shape)
        )

    def _operand_varies(self, operand: Operand) -> bool:
        if isinstance(operand, Ref):
            return operand.name in self.varying
        return self.trip in extents_of(operand) or bool(readings_of(operand) & self.varying)

    def _mentions_trip(self, value: Any) -> bool:
        if isinstance(value, Dim):
            return self.trip in value.symbols
        return isinstance(value, tuple) and any(map(self._mentions_trip, value))

    # Emission

    def _batched(self, step: Step) -> TensorValue:
        if self._mentions_trip(step.shape):
            raise OperationError(f"the extents of {step.op} differ from trip to trip")
        rule = _BY_OP.get(step.op) or _BY_KIND.get(step.kind)
        if rule is None:
            raise OperationError(f"{step.op} has no form for all trips at once")
        value = rule(self, step)
        if step.op != "slice_store" or self._is_local(step):
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
        if not self._operand_varies(operand):
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
                parts = [self.numbers(a) if self._operand_varies(a) else ScalarValue(a, _type_of(a)) for a in arguments]
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

    def _gathered(self, step: Step) -> TensorValue:
        """`state <op> each` as `state <op> (all of them combined over the trips)`."""
        left, right = step.operands
        each, state = (right, left) if self._operand_varies(right) else (left, right)
        if self._operand_varies(state) or (step.op == "sub" and each is left):
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

    def _is_local(self, step: Step) -> bool:
        """Whether a store goes into a tensor of its trip alone."""
        return not self._mentions_trip(step.attrs["region"])


_FUNCTIONS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "neg": "neg", "//": "floor_divide", "%": "remainder"}


def _type_of(scalar: Scalar) -> type | None:
    return type(scalar.value) if isinstance(scalar, Constant) else int if isinstance(scalar, Extent) else None


# Rules


def _elementwise(lanes: Lanes, step: Step) -> TensorValue:
    rank = len(step.shape)
    operands = [lanes.operand(operand, rank) for operand in step.operands]
    numbers = [
        cast(lanes.builder, value, step.dtype) if _is_number(old) and isinstance(value, TensorValue) else value
        for old, value in zip(step.operands, operands, strict=True)
    ]
    return lanes.emit(step, numbers if step.dtype != "bool" else operands)


def _is_number(operand: Operand) -> bool:
    return not isinstance(operand, Ref)


def _reduction(lanes: Lanes, step: Step) -> TensorValue:
    if "axes" not in step.attrs:
        raise OperationError(f"{step.op} has no form for all trips at once")
    changed: dict[str, Any] = {"axes": tuple(axis + 1 for axis in step.attrs["axes"])}
    if "axis" in step.attrs:
        changed["axis"] = step.attrs["axis"] + 1
    return lanes.emit(step, [lanes.tensor(step.operands[0])], **changed)


def _contraction(lanes: Lanes, step: Step) -> TensorValue:
    """The trips are one more batch axis; what is the same for all trips stays as it is."""
    if step.op not in ("matmul", "einsum"):
        raise OperationError(f"{step.op} has no form for all trips at once")
    *names, result = step.attrs["labels"]
    label = 1 + max(label for part in step.attrs["labels"] for label in part)
    varies = [lanes._operand_varies(operand) for operand in step.operands]
    labels = tuple((label, *part) if varied else part for part, varied in zip(names, varies, strict=True))
    operands = [lanes.plain.value(operand.name) for operand in step.operands if isinstance(operand, Ref)]
    shape, labels = lanes.with_trips(step.shape), (*labels, (label, *result))
    op = "matmul" if _is_matmul(operands, varies) else "einsum"
    rest = {name: value for name, value in step.attrs.items() if name not in ("labels", "equation")}
    return lanes.builder.emit(op, operands, shape, step.dtype, **{**rest, "labels": labels})


def _is_matmul(operands: Sequence[TensorValue], varies: Sequence[bool]) -> bool:
    """Whether torch.matmul broadcasts the trips of these operands as their first axis."""
    ranks = [operand.rank for operand in operands]
    return len(operands) == 2 and all(varies) and ranks[0] == ranks[1] >= 3


def _along(*attributes: str) -> Callable[[Lanes, Step], TensorValue]:
    """Operations that work along axes: these are one further on."""

    def rule(lanes: Lanes, step: Step) -> TensorValue:
        changed = {name: _shifted(step.attrs[name]) for name in attributes if name in step.attrs}
        return lanes.emit(step, [lanes.tensor(operand) for operand in step.operands], **changed)

    return rule


def _shifted(axes: Any) -> Any:
    return tuple(axis + 1 for axis in axes) if isinstance(axes, tuple) else axes + 1


def _reshape(lanes: Lanes, step: Step) -> TensorValue:
    return lanes.emit(step, [lanes.tensor(step.operands[0])], shape=lanes.with_trips(step.shape))


def _permute(lanes: Lanes, step: Step) -> TensorValue:
    order = (0, *(axis + 1 for axis in step.attrs["order"]))
    return lanes.emit(step, [lanes.tensor(step.operands[0])], order=order)


def _expand(lanes: Lanes, step: Step) -> TensorValue:
    value = lanes.operand(step.operands[0], len(step.shape))
    return lanes.emit(step, [value], shape=lanes.with_trips(step.shape))


def _pad(lanes: Lanes, step: Step) -> TensorValue:
    pads = ((ZERO, ZERO), *step.attrs["pads"])
    axes = _shifted(step.attrs["axes"]) if "axes" in step.attrs else ()
    return lanes.emit(step, [lanes.tensor(step.operands[0]), *map(_plain, step.operands[1:])], pads=pads, axes=axes)


def _plain(operand: Operand) -> Value:
    if isinstance(operand, Ref):
        raise OperationError("a tensor where a number was expected")
    return ScalarValue(operand)


def _select(lanes: Lanes, step: Step) -> TensorValue:
    axis, index = step.attrs["axis"], step.attrs["index"]
    slope, offset = lanes.affine(index)
    source = step.operands[0]
    assert isinstance(source, Ref)
    value = lanes.plain.value(source.name)
    if slope == ZERO:
        return layout.select(lanes.builder, lanes.tensor(source), axis + 1, index)
    if source.name in lanes.varying:
        return _diagonal(lanes, value, axis + 1, slope, offset)
    return _to_front(lanes.builder, _every(lanes, value, axis, slope, offset), axis)


def _every(lanes: Lanes, value: TensorValue, axis: int, slope: Dim, offset: Dim) -> TensorValue:
    """The places `slope * trip + offset` of an axis, for all trips."""
    builder, last = lanes.builder, offset + slope * (lanes.count - 1)
    if slope.const is not None and slope.const < 0:
        part = layout.cut(builder, value, axis, last, offset + 1, -slope)
        return layout.flip(builder, part, (axis,))
    return layout.cut(builder, value, axis, offset, last + 1, slope)


def _diagonal(lanes: Lanes, value: TensorValue, axis: int, slope: Dim, offset: Dim) -> TensorValue:
    """Trip t's own place `t + offset` of trip t's value."""
    if slope != ONE:
        raise OperationError("a place that depends on the trip in a value that does too")
    part = _every(lanes, value, axis, slope, offset)
    rest = [place for place in range(1, part.rank) if place != axis]
    shape = (*(part.shape[place] for place in rest), lanes.count)
    diagonal = lanes.builder.emit("diagonal", [part], shape, part.dtype, offset=0, axes=(0, axis))
    return _to_front(lanes.builder, diagonal, diagonal.rank - 1)


def _to_front(builder: Builder, value: TensorValue, axis: int) -> TensorValue:
    return layout.permute(builder, value, [axis, *(place for place in range(value.rank) if place != axis)])


def _slice(lanes: Lanes, step: Step) -> TensorValue:
    """Consecutive blocks become a new axis of trips; a slice that is the same in all trips moves one axis on."""
    axis, builder = step.attrs["axis"], lanes.builder
    start, stop = step.attrs["start"], step.attrs["stop"]
    slope, offset = lanes.affine(start)
    source = step.operands[0]
    assert isinstance(source, Ref)
    if slope == ZERO and not lanes._mentions_trip(stop):
        return layout.cut(builder, lanes.tensor(source), axis + 1, start, stop, step.attrs["step"])
    length = stop - start
    if source.name in lanes.varying or length != slope or step.attrs["step"] != ONE:
        raise OperationError("the slices of the trips overlap, leave gaps or differ in extent")
    value = lanes.plain.value(source.name)
    part = layout.cut(builder, value, axis, offset, offset + length * lanes.count)
    shape = (*value.shape[:axis], lanes.count, length, *value.shape[axis + 1 :])
    return _to_front(builder, layout.reshape(builder, part, shape), axis)


def _creation(lanes: Lanes, step: Step) -> TensorValue:
    """`arange(start, stop)` with bounds that grow with the trip: one vector, moved on by each trip's start."""
    bounds = [operand for operand in step.operands if not isinstance(operand, Ref)]
    if step.op != "arange" or len(bounds) != 3:
        raise OperationError(f"{step.op} differs from trip to trip")
    start, _, by = bounds
    length = step.shape[0]
    stop = ScalarValue(Apply("*", (Extent(length), by)), int) if by != Constant(1) else extent(length)
    base = lanes.builder.emit("arange", [constant(0), stop, ScalarValue(by, int)], (length,), step.dtype)
    starts = layout.unsqueeze(lanes.builder, cast(lanes.builder, lanes.numbers(start), step.dtype), (1,))
    return elementwise(lanes.builder, "add", starts, base)


def _store(lanes: Lanes, step: Step) -> TensorValue:
    """A store at each trip's own place is one store at all places; into a trip's own tensor it moves one axis on."""
    if lanes._is_local(step):
        return _store_locally(lanes, step)
    base, stored = step.operands
    assert isinstance(base, Ref)
    if base.name in lanes.varying:
        raise OperationError("a store at a place that depends on the trip into a value that does too")
    items: list[Value] = []
    at, found = 0, False
    for part in step.attrs["region"]:
        if not lanes._mentions_trip(part):
            items.append(extent(part[0]) if len(part) == 1 else SliceValue(*map(extent, part)))
            at += len(part) > 1 and not found
            continue
        if found:
            raise OperationError("a store at a diagonal")
        found = True
        items.append(_places(lanes, part))
        block = len(part) > 1
    part_shape: Shape = step.attrs["part"]
    if isinstance(stored, Ref):
        value = fitted(lanes.builder, lanes.tensor(stored), lanes.with_trips(part_shape), step.dtype)
        order = [*range(1, at + 1), 0, *range(at + 1, value.rank)]
        value = layout.permute(lanes.builder, value, order)
        if block:
            merged = product(value.shape[at : at + 2])
            value = layout.reshape(lanes.builder, value, (*value.shape[:at], merged, *value.shape[at + 2 :]))
        return ops.store(lanes.builder, lanes.plain.value(base.name), items, value)
    if lanes._operand_varies(stored):
        raise OperationError("a number that depends on the trip is stored")
    return ops.store(lanes.builder, lanes.plain.value(base.name), items, ScalarValue(stored))


def _places(lanes: Lanes, part: tuple[Dim, ...]) -> SliceValue:
    slope, offset = lanes.affine(part[0])
    if len(part) == 1:
        last = offset + slope * (lanes.count - 1)
        return SliceValue(extent(offset), extent(last + 1), extent(slope))
    if part[1] - part[0] != slope or part[2] != ONE:
        raise OperationError("the stores of the trips overlap, leave gaps or differ in extent")
    return SliceValue(extent(offset), extent(offset + slope * lanes.count), extent(ONE))


def _store_locally(lanes: Lanes, step: Step) -> TensorValue:
    base, stored = step.operands
    region = ((ZERO, lanes.count, ONE), *step.attrs["region"])
    part = lanes.with_trips(step.attrs["part"])
    if isinstance(stored, Ref):
        value: Value = fitted(lanes.builder, lanes.tensor(stored), part, step.dtype)
    else:
        value = _plain(stored)
    items: list[Value] = [extent(p[0]) if len(p) == 1 else SliceValue(*map(extent, p)) for p in region]
    return ops.store(lanes.builder, lanes.tensor(base), items, value)


def _embedding(lanes: Lanes, step: Step) -> TensorValue:
    """The table is the same for all trips, the places are one axis longer."""
    table, places = step.operands
    if lanes._operand_varies(table) or not isinstance(table, Ref):
        raise OperationError("each trip looks up in a table of its own")
    return lanes.emit(step, [lanes.plain.value(table.name), lanes.tensor(places)])


_BY_KIND: dict[Kind, Callable[[Lanes, Step], TensorValue]] = {
    Kind.ELEMENTWISE: _elementwise,
    Kind.REDUCTION: _reduction,
    Kind.CONTRACTION: _contraction,
    Kind.SCAN: _along("axis"),
    Kind.ORDERING: _along("axis"),
    Kind.CREATION: _creation,
}
_BY_OP: dict[str, Callable[[Lanes, Step], TensorValue]] = {
    "clone": _along(),
    "reshape": _reshape,
    "permute": _permute,
    "unsqueeze": _along("axes"),
    "squeeze": _along("axes"),
    "expand": _expand,
    "slice": _slice,
    "select": _select,
    "cat": _along("axis"),
    "stack": _along("axis"),
    "flip": _along("axes"),
    "roll": _along("axes"),
    "repeat_interleave": _along("axis"),
    "diagonal": _along("axes"),
    "unfold": _along("axis"),
    "pad": _pad,
    "slice_store": _store,
    "gather": _along("axis"),
    "embedding": _embedding,
}
