"""A vector Module as a kernel of the graph API, for one tile: what it costs, not what it computes, is asked of it.

Outputs are stored at the end (pypto 0.2.0 ends with a signal where a value is stored and then used), reductions take one
axis at a time, and an operand is expanded along one axis at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from r0kit.plan.advice import number
from r0kit.plan.extents import Shape
from r0kit.plan.live import aligned
from r0kit.plan.reader import table
from r0kit.plan.work import Operation, Value, Work

DTYPES = {
    "float32": "DT_FP32",
    "float16": "DT_FP16",
    "bfloat16": "DT_BF16",
    "int32": "DT_INT32",
    "int16": "DT_INT16",
    "int8": "DT_INT8",
    "bool": "DT_BOOL",
}
UNIT = 32  # bytes to which the compiler wants the last axis of a tile aligned


class UnwrittenError(ValueError):
    """A Module that is not written as a kernel; the message says why."""


def kernel_body(work: Work, tiles: tuple[tuple[Shape, Shape], ...]) -> list[str]:
    """Lines of the kernel. tiles: for each phase its space and its tile."""
    if work.note:
        raise UnwrittenError(work.note)
    return list(_Writer(work, tiles).lines())


class _Writer:
    """Names of values as variables, and the tile that is set."""

    def __init__(self, work: Work, tiles: tuple[tuple[Shape, Shape], ...]) -> None:
        self.work, self.tiles = work, dict(tiles)
        self.variable = {name: f"v{number}" for number, name in enumerate(work.values)}
        if len(work.space) > number("vector_ranks"):
            raise UnwrittenError(f"tiles of pypto have at most {number('vector_ranks')} dimensions")

    def lines(self) -> Iterator[str]:
        tile = self.tiles[self.work.space]
        yield self._set(tile)
        for step in self.work.operations:
            wanted = self.tiles.get(step.space, tile) if step.kind == "reduction" else tile
            if wanted != tile:
                yield self._set(wanted)
                tile = wanted
            yield from self._step(step)
        for name in self.work.outputs:
            yield f"out_{self.variable[name]}[:] = {self.variable[name]}"

    def _set(self, tile: Shape) -> str:
        """The smallest element decides to how many elements the last axis is aligned."""
        unit = UNIT // min((value.size for value in self._computed()), default=4)
        return f"pypto.set_vec_tile_shapes({', '.join(map(str, (*tile[:-1], aligned(tile[-1], unit))))})"

    def _computed(self) -> list[Value]:
        names = {name for step in self.work.operations for name in (*step.operands, step.target)}
        return [value for name, value in self.work.values.items() if name in names]

    def _step(self, step: Operation) -> Iterator[str]:
        spelled = table().get(step.op, {}).get("pypto")
        if not spelled:
            raise UnwrittenError(f"the graph API has no {step.op} here")
        target = self.variable[step.target]
        if step.kind == "reduction":
            yield from self._reduction(step, spelled, target)
            return
        arguments = []
        for at, operand in enumerate(_tensor_first(step)):
            if isinstance(operand, str):
                lines, text = self._expanded(operand, step.space, f"{target}_{at}")
                yield from lines
                arguments.append(text)
            elif isfinite(operand):
                arguments.append(repr(operand))
            else:
                raise UnwrittenError(f"{operand} is no number that a kernel is given")
        if step.op == "cast" and self._by_half(step):
            arguments = [f"pypto.cast({arguments[0]}, pypto.DT_FP16)"]
        yield f"{target} = {spelled.format(*arguments, dtype=f'pypto.{self._dtype(step.target)}')}"

    def _reduction(self, step: Operation, spelled: str, target: str) -> Iterator[str]:
        source = self.variable[str(step.operands[0])]
        for axis in reversed(step.axes):
            inverse = repr(1.0 / step.space[axis])
            yield f"{target} = {spelled.format(source, axis=axis, inverse=inverse)}"
            source = target

    def _expanded(self, name: str, space: Shape, prefix: str) -> tuple[list[str], str]:
        """The operand, stretched by hand along all axes but the last one that it is broadcast along."""
        shape = list(self.work.values[name].shape)
        if len(shape) != len(space):
            raise UnwrittenError(f"{name} has another rank than the Module")
        along = [at for at, (own, whole) in enumerate(zip(shape, space, strict=True)) if own == 1 < whole]
        lines, text = [], self.variable[name]
        for number_, at in enumerate(reversed(along[1:])):
            shape[at] = space[at]
            lines.append(f"{prefix}_{number_} = pypto.expand_clone({text}, {shape})")
            text = f"{prefix}_{number_}"
        return lines, text

    def _by_half(self, step: Operation) -> bool:
        """Eight bits reach float32 by way of float16: the vector unit has no direct conversion."""
        source = self.work.values[str(step.operands[0])]
        return source.size == 1 and self.work.values[step.target].dtype == "float32"

    def _dtype(self, name: str) -> str:
        return dtype_of(self.work.values[name])


def _tensor_first(step: Operation) -> tuple[str | float, ...]:
    """Functions of the graph API take the tensor first."""
    if step.op in ("max", "min", "maximum", "minimum", "add", "mul") and isinstance(step.operands[0], float):
        return step.operands[::-1]
    return step.operands


def dtype_of(value: Value) -> str:
    """The dtype as the graph API names it."""
    if value.dtype not in DTYPES:
        raise UnwrittenError(f"{value.name} is {value.dtype or 'of no dtype'}, which the kernels here do not use")
    return DTYPES[value.dtype]


def arguments(work: Work) -> list[tuple[str, Value]]:
    """Arguments of the kernel: inputs, then outputs."""
    variable = {name: f"v{number}" for number, name in enumerate(work.values)}
    inputs = [(variable[name], work.values[name]) for name in work.inputs]
    return inputs + [(f"out_{variable[name]}", work.values[name]) for name in work.outputs]
