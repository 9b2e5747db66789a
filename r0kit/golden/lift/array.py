"""Small dense arrays in plain Python: enough to run Steps on a handful of numbers, without any library."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Extents = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Array:
    """shape; data: the numbers in row-major order."""

    shape: Extents
    data: list[Any]

    @property
    def strides(self) -> Extents:
        return strides_of(self.shape)


def strides_of(shape: Extents) -> Extents:
    """Row-major strides, in elements."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return tuple(strides)


def size_of(shape: Extents) -> int:
    return math.prod(shape)


def full(shape: Extents, number: Any) -> Array:
    return Array(shape, [number] * size_of(shape))


def offsets(shape: Extents, strides: Sequence[int], start: int = 0) -> Iterator[int]:
    """Where the elements of a strided view lie, in row-major order of the view."""
    parts = [
        range(0, extent * stride, stride) if stride else (0,) * extent
        for extent, stride in zip(shape, strides, strict=True)
    ]
    return (start + sum(place) for place in itertools.product(*parts))


def view(array: Array, shape: Extents, strides: Sequence[int], start: int = 0) -> Array:
    """The elements that a strided view shows, copied."""
    return Array(shape, [array.data[place] for place in offsets(shape, strides, start)])


def expand(array: Array, shape: Extents) -> Array:
    """Broadcast to `shape`. ValueError where it does not fit."""
    if array.shape == shape:
        return array
    missing = len(shape) - len(array.shape)
    strides = [0] * missing
    for extent, wanted, stride in zip(array.shape, shape[missing:], array.strides, strict=True):
        if extent not in (1, wanted):
            raise ValueError(f"{array.shape} does not broadcast to {shape}")
        strides.append(0 if extent == 1 else stride)
    return view(array, shape, strides)


def broadcast_shape(shapes: Sequence[Extents]) -> Extents:
    """The shape that all broadcast to. ValueError where there is none."""
    rank = max(map(len, shapes))
    padded = [(*(1,) * (rank - len(shape)), *shape) for shape in shapes]
    result = []
    for column in zip(*padded, strict=True):
        longest = {extent for extent in column if extent != 1}
        if len(longest) > 1:
            raise ValueError(f"{shapes} do not broadcast")
        result.append(longest.pop() if longest else 1)
    return tuple(result)


def elementwise(function: Callable[..., Any], operands: Sequence[Any]) -> Array:
    """`function` of arrays and plain numbers, broadcast."""
    shape = broadcast_shape([operand.shape for operand in operands if isinstance(operand, Array)])
    count = size_of(shape)
    columns = [
        expand(operand, shape).data if isinstance(operand, Array) else itertools.repeat(operand, count)
        for operand in operands
    ]
    return Array(shape, list(map(function, *columns)))


def permute(array: Array, order: Sequence[int]) -> Array:
    strides = array.strides
    return view(array, tuple(array.shape[axis] for axis in order), [strides[axis] for axis in order])


def cut(array: Array, axis: int, start: int, stop: int, step: int) -> Array:
    """`start:stop:step` of an axis, clipped to it."""
    places = range(start, min(stop, array.shape[axis]), step)
    strides = list(array.strides)
    shape = (*array.shape[:axis], len(places), *array.shape[axis + 1 :])
    begin = start * strides[axis]
    strides[axis] *= step
    return view(array, shape, strides, begin)


def select(array: Array, axis: int, index: int) -> Array:
    one = cut(array, axis, index % array.shape[axis], index % array.shape[axis] + 1, 1)
    return Array(array.shape[:axis] + array.shape[axis + 1 :], one.data)


def cat(arrays: Sequence[Array], axis: int) -> Array:
    """Arrays one after another along an axis."""
    outer = size_of(arrays[0].shape[:axis])
    blocks = [size_of(array.shape[axis:]) for array in arrays]
    data: list[Any] = []
    for place in range(outer):
        for array, block in zip(arrays, blocks, strict=True):
            data.extend(array.data[place * block : (place + 1) * block])
    total = sum(array.shape[axis] for array in arrays)
    return Array((*arrays[0].shape[:axis], total, *arrays[0].shape[axis + 1 :]), data)


def reduce(array: Array, axes: Sequence[int], keepdim: bool, function: Callable[[list[Any]], Any]) -> Array:
    """`function` of the elements along `axes`."""
    kept = [axis for axis in range(len(array.shape)) if axis not in axes]
    strides = array.strides
    inner = list(offsets(tuple(array.shape[axis] for axis in axes), [strides[axis] for axis in axes]))
    outer = offsets(tuple(array.shape[axis] for axis in kept), [strides[axis] for axis in kept])
    data = [function([array.data[start + place] for place in inner]) for start in outer]
    shape = tuple(1 if axis in axes else extent for axis, extent in enumerate(array.shape) if keepdim or axis in kept)
    return Array(shape, data)


def contract(operands: Sequence[Array], labels: Sequence[Sequence[int]], result: Sequence[int]) -> Array:
    """Sum of products over the labels that the result does not have; an axis of extent 1 broadcasts."""
    extents: dict[int, int] = {}
    for array, names in zip(operands, labels, strict=True):
        for label, extent in zip(names, array.shape, strict=True):
            extents[label] = max(extents.get(label, 1), extent)
    summed = [label for label in extents if label not in result]
    order = [*result, *summed]
    shape = tuple(extents[label] for label in order)
    columns = [_along(array, names, order, shape) for array, names in zip(operands, labels, strict=True)]
    products = list(map(lambda *factors: math.prod(factors), *columns))
    block = size_of(shape[len(result) :])
    data = [math.fsum(products[place : place + block]) for place in range(0, len(products), block)] if block else []
    return Array(shape[: len(result)], data)


def _along(array: Array, names: Sequence[int], order: Sequence[int], shape: Extents) -> list[Any]:
    """The array's elements for every combination of the labels in `order`."""
    strides = [0] * len(order)
    for name, extent, stride in zip(names, array.shape, array.strides, strict=True):
        if extent > 1:
            strides[order.index(name)] += stride
    return [array.data[place] for place in offsets(shape, strides)]
