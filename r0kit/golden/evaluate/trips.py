"""Iterables whose items are known by formula, so that a loop can be read once for all of its trips."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping, Sequence

from r0kit.golden import ops
from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim
from r0kit.golden.evaluate import containers
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.stretches import has_pieces, of_pieces, of_stretches
from r0kit.golden.scalars import Constant, Scalar, apply
from r0kit.golden.values import (
    ScalarValue,
    SequenceValue,
    TensorValue,
    TripsValue,
    Value,
    constant,
    extent,
)


def of_range(start: Dim, stop: Dim, step: Dim) -> TripsValue:
    """`range(start, stop, step)`."""

    def strided(stride: Dim) -> TripsValue:
        falls = stride.const is not None and stride.const < 0
        room, pace = (start - stop, -stride) if falls else (stop - start, stride)
        count = room if pace == Dim.of(1) else room.ceil_div(pace)

        def item(place: Scalar) -> Value:
            return ScalarValue(apply("+", extent(start).scalar, apply("*", extent(stride).scalar, place)), int)

        return TripsValue(count, item, stride, None if falls else room, strided)

    return strided(step)


def split(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value]) -> TripsValue | None:
    """`x.split(size, dim)` where the number of pieces depends on an extent; None where it does not, or sizes differ."""
    given = dict(zip(("tensor", "split_size_or_sections", "dim"), args, strict=False)) | dict(kwargs)
    value, axis = given.get("tensor"), given.get("dim", constant(0))
    size = given.get("split_size_or_sections", given.get("split_size"))
    if not isinstance(value, TensorValue) or not isinstance(size, ScalarValue) or not value.rank:
        return None
    place = run.builder.integer(axis, "dim") % max(value.rank, 1)
    extent_of_axis, wanted = value.shape[place], run.builder.extent(size, "split_size")
    return None if extent_of_axis.ceil_div(wanted).const is not None else of_stretches(run, value, place, wanted)


def of_value(run: Run, value: Value) -> TripsValue:
    """What iterating over `value` gives. OperationError where its items are not known by formula either."""
    if isinstance(value, TripsValue):
        return value
    if isinstance(value, TensorValue) and value.shape:
        return TripsValue(value.shape[0], lambda place: ops.index(run.builder, value, [ScalarValue(place, int)]))
    if has_pieces(value):
        return of_pieces(run, value)
    if isinstance(value, SequenceValue):
        return TripsValue(Dim.of(len(value.items)), lambda place: _item(value.items, place))
    raise OperationError("what it iterates over is not known before the golden runs")


def _item(items: Sequence[Value], place: Scalar) -> Value:
    if isinstance(place, Constant):
        return items[int(place.value)]
    raise OperationError("which item of the list it takes depends on the trip")


def enumerated(inner: TripsValue, start: Value) -> TripsValue:
    first = start.scalar if isinstance(start, ScalarValue) else Constant(0)

    def item(place: Scalar) -> Value:
        return SequenceValue([ScalarValue(apply("+", first, place), int), inner.item(place)])

    restride = inner.restride
    again = None if restride is None else lambda stride: enumerated(restride(stride), start)
    return TripsValue(inner.count, item, inner.stride, inner.length, again)


def zipped(columns: Sequence[TripsValue]) -> TripsValue:
    """`zip`, which ends with the shortest column. OperationError where algebra does not say which that is."""
    first = columns[0]
    for column in columns[1:]:
        more = (first.count - column.count).const
        if more is None:
            raise OperationError("which of these ends first is not known", "loop over one of them")
        first = column if more > 0 else first

    def item(place: Scalar) -> Value:
        return SequenceValue([column.item(place) for column in columns])

    def again(stride: Dim) -> TripsValue:
        return zipped([c.restride(stride) if c.restride and c.stride == first.stride else c for c in columns])

    return TripsValue(first.count, item, first.stride, first.length, again if first.restride else None)


def backwards(inner: TripsValue) -> TripsValue:
    last = extent(inner.count - 1).scalar
    return TripsValue(inner.count, lambda place: inner.item(apply("-", last, place)))


def product(run: Run, args: Sequence[Value], node: ast.AST) -> Value:
    """`itertools.product` of iterables that can be spelled out."""
    columns = [containers.items_of(run, value) for value in args]
    known = [column for column in columns if column is not None]
    if len(known) != len(columns):
        raise OperationError("itertools.product over a number of items that is not known", "write nested loops")
    return SequenceValue([SequenceValue(list(row)) for row in itertools.product(*known)])
