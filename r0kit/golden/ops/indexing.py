"""`x[...]` read and written: ints, slices, None, Ellipsis, index tensors, bool masks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from r0kit.golden.attributes import Part, Point, Range, Region
from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, Shape, shape_text
from r0kit.golden.dtypes import BOOL, category
from r0kit.golden.ops.elementwise import cast, elementwise
from r0kit.golden.ops.extents import clamped, from_start
from r0kit.golden.ops.layout import ONE, ZERO, cut, expand, reshape, select, unsqueeze
from r0kit.golden.ops.row import items_of, kind_of
from r0kit.golden.values import EllipsisValue, ScalarValue, SequenceValue, SliceValue, TensorValue, Value, is_none


@dataclass(frozen=True, slots=True)
class Lookup:
    """An index tensor on one axis, or a mask on as many axes as it has."""

    tensor: TensorValue

    @property
    def axes(self) -> int:
        return self.tensor.rank if self.tensor.dtype == BOOL else 1


class NewAxis:
    """An extent of 1 that the index inserts."""


Item = Range | Point | Lookup | NewAxis


def index(builder: Builder, tensor: TensorValue, items: Sequence[Value]) -> TensorValue:
    """The value of `tensor[items]`."""
    parsed = parse_items(builder, tensor, items)
    value, lookups = _basic(builder, tensor, parsed)
    return _advanced(builder, value, lookups) if lookups else value


def store(builder: Builder, tensor: TensorValue, items: Sequence[Value], value: Value) -> TensorValue:
    """The new value of `tensor` after `tensor[items] = value`."""
    parsed = [item for item in parse_items(builder, tensor, items) if not isinstance(item, NewAxis)]
    inserted = [item for item in items if is_none(item)]
    if inserted:
        raise OperationError("a store through None in the index", "store with the plain index")
    region = _region(tensor, parsed)
    source: Value = value
    if any(isinstance(item, Lookup) for item in parsed):
        part, lookups = _basic(builder, tensor, parsed)
        source = put(builder, part, lookups, value)
    return _store_region(builder, tensor, region, source)


# Reading the items


def parse_items(builder: Builder, tensor: TensorValue, items: Sequence[Value]) -> list[Item]:
    """One entry per axis of the tensor (masks cover several), and new axes, in order."""
    if len(items) == 1 and isinstance(items[0], SequenceValue) and not items[0].is_list:
        items = items[0].items
    plain = [_as_index(builder, item) for item in items]
    used = sum(_axes_of(item) for item in plain)
    if used > tensor.rank:
        raise OperationError(f"too many indices for {shape_text(tensor.shape)}")
    gap = [SliceValue(None, None, None)] * (tensor.rank - used)
    places = [place for place, item in enumerate(plain) if isinstance(item, EllipsisValue)]
    at = places[0] if places else len(plain)
    full = [*plain[:at], *gap, *plain[at + bool(places) :]]
    return _per_axis(builder, tensor, full)


def _as_index(builder: Builder, item: Value) -> Value:
    """Lists of numbers become an index tensor."""
    if isinstance(item, SequenceValue):
        return _index_tensor(builder, item)
    return item


def _index_tensor(builder: Builder, item: SequenceValue) -> TensorValue:
    values = tuple(builder.fold(entry, "an index") for entry in items_of(item))
    dtype = BOOL if values and all(isinstance(v, bool) for v in values) else "int64"
    return builder.emit("tensor", [], (Dim.of(len(values)),), dtype, data=values)


def _axes_of(item: Value) -> int:
    if isinstance(item, TensorValue):
        return Lookup(item).axes
    return 0 if is_none(item) or isinstance(item, EllipsisValue) else 1


def _per_axis(builder: Builder, tensor: TensorValue, items: Sequence[Value]) -> list[Item]:
    result: list[Item] = []
    axis = 0
    for item in items:
        result.append(_item(builder, item, tensor.shape, axis))
        axis += _axes_of(item)
    return result


def _item(builder: Builder, item: Value, shape: Shape, axis: int) -> Item:
    if is_none(item):
        return NewAxis()
    if isinstance(item, TensorValue):
        return _lookup(builder, item, shape, axis)
    if isinstance(item, SliceValue):
        return _range(builder, item, shape[axis])
    if isinstance(item, ScalarValue):
        return Point(from_start(builder, builder.extent(item, "an index"), shape[axis]))
    raise OperationError(f"a {kind_of(item)} as an index")


def _lookup(builder: Builder, item: TensorValue, shape: Shape, axis: int) -> Lookup:
    if category(item.dtype) > 1:
        raise OperationError(f"an index tensor of dtype {item.dtype}", "index with integers or a bool mask")
    if item.dtype == BOOL:
        for place, extent in enumerate(item.shape):
            builder.same(extent, shape[axis + place], "bool mask")
    return Lookup(item)


def _range(builder: Builder, item: SliceValue, extent: Dim) -> Range:
    step = ONE if item.step is None or is_none(item.step) else builder.extent(item.step, "a slice step")
    if step.const is not None and step.const <= 0:
        raise OperationError("torch slices need a positive step", "use flip")
    start = ZERO if item.start is None or is_none(item.start) else builder.extent(item.start, "a slice bound")
    stop = extent if item.stop is None or is_none(item.stop) else builder.extent(item.stop, "a slice bound")
    return Range(clamped(builder, start, extent), clamped(builder, stop, extent), step)


# Reading


def _basic(
    builder: Builder, tensor: TensorValue, items: Sequence[Item]
) -> tuple[TensorValue, list[tuple[int, TensorValue]]]:
    """The value after ints, slices and None, with the index tensors still to apply: (axis of that value, tensor)."""
    value, axis = tensor, 0
    lookups: list[tuple[int, TensorValue]] = []
    added: list[int] = []
    place = 0
    for item in items:
        if isinstance(item, NewAxis):
            added.append(place)
        elif isinstance(item, Point):
            value = select(builder, value, axis, item.at)
            continue
        elif isinstance(item, Range):
            value = cut(builder, value, axis, item.start, item.stop, item.step)
            axis += 1
        else:
            lookups.append((place, item.tensor))
            axis += item.axes
        place += item.axes if isinstance(item, Lookup) else 1
    return unsqueeze(builder, value, added) if added else value, lookups


def _advanced(builder: Builder, value: TensorValue, lookups: Sequence[tuple[int, TensorValue]]) -> TensorValue:
    """Index tensors broadcast together; the result's axes stand at the first of them, or in front where they are apart."""
    extents, axes = _lookup_extents(builder, lookups)
    rest = [axis for axis in range(value.rank) if axis not in axes]
    adjacent = axes == list(range(axes[0], axes[0] + len(axes)))
    at = sum(axis < axes[0] for axis in rest) if adjacent else 0
    kept = [value.shape[axis] for axis in rest]
    shape = (*kept[:at], *extents, *kept[at:])
    tensors = [tensor for _, tensor in lookups]
    op = "index_mask" if any(tensor.dtype == BOOL for tensor in tensors) else "index"
    places = tuple(place for place, _ in lookups)
    return builder.emit(op, [value, *tensors], shape, value.dtype, axes=places, at=at, count=len(extents))


def _lookup_extents(builder: Builder, lookups: Sequence[tuple[int, TensorValue]]) -> tuple[Shape, list[int]]:
    """Extents that the index tensors give together, and the axes that they take."""
    shapes: list[Shape] = []
    axes: list[int] = []
    for place, tensor in lookups:
        mask = tensor.dtype == BOOL
        shapes.append((builder.fresh("L", "places where a mask is true"),) if mask else tensor.shape)
        axes += range(place, place + (tensor.rank if mask else 1))
    return builder.broadcast(*shapes), axes


# Writing


def _region(tensor: TensorValue, items: Sequence[Item]) -> Region:
    """One Range or Point per axis; an axis with an index tensor is taken whole."""
    region: list[Part] = []
    for item in items:
        if isinstance(item, Lookup):
            first = len(region)
            region += [Range(ZERO, extent, ONE) for extent in tensor.shape[first : first + item.axes]]
        elif not isinstance(item, NewAxis):
            region.append(item)
    return tuple(region)


def _store_region(builder: Builder, tensor: TensorValue, region: Region, value: Value) -> TensorValue:
    shape = tuple(part.extent for part in region if isinstance(part, Range))
    whole = [Range(ZERO, extent, ONE) for extent in tensor.shape] == list(region)
    if isinstance(value, ScalarValue):
        if whole:
            return elementwise(builder, "full_like", tensor, value, dtype=tensor.dtype)
        return _slice_store(builder, tensor, region, value, shape)
    if not isinstance(value, TensorValue):
        raise OperationError(f"a {kind_of(value)} stored into a tensor")
    source = cast(builder, value, tensor.dtype)
    leading = source.rank - len(shape)
    if leading > 0 and all(extent == ONE for extent in source.shape[:leading]):
        source = reshape(builder, source, source.shape[leading:])
    source = expand(builder, source, shape)
    return source if whole else _slice_store(builder, tensor, region, source, shape)


def _slice_store(builder: Builder, tensor: TensorValue, region: Region, value: Value, shape: Shape) -> TensorValue:
    """attrs: `region`, a Range or a Point for each axis; `part`, the shape of what is stored."""
    return builder.emit("slice_store", [tensor, value], tensor.shape, tensor.dtype, region=region, part=shape)


def put(
    builder: Builder,
    value: TensorValue,
    lookups: Sequence[tuple[int, TensorValue]],
    stored: Value,
    accumulate: bool = False,
) -> TensorValue:
    """`value[..., tensors, ...] = stored` where the tensors stand on the axes that `lookups` names."""
    if isinstance(stored, TensorValue):
        stored = cast(builder, stored, value.dtype)
    if any(tensor.dtype == BOOL for _, tensor in lookups):
        if len(lookups) > 1 or accumulate:
            raise OperationError("a store through a mask and another index tensor", "store in two steps")
        place, mask = lookups[0]
        trailing = value.rank - place - mask.rank
        return masked_put(builder, value, reshape(builder, mask, (*mask.shape, *(ONE,) * trailing)), stored)
    places = tuple(place for place, _ in lookups)
    operands = [value, stored, *(tensor for _, tensor in lookups)]
    return builder.emit("index_put", operands, value.shape, value.dtype, axes=places, accumulate=accumulate)


def masked_put(builder: Builder, value: TensorValue, mask: TensorValue, stored: Value) -> TensorValue:
    """The stored number where the mask is true, or the stored values one after another."""
    if isinstance(stored, TensorValue) and stored.rank:
        return builder.emit("masked_scatter", [value, mask, stored], value.shape, value.dtype)
    return elementwise(builder, "masked_fill", value, mask, stored, dtype=value.dtype)
