"""Items that are stretches of an axis, or what a loop has put into a list: known by formula."""

from __future__ import annotations

from r0kit.golden import ops
from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim
from r0kit.golden.evaluate.run import Run
from r0kit.golden.scalars import Constant, Extent, Scalar
from r0kit.golden.values import (
    PiecesValue,
    ScalarValue,
    SequenceValue,
    SliceValue,
    TensorValue,
    TripsValue,
    Value,
    extent,
)


def has_pieces(value: Value) -> bool:
    """Whether it is a list that a loop has filled. Asked at every index, so that a long list must cost little."""
    return isinstance(value, SequenceValue) and PiecesValue in map(type, value.items)


def of_stretches(run: Run, value: TensorValue, axis: int, size: Dim) -> TripsValue:
    """`value.split(size, axis)`."""
    length = value.shape[axis]

    def strided(stride: Dim) -> TripsValue:
        def item(place: Scalar) -> Value:
            begin = extent_of(place) * stride
            stretch = SliceValue(extent(begin), extent(begin + stride), None)
            return ops.index(run.builder, value, [*[SliceValue(None, None, None)] * axis, stretch])

        return TripsValue(length.ceil_div(size), item, stride, length, strided)

    return strided(size)


def of_pieces(run: Run, value: Value) -> TripsValue:
    """The items that a loop has appended to a list. OperationError where other items stand beside them."""
    if not isinstance(value, SequenceValue) or len(value.items) != 1 or not isinstance(value.items[0], PiecesValue):
        raise OperationError("a list of which one loop fills a part", "use a list of its own for the loop")
    pieces = value.items[0]
    if pieces.axis is not None and pieces.size is not None:
        return of_stretches(run, pieces.whole, pieces.axis, pieces.size)
    whole = pieces.whole
    return TripsValue(pieces.count, lambda place: ops.index(run.builder, whole, [ScalarValue(place, int)]))


def extent_of(place: Scalar) -> Dim:
    """A place as an extent."""
    if isinstance(place, Extent):
        return place.dim
    return Dim.of(place.value) if isinstance(place, Constant) else Dim.of(0)
