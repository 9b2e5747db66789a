"""Attributes of a tensor that a golden reads without calling anything: `x.shape`, `x.T`, `x.dtype`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from r0kit.golden.builder import Builder
from r0kit.golden.dims import product
from r0kit.golden.dtypes import BYTES
from r0kit.golden.ops.layout import permute, transpose
from r0kit.golden.values import DtypeValue, TensorValue, Value, constant, extent, sequence


def shape_value(tensor: TensorValue) -> Value:
    """Its shape as a tuple of extents."""
    return sequence(*map(extent, tensor.shape))


def _reversed(builder: Builder, tensor: TensorValue) -> Value:
    return permute(builder, tensor, range(tensor.rank)[::-1])


ATTRIBUTES: Mapping[str, Callable[[Builder, TensorValue], Value]] = {
    "shape": lambda builder, tensor: shape_value(tensor),
    "dtype": lambda builder, tensor: DtypeValue(tensor.dtype),
    "ndim": lambda builder, tensor: constant(tensor.rank),
    "T": _reversed,
    "H": _reversed,
    "mT": lambda builder, tensor: transpose(builder, tensor, -2, -1),
    "mH": lambda builder, tensor: transpose(builder, tensor, -2, -1),
    "data": lambda builder, tensor: tensor,
    "real": lambda builder, tensor: tensor,
    "device": lambda builder, tensor: constant("cpu"),
    "itemsize": lambda builder, tensor: constant(BYTES[tensor.dtype]),
    "nbytes": lambda builder, tensor: extent(product(tensor.shape) * BYTES[tensor.dtype]),
    "requires_grad": lambda builder, tensor: constant(False),
    "is_cuda": lambda builder, tensor: constant(False),
    "is_sparse": lambda builder, tensor: constant(False),
}


def attribute(builder: Builder, tensor: TensorValue, name: str) -> Value | None:
    """The value of `tensor.name`; None where that is not an attribute (a method, or nothing r0kit knows)."""
    known = ATTRIBUTES.get(name)
    return known(builder, tensor) if known else None
