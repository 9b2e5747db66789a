"""How each operation is emitted for all trips of a loop at once: the rules of `Lanes`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from r0kit.golden import ops
from r0kit.golden.attributes import Part, Point, Range
from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, product
from r0kit.golden.lift.lanes import Lanes
from r0kit.golden.lift.replay import as_item, fitted
from r0kit.golden.ops import layout
from r0kit.golden.ops.elementwise import cast, elementwise
from r0kit.golden.program import Kind, Operand, Ref, Step
from r0kit.golden.scalars import Apply, Constant, Extent
from r0kit.golden.values import ScalarValue, SliceValue, TensorValue, Value, constant, extent

ZERO, ONE = Dim.of(0), Dim.of(1)


def lanes_of(
    builder: Builder, trip: str, count: Dim, values: Mapping[str, TensorValue], gathering: frozenset[str]
) -> Lanes:
    """All trips of a loop at once, with the rules of this module."""
    return Lanes(builder, trip, count, values, gathering, _rule)


def _rule(step: Step) -> Callable[[Lanes, Step], TensorValue]:
    rule = _BY_OP.get(step.op) or _BY_KIND.get(step.kind)
    if rule is None:
        raise OperationError(f"{step.op} has no form for all trips at once")
    return rule


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
    varies = [lanes.operand_varies(operand) for operand in step.operands]
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
    if slope == ZERO and not lanes.mentions_trip(stop):
        return layout.cut(builder, lanes.tensor(source), axis + 1, start, stop, step.attrs["step"])
    length = stop - start
    if source.name in lanes.varying or lanes.mentions_trip(length) or step.attrs["step"] != ONE:
        raise OperationError("the slices of the trips differ in extent")
    value = lanes.plain.value(source.name)
    if length != slope:
        return _windows(lanes, value, axis, (slope, offset), length)
    lanes.divide(value.shape[axis], length)
    part = layout.cut(builder, value, axis, offset, (offset + length * lanes.count).assuming(builder.exact))
    shape = (*value.shape[:axis], lanes.count, length, *value.shape[axis + 1 :])
    return _to_front(builder, layout.reshape(builder, part, shape), axis)


def _windows(lanes: Lanes, value: TensorValue, axis: int, places: tuple[Dim, Dim], length: Dim) -> TensorValue:
    """Slices that overlap or leave gaps, as the windows of an axis."""
    (slope, offset), builder = places, lanes.builder
    if slope.const is not None and slope.const <= 0:
        raise OperationError("the slices of the trips run backwards")
    part = layout.cut(builder, value, axis, offset, offset + slope * (lanes.count - 1) + length)
    shape = (*value.shape[:axis], lanes.count, *value.shape[axis + 1 :], length)
    windows = builder.emit("unfold", [part], shape, value.dtype, axis=axis, size=length, step=slope)
    others = [place for place in range(value.rank) if place != axis]
    order = [axis, *others[:axis], value.rank, *others[axis:]]
    return layout.permute(builder, windows, order)


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
    if lanes.is_local(step):
        return _store_locally(lanes, step)
    base, stored = step.operands
    if not isinstance(base, Ref) or base.name in lanes.varying:
        raise OperationError("a store at a place that depends on the trip into a value that does too")
    region = step.attrs["region"]
    moving = [axis for axis, part in enumerate(region) if lanes.mentions_trip(part)]
    if len(moving) != 1:
        raise OperationError("a store at a diagonal")
    axis = moving[0]
    block = isinstance(region[axis], Range)
    if block:
        lanes.divide(step.shape[axis], region[axis].stop - region[axis].start)
    items = [as_item(part) for part in region]
    items[axis], falling = _places(lanes, region[axis])
    target = lanes.plain.value(base.name)
    if isinstance(stored, Ref):
        at = sum(isinstance(part, Range) for part in region[:axis])
        value = fitted(lanes.builder, lanes.tensor(stored), lanes.with_trips(step.attrs["part"]), step.dtype)
        return ops.store(lanes.builder, target, items, _lined_up(lanes, value, at, falling, block))
    if lanes.operand_varies(stored):
        raise OperationError("a number that depends on the trip is stored")
    return ops.store(lanes.builder, target, items, ScalarValue(stored))


def _lined_up(lanes: Lanes, value: TensorValue, at: int, falling: bool, block: bool) -> TensorValue:
    """What the trips store with the trips along axis `at`: the last trip first where they fall, blocks in one line."""
    value = layout.permute(lanes.builder, value, [*range(1, at + 1), 0, *range(at + 1, value.rank)])
    if falling:
        value = layout.flip(lanes.builder, value, (at,))
    if not block:
        return value
    merged = product(value.shape[at : at + 2])
    return layout.reshape(lanes.builder, value, (*value.shape[:at], merged, *value.shape[at + 2 :]))


def _places(lanes: Lanes, part: Part) -> tuple[SliceValue, bool]:
    """Where the trips store, and whether later trips store further in front."""
    slope, offset = lanes.affine(part[0])
    if isinstance(part, Point):
        last = offset + slope * (lanes.count - 1)
        if slope.const is not None and slope.const < 0:
            return SliceValue(extent(last), extent(offset + 1), extent(-slope)), True
        return SliceValue(extent(offset), extent(last + 1), extent(slope)), False
    if part.stop - part.start != slope or part.step != ONE:
        raise OperationError("the stores of the trips overlap, leave gaps or differ in extent")
    stop = (offset + slope * lanes.count).assuming(lanes.builder.exact)
    return SliceValue(extent(offset), extent(stop), extent(ONE)), False


def _store_locally(lanes: Lanes, step: Step) -> TensorValue:
    base, stored = step.operands
    region = (Range(ZERO, lanes.count, ONE), *step.attrs["region"])
    part = lanes.with_trips(step.attrs["part"])
    if isinstance(stored, Ref):
        value: Value = fitted(lanes.builder, lanes.tensor(stored), part, step.dtype)
    else:
        value = _plain(stored)
    return ops.store(lanes.builder, lanes.tensor(base), [as_item(part) for part in region], value)


def _index(lanes: Lanes, step: Step) -> TensorValue:
    """Index tensors one axis longer look up in the same tensor; where they stood, the trips come first."""
    source, *places = step.operands
    if step.op == "index_select":
        axes, at, count = (step.attrs["axis"],), step.attrs["axis"], 1
    else:
        axes, at, count = step.attrs["axes"], step.attrs["at"], step.attrs["count"]
    if lanes.operand_varies(source) or not isinstance(source, Ref):
        raise OperationError("each trip looks up in a tensor of its own")
    value = lanes.plain.value(source.name)
    indices = [lanes.operand(place, count) for place in places]
    shape = (*step.shape[:at], lanes.count, *step.shape[at:])
    attrs = {"axes": axes, "at": at, "count": count + 1}
    found = lanes.builder.emit("index", [value, *indices], shape, step.dtype, **attrs)
    return _to_front(lanes.builder, found, at)


def _embedding(lanes: Lanes, step: Step) -> TensorValue:
    """The table is the same for all trips, the places are one axis longer."""
    table, places = step.operands
    if lanes.operand_varies(table) or not isinstance(table, Ref):
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
    "index": _index,
    "index_select": _index,
}
