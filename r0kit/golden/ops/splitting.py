"""Operations that cut one tensor into several: split, chunk, tensor_split, and what is built on them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, shape_text
from r0kit.golden.ops.extents import at_least_zero, count_of, evenly, spelled_out
from r0kit.golden.ops.layout import ZERO, cut
from r0kit.golden.ops.row import Call, Operation, row
from r0kit.golden.values import ScalarValue, SequenceValue, TensorValue, Value, sequence


def pieces(builder: Builder, value: TensorValue, axis: int, sizes: Sequence[Dim]) -> SequenceValue:
    """Consecutive slices of `sizes` along an axis."""
    start, cuts = ZERO, []
    for size in sizes:
        cuts.append(cut(builder, value, axis, start, start + size))
        start = start + size
    return sequence(*cuts)


def _split(call: Call) -> Value:
    builder, value = call.builder, call.tensor("input")
    axis, wanted = call.own_axis("dim", value.rank), call["split_size"]
    extent = value.shape[axis]
    if not isinstance(wanted, ScalarValue):
        sizes = list(call.extents("split_size"))
        builder.same(sum(sizes, ZERO), extent, "split")
        return pieces(builder, value, axis, sizes)
    return pieces(builder, value, axis, _of_size(builder, extent, builder.extent(wanted, "split_size")))


def _of_size(builder: Builder, extent: Dim, size: Dim) -> list[Dim]:
    """As many pieces of `size` as fit, and what is left."""
    even = evenly(builder, extent, size, "split")
    count = count_of(builder, extent.ceil_div(size) if even is None else even, "number of pieces of a split")
    if even is not None:
        return [size] * count
    return [*[size] * (count - 1), extent - size * (count - 1)]


def _number(call: Call, name: str) -> int:
    """How many pieces a call asks for."""
    count = call.integer(name)
    if count < 1:
        raise OperationError(f"a tensor is cut into one piece or more, not into {count}")
    return spelled_out(count, "number of pieces")


def _chunk(call: Call) -> Value:
    """At most `chunks` pieces of `ceil(extent / chunks)`; the last one may be shorter."""
    builder, value = call.builder, call.tensor("input")
    axis, count = call.own_axis("dim", value.rank), _number(call, "chunks")
    extent = value.shape[axis]
    even = evenly(builder, extent, Dim.of(count), "chunk")
    if even is not None:
        return pieces(builder, value, axis, [even] * count)
    return pieces(builder, value, axis, _of_size(builder, extent, extent.ceil_div(count)))


def _tensor_split(call: Call) -> Value:
    builder, value = call.builder, call.tensor("input")
    axis, wanted = call.own_axis("dim", value.rank), call["indices_or_sections"]
    return _sections(builder, value, axis, wanted, call)


def _sections(builder: Builder, value: TensorValue, axis: int, wanted: Value, call: Call) -> Value:
    extent = value.shape[axis]
    if isinstance(wanted, ScalarValue):
        count = _number(call, "indices_or_sections")
        even = evenly(builder, extent, Dim.of(count), "tensor_split")
        if even is not None:
            return pieces(builder, value, axis, [even] * count)
        rest = builder.known(extent % count) or 0
        return pieces(builder, value, axis, [extent // count + int(place < rest) for place in range(count)])
    bounds = [ZERO, *call.extents("indices_or_sections"), extent]
    bounds = [bound if at_least_zero(builder, bound) else extent + bound for bound in bounds]
    return pieces(builder, value, axis, [b - a for a, b in pairwise(bounds)])


def _on_axis(axis: int) -> Operation:
    """hsplit, vsplit, dsplit."""
    name = {0: "vsplit", 1: "hsplit", 2: "dsplit"}[axis]

    def rule(call: Call) -> Value:
        value = call.tensor("input")
        along = 0 if axis == 1 and value.rank == 1 else axis
        if value.rank <= along:
            raise OperationError(f"{name} of {shape_text(value.shape)}, which has too few axes")
        return _sections(call.builder, value, along, call["indices_or_sections"], call)

    return row(name, f"both.{name}", "(input, indices_or_sections)", rule)


ROWS: list[Operation] = [
    row("split", "both.split", "(input, split_size, dim=0)", _split),
    row("split", "both.split_with_sizes", "(input, split_size, dim=0)", _split),
    row("chunk", "both.chunk", "(input, chunks, dim=0)", _chunk),
    row("tensor_split", "both.tensor_split", "(input, indices_or_sections, dim=0)", _tensor_split),
    *(_on_axis(axis) for axis in (0, 1, 2)),
]
