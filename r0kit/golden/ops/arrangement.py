"""Layout operations beyond views: padding, repeating, windows as axes, diagonals, grids, pixel shuffles."""

from __future__ import annotations

from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim, product, shape_text
from r0kit.golden.ops.elementwise import elementwise
from r0kit.golden.ops.layout import ONE, ZERO, cat, expand, flip, permute, reshape, squeeze, transpose, unsqueeze
from r0kit.golden.ops.layout_rows import diagonal
from r0kit.golden.ops.reduction import reduce
from r0kit.golden.ops.row import Call, Operation, normal_axis, row
from r0kit.golden.ops.windows import per_axis, windows_of
from r0kit.golden.values import ScalarValue, TensorValue, Value, constant, is_none, sequence


def _pad(call: Call) -> Value:
    """F.pad: pairs (before, after) from the last axis on; a negative pad cuts."""
    value, pads = call.tensor("input"), call.extents("pad")
    if len(pads) % 2 or len(pads) > 2 * value.rank:
        raise OperationError(f"pad of {shape_text(pads)} for {value.rank} dimensions")
    pairs = [(pads[place], pads[place + 1]) for place in range(0, len(pads), 2)][::-1]
    lead = value.rank - len(pairs)
    full = ((ZERO, ZERO),) * lead + tuple(pairs)
    mode = call.word("mode")
    return pad(call, value, full, mode, constant(0) if is_none(call["value"]) else call["value"])


def pad(call: Call, value: TensorValue, pads: tuple[tuple[Dim, Dim], ...], mode: str, filling: Value) -> TensorValue:
    """Values around a tensor; `pads` has one (before, after) per axis."""
    if all(pair == (ZERO, ZERO) for pair in pads):
        return value
    shape = tuple(extent + before + after for extent, (before, after) in zip(value.shape, pads, strict=True))
    operands = [value, filling] if mode == "constant" else [value]
    axes = tuple(axis for axis, pair in enumerate(pads) if pair != (ZERO, ZERO))
    return call.builder.emit("pad", operands, shape, value.dtype, pads=pads, mode=mode, axes=axes)


def _pad_sides(call: Call) -> Value:
    """The padding layers: one number for every side, or pairs from the last axis on."""
    value, count = call.tensor("input"), call.integer("count")
    pads = call.extents("padding")
    pads = pads * (2 * count) if len(pads) == 1 else pads
    pairs = [(pads[place], pads[place + 1]) for place in range(0, len(pads), 2)][::-1]
    full = ((ZERO, ZERO),) * (value.rank - count) + tuple(pairs)
    return pad(call, value, full, call.word("mode"), call["value"])


def _repeat_interleave(call: Call) -> Value:
    """Each element `repeats` times in place; counts from a tensor make a data-dependent extent."""
    builder, value = call.builder, call.tensor("input")
    if not call.given("dim"):
        value = reshape(builder, value, (product(value.shape),))
    axis = call.own_axis("dim", value.rank) if call.given("dim") else 0
    repeats = call["repeats"]
    if isinstance(repeats, ScalarValue):
        times = builder.extent(repeats, "repeats")
        shape = (*value.shape[:axis], value.shape[axis] * times, *value.shape[axis + 1 :])
        return builder.emit("repeat_interleave", [value], shape, value.dtype, axis=axis, repeats=times)
    if not isinstance(repeats, TensorValue):
        raise OperationError("repeats of repeat_interleave is a number or a tensor")
    size = call["output_size"]
    total = builder.fresh("L", "sum of repeats") if is_none(size) else builder.extent(size, "output_size")
    shape = (*value.shape[:axis], total, *value.shape[axis + 1 :])
    return builder.emit("repeat_rows", [value, repeats], shape, value.dtype, axis=axis)


def _unfold_method(call: Call) -> Value:
    """Windows of one axis, the window as a new last axis."""
    value = call.tensor("input")
    axis = call.own_axis("dimension", value.rank)
    size, step = call.builder.extent(call["size"], "size"), call.builder.extent(call["step"], "step")
    count = (value.shape[axis] - size) // step + 1
    shape = (*value.shape[:axis], count, *value.shape[axis + 1 :], size)
    return call.builder.emit("unfold", [value], shape, value.dtype, axis=axis, size=size, step=step)


def _im2col(call: Call) -> Value:
    """F.unfold: `[B, C, H, W]` to `[B, C * kh * kw, L]`."""
    builder, value = call.builder, call.tensor("input")
    batched = value if value.rank == 4 else unsqueeze(builder, value, (0,))
    windows = windows_of(call, per_axis(call, "kernel_size", 2))
    spread = product(w.output(builder, e) for w, e in zip(windows, batched.shape[2:], strict=True))
    columns = batched.shape[1] * product(w.kernel for w in windows)
    records = tuple(w.record for w in windows)
    shape = (batched.shape[0], columns, spread)
    result = builder.emit("im2col", [batched], shape, value.dtype, windows=records)
    return result if value.rank == 4 else squeeze(builder, result, (0,))


def _col2im(call: Call) -> Value:
    """F.fold: the sum of overlapping windows, `[B, C * kh * kw, L]` to `[B, C, H, W]`."""
    builder, value = call.builder, call.tensor("input")
    batched = value if value.rank == 3 else unsqueeze(builder, value, (0,))
    windows = windows_of(call, per_axis(call, "kernel_size", 2))
    size = per_axis(call, "output_size", 2)
    channels = builder.divides(batched.shape[1], product(w.kernel for w in windows), "fold")
    records = tuple(w.record for w in windows)
    result = builder.emit("col2im", [batched], (batched.shape[0], channels, *size), value.dtype, windows=records)
    return result if value.rank == 3 else squeeze(builder, result, (0,))


def _meshgrid(call: Call) -> Value:
    """Coordinates of a grid: each vector along its own axis, expanded over the others."""
    builder, vectors = call.builder, call.tensors("tensors")
    swap = call.given("indexing") and call.word("indexing") == "xy" and len(vectors) > 1
    axes = list(range(len(vectors)))
    if swap:
        axes[0], axes[1] = 1, 0
    extents = [ONE] * len(vectors)
    for axis, vector in zip(axes, vectors, strict=True):
        extents[axis] = product(vector.shape)
    grids = []
    for axis, vector in zip(axes, vectors, strict=True):
        lined = tuple(extents[axis] if place == axis else ONE for place in range(len(vectors)))
        grids.append(expand(builder, reshape(builder, vector, lined), tuple(extents)))
    return sequence(*grids)


def _cartesian_prod(call: Call) -> Value:
    builder, vectors = call.builder, call.tensors("tensors")
    with builder.composite("cartesian_prod"):
        extents = tuple(vector.shape[0] for vector in vectors)
        total = product(extents)
        columns = []
        for axis, vector in enumerate(vectors):
            lined = tuple(extents[axis] if place == axis else ONE for place in range(len(vectors)))
            grid = expand(builder, reshape(builder, vector, lined), extents)
            columns.append(reshape(builder, grid, (total, ONE)))
        return cat(builder, columns, 1) if len(columns) > 1 else vectors[0]


# Diagonals


def _diag_embed(call: Call) -> Value:
    value = call.tensor("input")
    rank = value.rank + 1
    axes = normal_axis(call.integer("dim1"), rank), normal_axis(call.integer("dim2"), rank)
    if axes[0] == axes[1]:
        raise OperationError(f"diag_embed puts the diagonal into two axes, not twice into axis {axes[0]}")
    return _embedded(call, value, call.integer("offset"), axes)


def _embedded(call: Call, value: TensorValue, offset: int, axes: tuple[int, int]) -> TensorValue:
    if not value.rank:
        raise OperationError("a diagonal is made from a vector, and a 0-d tensor is none")
    size = value.shape[-1] + abs(offset)
    rest = iter(value.shape[:-1])
    shape = tuple(size if axis in axes else next(rest) for axis in range(value.rank + 1))
    return call.builder.emit("diag_embed", [value], shape, value.dtype, offset=offset, axes=axes)


def _diag(call: Call) -> Value:
    """A vector on the diagonal of a matrix, or the diagonal of a matrix."""
    value, offset = call.tensor("input"), call.integer("diagonal")
    if value.rank == 1:
        return _embedded(call, value, offset, (0, 1))
    if value.rank != 2:
        raise OperationError(f"diag takes a vector or a matrix, not {shape_text(value.shape)}")
    return diagonal(call, value, offset, 0, 1)


def _trace(call: Call) -> Value:
    value = call.tensor("input")
    with call.builder.composite("trace"):
        return reduce(call.builder, "sum", diagonal(call, value, 0, 0, 1), (0,))


def _block_diag(call: Call) -> Value:
    """Matrices one below the other, each padded to all the columns."""
    builder, matrices = call.builder, call.tensors("tensors")
    raised = [reshape(builder, m, (*(ONE,) * (2 - m.rank), *m.shape)) for m in matrices]
    total = sum((m.shape[1] for m in raised), ZERO)
    with builder.composite("block_diag"):
        left, rows = ZERO, []
        for matrix in raised:
            right = total - left - matrix.shape[1]
            rows.append(pad(call, matrix, ((ZERO, ZERO), (left, right)), "constant", constant(0)))
            left = left + matrix.shape[1]
        return cat(builder, rows, 0)


def _kron(call: Call) -> Value:
    """`a[i] * b[j]` at `i * extent(b) + j` on every axis."""
    builder, left, right = call.builder, call.tensor("input"), call.tensor("other")
    rank = max(left.rank, right.rank)
    a = reshape(builder, left, (*(ONE,) * (rank - left.rank), *left.shape))
    b = reshape(builder, right, (*(ONE,) * (rank - right.rank), *right.shape))
    with builder.composite("kron"):
        spread = reshape(builder, a, tuple(extent for e in a.shape for extent in (e, ONE)))
        other = reshape(builder, b, tuple(extent for e in b.shape for extent in (ONE, e)))
        product_ = elementwise(builder, "mul", spread, other)
        return reshape(builder, product_, tuple(x * y for x, y in zip(a.shape, b.shape, strict=True)))


def _rot90(call: Call) -> Value:
    builder, value = call.builder, call.tensor("input")
    turns, axes = call.integer("k") % 4, call.integers("dims")
    if len(axes) != 2:
        raise OperationError(f"rot90 turns two axes, not {len(axes)}")
    first, second = axes
    if turns == 2:
        return flip(builder, value, (first, second))
    if turns == 0:
        return value
    if turns == 1:
        return transpose(builder, flip(builder, value, (second,)), first, second)
    return flip(builder, transpose(builder, value, first, second), (second,))


# Pixels


def _pixel_shuffle(call: Call) -> Value:
    """`[.., C * r * r, H, W]` to `[.., C, H * r, W * r]`."""
    builder, value = call.builder, call.tensor("input")
    r = builder.extent(call["upscale_factor"], "upscale_factor")
    *lead, channels, height, width = value.shape
    count = builder.divides(channels, r * r, "pixel_shuffle")
    n = len(lead)
    split = reshape(builder, value, (*lead, count, r, r, height, width))
    order = [*range(n), n, n + 3, n + 1, n + 4, n + 2]
    return reshape(builder, permute(builder, split, order), (*lead, count, height * r, width * r))


def _pixel_unshuffle(call: Call) -> Value:
    builder, value = call.builder, call.tensor("input")
    r = builder.extent(call["downscale_factor"], "downscale_factor")
    *lead, channels, height, width = value.shape
    rows, columns = (builder.divides(extent, r, "pixel_unshuffle") for extent in (height, width))
    n = len(lead)
    split = reshape(builder, value, (*lead, channels, rows, r, columns, r))
    order = [*range(n), n, n + 2, n + 4, n + 1, n + 3]
    return reshape(builder, permute(builder, split, order), (*lead, channels * r * r, rows, columns))


def _channel_shuffle(call: Call) -> Value:
    builder, value = call.builder, call.tensor("input")
    groups = builder.extent(call["groups"], "groups")
    size = builder.divides(value.shape[1], groups, "channel_shuffle")
    split = reshape(builder, value, (value.shape[0], groups, size, *value.shape[2:]))
    return reshape(builder, transpose(builder, split, 1, 2), value.shape)


ROWS: list[Operation] = [
    row("pad", "F.pad", "(input, pad, mode='constant', value=None)", _pad),
    row("pad", "r0kit.pad_sides", "(input, padding, mode, value, count)", _pad_sides),
    row(
        "repeat_interleave",
        "both.repeat_interleave",
        "(input, repeats, dim=None, *, output_size=None)",
        _repeat_interleave,
    ),
    row("unfold", "T.unfold", "(input, dimension, size, step)", _unfold_method),
    row("im2col", "F.unfold", "(input, kernel_size, dilation=1, padding=0, stride=1)", _im2col),
    row("col2im", "F.fold", "(input, output_size, kernel_size, dilation=1, padding=0, stride=1)", _col2im),
    row("meshgrid", "torch.meshgrid", "(*tensors, indexing=None)", _meshgrid),
    row("cartesian_prod", "torch.cartesian_prod", "(*tensors)", _cartesian_prod),
    row("diag_embed", "both.diag_embed", "(input, offset=0, dim1=-2, dim2=-1)", _diag_embed),
    row("diag", "both.diag", "(input, diagonal=0)", _diag),
    row("trace", "both.trace", "(input)", _trace),
    row("block_diag", "torch.block_diag", "(*tensors)", _block_diag),
    row("kron", "both.kron", "(input, other)", _kron),
    row("rot90", "both.rot90", "(input, k=1, dims=(0, 1))", _rot90),
    row("pixel_shuffle", "F.pixel_shuffle torch.pixel_shuffle", "(input, upscale_factor)", _pixel_shuffle),
    row("pixel_unshuffle", "F.pixel_unshuffle torch.pixel_unshuffle", "(input, downscale_factor)", _pixel_unshuffle),
    row("channel_shuffle", "F.channel_shuffle torch.channel_shuffle", "(input, groups)", _channel_shuffle),
]
