"""Rows of layout operations: views, axes, joining, splitting."""

from __future__ import annotations

from collections.abc import Callable

from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim, Shape, product
from r0kit.golden.dtypes import BYTES
from r0kit.golden.ops.extents import count_of, from_start, nonnegative
from r0kit.golden.ops.layout import (
    cat,
    cut,
    expand,
    flatten,
    flip,
    permute,
    reshape,
    resolve_shape,
    select,
    squeeze,
    stack,
    transpose,
    unsqueeze,
)
from r0kit.golden.ops.row import Call, Operation, as_dtype, items_of, normal_axis, row
from r0kit.golden.values import DtypeValue, TensorValue, Value, sequence


def _reshape(call: Call) -> Value:
    value = call.tensor("input")
    return reshape(call.builder, value, resolve_shape(call.builder, value, call.extents("shape")))


def _view(call: Call) -> Value:
    """`view(shape)`, or `view(dtype)`, which reads the same bits as another dtype."""
    wanted = items_of(call["shape"])
    if len(wanted) == 1 and isinstance(wanted[0], DtypeValue):
        return _bitcast(call, as_dtype(wanted[0]))
    return _reshape(call)


def _bitcast(call: Call, dtype: str) -> TensorValue:
    value = call.tensor("input")
    old, new = BYTES[value.dtype], BYTES[dtype]
    if not value.rank and old != new:
        raise OperationError(f"a 0-d {value.dtype} cannot be viewed as {dtype}")
    shape = value.shape
    if old > new:
        shape = (*shape[:-1], shape[-1] * (old // new))
    elif old < new:
        shape = (*shape[:-1], call.builder.divides(shape[-1], Dim.of(new // old), "view(dtype)"))
    return call.builder.emit("bitcast", [value], shape, dtype)


def _like(call: Call) -> Value:
    """view_as and reshape_as."""
    value = call.tensor("input")
    return reshape(call.builder, value, resolve_shape(call.builder, value, call.tensor("other").shape))


def _flatten(call: Call) -> Value:
    value = call.tensor("input")
    return flatten(call.builder, value, call.axis("start_dim", value.rank), call.axis("end_dim", value.rank))


def _unflatten(call: Call) -> Value:
    builder, value = call.builder, call.tensor("input")
    axis, wanted = call.own_axis("dim", value.rank), call.extents("sizes")
    part = TensorValue(value.ref, (value.shape[axis],), value.dtype)
    pieces = resolve_shape(builder, part, wanted)
    return reshape(builder, value, (*value.shape[:axis], *pieces, *value.shape[axis + 1 :]))


def _transpose(call: Call) -> Value:
    return transpose(call.builder, call.tensor("input"), call.integer("dim0"), call.integer("dim1"))


def _t(call: Call) -> Value:
    value = call.tensor("input")
    if value.rank > 2:
        raise OperationError(f"t() takes at most 2 dimensions, not {value.rank}", "use transpose or mT")
    return transpose(call.builder, value, 0, 1) if value.rank == 2 else value


def _permute(call: Call) -> Value:
    return permute(call.builder, call.tensor("input"), call.integers("dims"))


def _movedim(call: Call) -> Value:
    value = call.tensor("input")
    source = [normal_axis(axis, value.rank) for axis in call.integers("source")]
    target = [normal_axis(axis, value.rank) for axis in call.integers("destination")]
    if not len(set(source)) == len(set(target)) == len(source) == len(target):
        raise OperationError(f"movedim moves axes to as many places, not {source} to {target}")
    order = [axis for axis in range(value.rank) if axis not in source]
    for place, axis in sorted(zip(target, source, strict=True)):
        order.insert(place, axis)
    return permute(call.builder, value, order)


def _unsqueeze(call: Call) -> Value:
    return unsqueeze(call.builder, call.tensor("input"), (call.integer("dim"),))


def _squeeze(call: Call) -> Value:
    value = call.tensor("input")
    return squeeze(call.builder, value, call.axes("dim", value.rank) if value.rank else ())


def _expand(call: Call) -> Value:
    return expand(call.builder, call.tensor("input"), call.extents("shape"))


def _expand_as(call: Call) -> Value:
    return expand(call.builder, call.tensor("input"), call.tensor("other").shape)


def _broadcast_tensors(call: Call) -> Value:
    values = call.tensors("tensors")
    shape = call.builder.broadcast(*(value.shape for value in values))
    return sequence(*(expand(call.builder, value, shape) for value in values))


def _cat(call: Call) -> Value:
    return cat(call.builder, call.tensors("tensors"), call.integer("dim"))


def _stack(call: Call) -> Value:
    return stack(call.builder, call.tensors("tensors"), call.integer("dim"))


def _stacked_on(axis: int) -> Callable[[Call], Value]:
    """vstack, hstack, dstack: cat along an axis, with axes added to lower ranks."""

    def rule(call: Call) -> Value:
        builder, values = call.builder, call.tensors("tensors")
        raised = [_at_least(call, value, 2 if axis == 0 else 3 if axis == 2 else 1) for value in values]
        along = 0 if axis == 1 and all(value.rank == 1 for value in raised) else axis
        return cat(builder, raised, along)

    return rule


def _at_least(call: Call, value: TensorValue, rank: int) -> TensorValue:
    """atleast_1d, _2d, _3d: where torch puts the new axes."""
    one = Dim.of(1)
    shapes: dict[int, Callable[[Shape], Shape]] = {
        1: lambda s: s or (one,),
        2: lambda s: s if len(s) > 1 else (one, *(s or (one,))),
        3: lambda s: s if len(s) > 2 else (*s, one) if len(s) == 2 else (one, *(s or (one,)), one),
    }
    return reshape(call.builder, value, shapes[rank](value.shape))


def _raised_to(rank: int) -> Callable[[Call], Value]:
    return lambda call: _at_least(call, call.tensor("input"), rank)


def _flip(call: Call) -> Value:
    return flip(call.builder, call.tensor("input"), call.integers("dims"))


def _flipped_on(axis: int) -> Callable[[Call], Value]:
    return lambda call: flip(call.builder, call.tensor("input"), (axis,))


def _roll(call: Call) -> Value:
    builder, value = call.builder, call.tensor("input")
    shifts = call.extents("shifts")
    if not call.given("dims"):
        flat = reshape(builder, value, (product(value.shape),))
        rolled = builder.emit("roll", [flat], flat.shape, flat.dtype, shifts=shifts, axes=(0,))
        return reshape(builder, rolled, value.shape)
    axes = tuple(normal_axis(axis, value.rank) for axis in call.integers("dims"))
    return builder.emit("roll", [value], value.shape, value.dtype, shifts=shifts, axes=axes)


def _select(call: Call) -> Value:
    value = call.tensor("input")
    axis = call.own_axis("dim", value.rank)
    index = from_start(call.builder, call.builder.extent(call["index"], "index"), value.shape[axis])
    return select(call.builder, value, axis, index)


def _narrow(call: Call) -> Value:
    builder, value = call.builder, call.tensor("input")
    axis = call.own_axis("dim", value.rank)
    start = from_start(builder, builder.extent(call["start"], "start"), value.shape[axis])
    return cut(builder, value, axis, start, start + builder.extent(call["length"], "length"))


def _unbind(call: Call) -> Value:
    builder, value = call.builder, call.tensor("input")
    axis = call.own_axis("dim", value.rank)
    count = count_of(builder, value.shape[axis], "number of slices of unbind")
    return sequence(*(select(builder, value, axis, Dim.of(place)) for place in range(count)))


def _repeat(call: Call) -> Value:
    """`repeat(*times)`; `tile` pads the times with ones on the left."""
    builder, value, times = call.builder, call.tensor("input"), call.extents("repeats")
    one = Dim.of(1)
    if len(times) < value.rank:
        if call.path.endswith("repeat"):
            raise OperationError("repeat needs a count for each dimension")
        times = (*(one,) * (value.rank - len(times)), *times)
    raised = (*(one,) * (len(times) - value.rank), *value.shape)
    value = reshape(builder, value, raised)
    shape = tuple(extent * count for extent, count in zip(raised, times, strict=True))
    if all(count == one for count in times):
        return value
    return builder.emit("repeat", [value], shape, value.dtype, repeats=times)


def _diagonal(call: Call) -> Value:
    value = call.tensor("input")
    return diagonal(call, value, call.integer("offset"), call.axis("dim1", value.rank), call.axis("dim2", value.rank))


def diagonal(call: Call, value: TensorValue, offset: int, first: int, second: int) -> TensorValue:
    """The diagonal of two axes, as the last axis."""
    rows, columns = value.shape[first], value.shape[second]
    rows, columns = (rows, columns - offset) if offset >= 0 else (rows + offset, columns)
    length = shorter(call, rows, columns)
    shape = (*(extent for axis, extent in enumerate(value.shape) if axis not in (first, second)), length)
    attrs = {"offset": offset, "axes": (first, second)}
    return call.builder.emit("diagonal", [value], shape, value.dtype, **attrs)


def shorter(call: Call, left: Dim, right: Dim) -> Dim:
    """The smaller of two extents, decided by algebra or by the first p0 case; of two unknown ones, taken to be equal."""
    fits = nonnegative(right - left)
    if fits is None:
        a, b = call.builder.known(left), call.builder.known(right)
        if a is None or b is None:
            return call.builder.same(left, right, "diagonal of a square")
        fits = a <= b
        message = f"the smaller of {left} and {right} is taken as in the first p0 case"
        call.builder.note("golden.assumed", message, "shapes that decide it otherwise need another contract")
    return left if fits else right


ROWS: list[Operation] = [
    row("reshape", "both.reshape", "(input, *shape)", _reshape),
    row("reshape", "T.view", "(input, *shape)", _view),
    row("reshape", "T.view_as T.reshape_as", "(input, other)", _like),
    row("flatten", "both.flatten", "(input, start_dim=0, end_dim=-1)", _flatten),
    row("ravel", "both.ravel", "(input, start_dim=0, end_dim=-1)", _flatten),
    row("unflatten", "both.unflatten", "(input, dim, sizes)", _unflatten),
    row(
        "transpose",
        "both.transpose both.swapaxes both.swapdims",
        "(input, dim0, dim1)",
        _transpose,
    ),
    row("transpose", "both.t", "(input)", _t),
    row("permute", "both.permute", "(input, *dims)", _permute),
    row("movedim", "both.movedim both.moveaxis", "(input, source, destination)", _movedim),
    row("unsqueeze", "both.unsqueeze", "(input, dim)", _unsqueeze),
    row("squeeze", "both.squeeze", "(input, dim=None)", _squeeze),
    row("expand", "T.expand both.broadcast_to", "(input, *shape)", _expand),
    row("expand", "T.expand_as", "(input, other)", _expand_as),
    row("broadcast_tensors", "torch.broadcast_tensors", "(*tensors)", _broadcast_tensors),
    row("cat", "torch.cat torch.concat torch.concatenate", "(tensors, dim=0)", _cat),
    row("stack", "torch.stack", "(tensors, dim=0)", _stack),
    row("vstack", "torch.vstack torch.row_stack", "(tensors)", _stacked_on(0)),
    row("hstack", "torch.hstack", "(tensors)", _stacked_on(1)),
    row("dstack", "torch.dstack", "(tensors)", _stacked_on(2)),
    *(row(f"atleast_{n}d", f"torch.atleast_{n}d", "(input)", _raised_to(n)) for n in (1, 2, 3)),
    row("flip", "both.flip", "(input, *dims)", _flip),
    row("flip", "both.fliplr", "(input)", _flipped_on(1)),
    row("flip", "both.flipud", "(input)", _flipped_on(0)),
    row("roll", "both.roll", "(input, shifts, dims=None)", _roll),
    row("select", "both.select", "(input, dim, index)", _select),
    row("narrow", "both.narrow both.narrow_copy", "(input, dim, start, length)", _narrow),
    row("unbind", "both.unbind", "(input, dim=0)", _unbind),
    row("repeat", "T.repeat both.tile", "(input, *repeats)", _repeat),
    row("diagonal", "both.diagonal linalg.diagonal", "(input, offset=0, dim1=0, dim2=1)", _diagonal),
]
