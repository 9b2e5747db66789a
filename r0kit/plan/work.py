"""What a Module computes, as operations with shapes in numbers: read from its `golden_steps`, or counted from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from r0kit.plan.extents import Shape, product

BYTES: Mapping[str, int] = {
    **dict.fromkeys(("float32", "int32", "uint32"), 4),
    **dict.fromkeys(("float16", "bfloat16", "int16", "uint16"), 2),
    **dict.fromkeys(("int8", "uint8", "bool", "float8"), 1),
    **dict.fromkeys(("int64", "uint64"), 8),
}


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor: `axes` are its dimensions as the contract writes them, `shape` the same in numbers."""

    name: str
    axes: tuple[str, ...]
    shape: Shape
    dtype: str

    @property
    def size(self) -> int:
        """Bytes of one element; 4 where the dtype is not known."""
        return BYTES.get(self.dtype, 4)


@dataclass(frozen=True, slots=True)
class Operation:
    """One tensor operation. space: its iteration space; axes: those it reduces, or needs whole, counted from 0."""

    target: str
    op: str
    kind: str
    operands: tuple[str | float, ...]
    space: Shape
    axes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """A Module at given extents.

    values: every tensor by name, reduced axes kept as 1; dead: in no operation. space: what the tile loop runs over.
    note: why the operations could not be read ("" where they were); `operations` is then a count of temporaries.
    algorithm: of the Module's traversal. An online one traverses an axis again without holding it.
    """

    values: Mapping[str, Value]
    operations: tuple[Operation, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    space: Shape
    axes: tuple[str, ...]
    note: str = ""
    algorithm: str = ""

    @property
    def reduced(self) -> tuple[int, ...]:
        """Axes of the space that are reduced."""
        return self._axes("reduction")

    @property
    def whole(self) -> tuple[int, ...]:
        """Axes that one tile must hold whole: of a sort or a scan, and those traversed again after a reduction."""
        return tuple(sorted({*self._axes("whole"), *self.resident}))

    @property
    def resident(self) -> tuple[int, ...]:
        """Reduced axes that must stay on chip, as the Module traverses them again and no recurrence does it online.

        Of a Module that is counted, not read, only its record says so.
        """
        if self.algorithm == "online":
            return ()
        if self.algorithm == "resident":
            return self.reduced
        return () if self.note else tuple(axis for axis in self.reduced if self._again(axis))

    def _again(self, axis: int) -> bool:
        """Whether an operation runs over the axis and needs a value that is reduced over it."""
        after: set[str] = set()
        for step in self.operations:
            depends = any(operand in after for operand in step.operands if isinstance(operand, str))
            if depends and step.space[axis] > 1:
                return True
            if depends or (step.kind == "reduction" and axis in step.axes and step.space == self.space):
                after.add(step.target)
        return False

    def _axes(self, kind: str) -> tuple[int, ...]:
        found = {
            axis for step in self.operations if step.kind == kind and step.space == self.space for axis in step.axes
        }
        return tuple(sorted(found))

    @property
    def moved(self) -> tuple[str, ...]:
        """What crosses between GM and the chip."""
        return (*self.inputs, *self.outputs)

    @property
    def element(self) -> int:
        """Bytes of one element of what moves along the whole space: the narrowest, which fills a burst last."""
        whole = [self.values[name] for name in self.moved if product(self.values[name].shape) == product(self.space)]
        sizes = [value.size for value in whole or [self.values[name] for name in self.moved]]
        return min(sizes, default=4)

    def stretched(self, axis: int, extent: int) -> Work:
        """The same Module with another extent of one axis of its space."""

        def longer(shape: Shape) -> Shape:
            if len(shape) != len(self.space) or shape[axis] != self.space[axis]:
                return shape
            return (*shape[:axis], extent, *shape[axis + 1 :])

        values = {name: replace(value, shape=longer(value.shape)) for name, value in self.values.items()}
        operations = tuple(replace(step, space=longer(step.space)) for step in self.operations)
        return replace(self, values=values, operations=operations, space=longer(self.space))
