"""Layout Steps: emission with the shape rule of each. No data is computed, only moved."""

from __future__ import annotations

from collections.abc import Sequence

from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, Shape, product, shape_text
from r0kit.golden.ops.row import normal_axis
from r0kit.golden.values import TensorValue

ONE = Dim.of(1)
ZERO = Dim.of(0)


def reshape(builder: Builder, value: TensorValue, shape: Shape) -> TensorValue:
    """The value in `shape`, which has no -1 and as many elements."""
    if shape == value.shape:
        return value
    inserted = unit_axes(value.shape, shape)
    if inserted:
        return builder.emit("unsqueeze", [value], shape, value.dtype, axes=inserted)
    return builder.emit("reshape", [value], shape, value.dtype)


def unit_axes(old: Shape, new: Shape) -> tuple[int, ...]:
    """Axes of `new` that are inserted units, where `new` is `old` with units inserted; () otherwise."""
    axes: list[int] = []
    rest = list(old)
    for axis, extent in enumerate(new):
        if rest and extent == rest[0]:
            rest.pop(0)
        elif extent.const == 1:
            axes.append(axis)
        else:
            return ()
    return () if rest else tuple(axes)


def resolve_shape(builder: Builder, value: TensorValue, wanted: Shape) -> Shape:
    """`wanted` with its -1 solved; the number of elements must agree."""
    total = product(value.shape)
    unknown = [axis for axis, extent in enumerate(wanted) if extent.const == -1]
    if len(unknown) > 1:
        raise OperationError(f"only one extent of {shape_text(wanted)} can be -1")
    rest = product(extent for extent in wanted if extent.const != -1)
    if unknown:
        solved = builder.divides(total, rest, "reshape") if rest.const != 0 else ZERO
        return (*wanted[: unknown[0]], solved, *wanted[unknown[0] + 1 :])
    builder.same(total, rest, f"reshape of {shape_text(value.shape)} to {shape_text(wanted)}")
    return wanted


def permute(builder: Builder, value: TensorValue, order: Sequence[int]) -> TensorValue:
    """Axis `i` of the result is axis `order[i]` of the value."""
    axes = tuple(normal_axis(axis, value.rank) for axis in order)
    if sorted(axes) != list(range(value.rank)):
        raise OperationError(f"{tuple(order)} is not an order of the {value.rank} axes of {shape_text(value.shape)}")
    if axes == tuple(range(value.rank)):
        return value
    shape = tuple(value.shape[axis] for axis in axes)
    return builder.emit("permute", [value], shape, value.dtype, order=axes)


def transpose(builder: Builder, value: TensorValue, left: int, right: int) -> TensorValue:
    if not value.rank:
        return value
    order = list(range(value.rank))
    a, b = normal_axis(left, value.rank), normal_axis(right, value.rank)
    order[a], order[b] = b, a
    return permute(builder, value, order)


def unsqueeze(builder: Builder, value: TensorValue, axes: Sequence[int]) -> TensorValue:
    """Extents of 1 inserted; `axes` count in the result."""
    if not axes:
        return value
    rank = value.rank + len(axes)
    places = sorted(normal_axis(axis, rank) for axis in axes)
    rest = iter(value.shape)
    shape = tuple(ONE if axis in places else next(rest) for axis in range(rank))
    return builder.emit("unsqueeze", [value], shape, value.dtype, axes=tuple(places))


def squeeze(builder: Builder, value: TensorValue, axes: Sequence[int]) -> TensorValue:
    """Without those of `axes` that have extent 1."""
    dropped = tuple(axis for axis in sorted(axes if value.rank else ()) if _is_one(builder, value.shape[axis]))
    if not dropped:
        return value
    shape = tuple(extent for axis, extent in enumerate(value.shape) if axis not in dropped)
    return builder.emit("squeeze", [value], shape, value.dtype, axes=dropped)


def _is_one(builder: Builder, extent: Dim) -> bool:
    """Whether an extent is 1, by its form or else in the first p0 case, which is then assumed."""
    if extent.const is not None:
        return extent.const == 1
    if builder.known(extent) != 1:
        return False
    builder.require(extent, ONE, "squeeze: 1 in the first p0 case", assumed=True)
    return True


def expand(builder: Builder, value: TensorValue, shape: Shape) -> TensorValue:
    """Broadcast to `shape`, where -1 keeps an extent."""
    missing = len(shape) - value.rank
    if missing < 0:
        raise OperationError(f"cannot expand {shape_text(value.shape)} to {shape_text(shape)}: too few extents")
    old = (*(ONE,) * missing, *value.shape)
    wanted = tuple(kept if extent.const == -1 else extent for extent, kept in zip(shape, old, strict=True))
    result = tuple(
        new if have.const == 1 else builder.same(have, new, "expand") for have, new in zip(old, wanted, strict=True)
    )
    if result == value.shape:
        return value
    return builder.emit("expand", [value], result, value.dtype)


def select(builder: Builder, value: TensorValue, axis: int, index: Dim) -> TensorValue:
    """One place of an axis, which disappears; `index` counts from 0."""
    shape = value.shape[:axis] + value.shape[axis + 1 :]
    return builder.emit("select", [value], shape, value.dtype, axis=axis, index=index)


def cut(builder: Builder, value: TensorValue, axis: int, start: Dim, stop: Dim, step: Dim = ONE) -> TensorValue:
    """`start:stop:step` of an axis, bounds within the extent; the value itself where that is all of it."""
    if start == ZERO and stop == value.shape[axis] and step == ONE:
        return value
    extent = (stop - start).ceil_div(step) if step != ONE else stop - start
    shape = (*value.shape[:axis], extent, *value.shape[axis + 1 :])
    return builder.emit("slice", [value], shape, value.dtype, axis=axis, start=start, stop=stop, step=step)


def cat(builder: Builder, values: Sequence[TensorValue], axis: int) -> TensorValue:
    """Values one after another along an axis; torch skips old-style empty [0] tensors."""
    kept = [v for v in values if not (v.rank == 1 and v.shape[0].const == 0 and any(w.rank > 1 for w in values))]
    if not kept:
        raise OperationError("cat needs at least one tensor")
    axis = normal_axis(axis, kept[0].rank)
    shape = list(kept[0].shape)
    for other in kept[1:]:
        _joined_into(builder, shape, other.shape, axis)
    dtype = builder.promote(*kept)
    return kept[0] if len(kept) == 1 else builder.emit("cat", kept, tuple(shape), dtype, axis=axis)


def _joined_into(builder: Builder, shape: list[Dim], other: Shape, axis: int) -> None:
    if len(shape) != len(other):
        raise OperationError(f"cat of {shape_text(shape)} with {shape_text(other)}: different numbers of dimensions")
    for place, extent in enumerate(other):
        shape[place] = shape[place] + extent if place == axis else builder.same(shape[place], extent, "cat")


def stack(builder: Builder, values: Sequence[TensorValue], axis: int) -> TensorValue:
    """Values side by side along a new axis."""
    if not values:
        raise OperationError("stack needs at least one tensor")
    shape = list(values[0].shape)
    for other in values[1:]:
        if len(other.shape) != len(shape):
            raise OperationError(f"stack of {shape_text(shape)} with {shape_text(other.shape)}")
        shape = [builder.same(a, b, "stack") for a, b in zip(shape, other.shape, strict=True)]
    axis = normal_axis(axis, len(shape) + 1)
    dtype = builder.promote(*values)
    return builder.emit("stack", list(values), (*shape[:axis], Dim.of(len(values)), *shape[axis:]), dtype, axis=axis)


def flip(builder: Builder, value: TensorValue, axes: Sequence[int]) -> TensorValue:
    places = tuple(sorted(normal_axis(axis, value.rank) for axis in axes))
    return builder.emit("flip", [value], value.shape, value.dtype, axes=places) if places else value


def flatten(builder: Builder, value: TensorValue, start: int, end: int) -> TensorValue:
    """Axes `start` to `end` (both included, counted from 0) as one."""
    if not value.rank:
        return reshape(builder, value, (ONE,))
    merged = product(value.shape[start : end + 1])
    return reshape(builder, value, (*value.shape[:start], merged, *value.shape[end + 1 :]))
