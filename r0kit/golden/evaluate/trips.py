"""Iterables whose items are known by formula, so that a loop can be read once for all of its trips."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence

from r0kit.golden import ops
from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim
from r0kit.golden.evaluate import containers
from r0kit.golden.evaluate.run import Run
from r0kit.golden.scalars import Constant, Scalar, apply
from r0kit.golden.values import (
    ScalarValue,
    SequenceValue,
    TensorValue,
    TripsValue,
    Value,
    extent,
)


def of_range(start: Dim, stop: Dim, step: Dim) -> TripsValue:
    """`range(start, stop, step)`."""
    count = stop - start if step == Dim.of(1) else (stop - start).ceil_div(step)
    first, stride = extent(start).scalar, extent(step).scalar
    return TripsValue(count, lambda place: ScalarValue(apply("+", first, apply("*", stride, place)), int))


def of_value(run: Run, value: Value) -> TripsValue:
    """What iterating over `value` gives. OperationError where its items are not known by formula either."""
    if isinstance(value, TripsValue):
        return value
    if isinstance(value, TensorValue) and value.shape:
        return TripsValue(value.shape[0], lambda place: ops.index(run.builder, value, [ScalarValue(place, int)]))
    if isinstance(value, SequenceValue):
        return TripsValue(Dim.of(len(value.items)), lambda place: _item(value.items, place))
    raise OperationError("what it iterates over is not known before the golden runs")


def _item(items: Sequence[Value], place: Scalar) -> Value:
    if isinstance(place, Constant):
        return items[int(place.value)]
    raise OperationError("which item of the list it takes depends on the trip")


def enumerated(inner: TripsValue, start: Value) -> TripsValue:
    first = start.scalar if isinstance(start, ScalarValue) else Constant(0)
    return TripsValue(
        inner.count, lambda place: SequenceValue([ScalarValue(apply("+", first, place), int), inner.item(place)])
    )


def zipped(columns: Sequence[TripsValue]) -> TripsValue:
    return TripsValue(columns[0].count, lambda place: SequenceValue([column.item(place) for column in columns]))


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
