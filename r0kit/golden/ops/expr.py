"""Formulas over Steps: a thin wrapper, so that the expansion of a composite reads like its definition."""

from __future__ import annotations

from collections.abc import Sequence

from r0kit.golden.builder import Builder
from r0kit.golden.dims import Dim, Shape
from r0kit.golden.dtypes import is_float
from r0kit.golden.ops import layout
from r0kit.golden.ops.contraction import matmul
from r0kit.golden.ops.elementwise import cast, elementwise
from r0kit.golden.ops.reduction import reduce
from r0kit.golden.values import TensorValue, Value, constant, extent

NARROW = ("float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")


class Expr:
    """A tensor whose operators and methods emit Steps; other operands are tensors, scalars, extents or numbers."""

    __slots__ = ("builder", "value")

    def __init__(self, builder: Builder, value: TensorValue) -> None:
        self.builder, self.value = builder, value

    @property
    def shape(self) -> Shape:
        return self.value.shape

    @property
    def rank(self) -> int:
        return self.value.rank

    @property
    def dtype(self) -> str:
        return self.value.dtype

    def _of(self, value: TensorValue) -> Expr:
        return Expr(self.builder, value)

    def op(self, name: str, *others: Expr | Value | Dim | float, dtype: str = "", **attrs: object) -> Expr:
        """The elementwise Step `name` with this tensor as its first operand."""
        operands = [lift(other) for other in others]
        return self._of(elementwise(self.builder, name, self.value, *operands, dtype=dtype, **attrs))

    def after(self, name: str, first: Value | float, dtype: str = "") -> Expr:
        """The elementwise Step `name` with a scalar first and this tensor second."""
        return self._of(elementwise(self.builder, name, lift(first), self.value, dtype=dtype))

    def __add__(self, other: Expr | Value | Dim | float) -> Expr:
        return self.op("add", other)

    def __sub__(self, other: Expr | Value | Dim | float) -> Expr:
        return self.op("sub", other)

    def __mul__(self, other: Expr | Value | Dim | float) -> Expr:
        return self.op("mul", other)

    def __truediv__(self, other: Expr | Value | Dim | float) -> Expr:
        return self.op("div", other)

    def __neg__(self) -> Expr:
        return self.op("neg")

    def __rsub__(self, other: Value | float) -> Expr:
        return self.after("sub", other)

    def __matmul__(self, other: Expr) -> Expr:
        return self._of(matmul(self.builder, self.value, other.value))

    def over(self, name: str, axes: Sequence[int], keepdim: bool = True) -> Expr:
        """The reduction `name` over axes counted from 0."""
        return self._of(reduce(self.builder, name, self.value, axes, keepdim))

    def to(self, dtype: str) -> Expr:
        return self._of(cast(self.builder, self.value, dtype))

    def wide(self) -> Expr:
        """In float32 where it is a narrower float: torch's own kernels compute these composites so."""
        return self.to("float32") if self.dtype in NARROW else self

    def floating(self) -> Expr:
        return self if is_float(self.dtype) else self.to("float32")

    def reshape(self, shape: Shape) -> Expr:
        return self._of(layout.reshape(self.builder, self.value, shape))

    def expand(self, shape: Shape) -> Expr:
        return self._of(layout.expand(self.builder, self.value, shape))

    def transpose(self, left: int, right: int) -> Expr:
        return self._of(layout.transpose(self.builder, self.value, left, right))

    def permute(self, order: Sequence[int]) -> Expr:
        return self._of(layout.permute(self.builder, self.value, order))

    def unsqueeze(self, *axes: int) -> Expr:
        return self._of(layout.unsqueeze(self.builder, self.value, axes))

    def squeeze(self, *axes: int) -> Expr:
        return self._of(layout.squeeze(self.builder, self.value, axes))

    def drop(self, axes: Sequence[int], keepdim: bool) -> Expr:
        """Without the kept axes of a reduction, unless they are wanted."""
        return self if keepdim else self.squeeze(*axes)


def lift(operand: Expr | Value | Dim | float) -> Value:
    """An operand as an abstract value."""
    if isinstance(operand, Expr):
        return operand.value
    if isinstance(operand, Dim):
        return extent(operand)
    if isinstance(operand, (int, float)):
        return constant(operand)
    return operand


def count(shape: Shape, axes: Sequence[int]) -> Dim:
    """Number of elements over some axes; torch lets a 0-d tensor have one of extent 1."""
    total = Dim.of(1)
    for axis in axes if shape else ():
        total = total * shape[axis]
    return total
