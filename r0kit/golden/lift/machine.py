"""Runs Steps on small made-up numbers."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from r0kit.golden.attributes import mapped
from r0kit.golden.builder import Builder
from r0kit.golden.dims import Dim, Shape
from r0kit.golden.dtypes import category
from r0kit.golden.lift import array as arrays
from r0kit.golden.lift.array import Array, Extents
from r0kit.golden.lift.kernels import KERNELS
from r0kit.golden.program import Kind, Operand, Ref, Step
from r0kit.golden.scalars import Apply, Constant, Extent, Parameter, Reading, Scalar, fold

MOST = 400_000  # element operations that one comparison may cost
_TOO_LARGE = "its extents are too large to try it on numbers"

# Steps whose numbers follow from their operands' alone, where those are made up of nothing but constants.
_FROM_NOTHING = (Kind.CREATION,)
_PASSING = ("cast", "reshape", "unsqueeze", "squeeze", "permute", "expand", "clone", "full_like")


@dataclass(frozen=True, slots=True)
class Draw:
    """How numbers are made up: uniform within ±2 * scale, the last of a tensor (1 + growth) times as large as the first."""

    seed: int = 0
    scale: float = 1.0
    growth: float = 0.0


class Unprovable(Exception):
    """The numbers cannot be computed: an operation without a kernel, too many of them, an extent without a value."""


class Machine:
    """numbers: value of each symbol; values from outside are made up once and kept, so that all runs see the same."""

    def __init__(self, builder: Builder, numbers: Mapping[str, int], draw: Draw = Draw()) -> None:
        self.builder, self.numbers, self._draw = builder, dict(numbers), draw
        self._random = random.Random(draw.seed)
        self._made: dict[str, Array] = {}
        self._left = MOST

    def run(self, steps: Iterable[Step], values: Mapping[str, Array], **numbers: int) -> dict[str, Array]:
        """Values of all Steps. values: of what the Steps do not compute; numbers: symbols bound for this run. Unprovable."""
        bindings = {**self.numbers, **numbers}
        known = dict(values)
        for step in steps:
            if step.target not in known:
                known[step.target] = self._step(step, known, bindings)
        return known

    def afford(self, refs: Iterable[str]) -> None:
        """Unprovable, before any work, where the values from outside alone cost more than a comparison may."""
        shapes = (self._shape(self.builder.value_of(ref).shape, self.numbers) for ref in refs)
        if sum(map(arrays.size_of, shapes)) > self._left:
            raise Unprovable(_TOO_LARGE)

    def value(self, ref: str, known: Mapping[str, Array]) -> Array:
        """The numbers of a value, made up where no Step of the run computes it."""
        found = known.get(ref) or self._made.get(ref)
        if found is None:
            found = self._made[ref] = self._outside(ref)
        return found

    def extent(self, dim: Dim, bindings: Mapping[str, int]) -> int:
        try:
            return dim.evaluate(bindings)
        except (KeyError, ZeroDivisionError) as error:
            raise Unprovable(f"the extent {dim} has no value here") from error

    def _step(self, step: Step, known: Mapping[str, Array], bindings: Mapping[str, int]) -> Array:
        kernel = KERNELS.get(step.op)
        if kernel is None:
            raise Unprovable(f"{step.op} cannot be computed here")
        operands = [self._operand(operand, known, bindings) for operand in step.operands]
        shape = self._shape(step.shape, bindings)
        self._pay(step, operands, shape)
        try:
            return kernel(operands, self._attributes(step.attrs, bindings), shape, step.dtype)
        except (ValueError, ArithmeticError, TypeError, LookupError, AttributeError) as error:
            raise Unprovable(f"{step.op} on these numbers: {error}") from error

    def _operand(self, operand: Operand, known: Mapping[str, Array], bindings: Mapping[str, int]) -> Any:
        if isinstance(operand, Ref):
            return self.value(operand.name, known)
        try:
            return fold(self._with_readings(operand, known), self.builder.parameters, bindings)
        except (KeyError, ArithmeticError, TypeError, ValueError) as error:
            raise Unprovable(f"a number is not known: {error}") from error

    def _with_readings(self, scalar: Scalar, known: Mapping[str, Array]) -> Scalar:
        match scalar:
            case Reading(tensor):
                return Constant(self.value(tensor, known).data[0])
            case Apply(function, arguments):
                return Apply(function, tuple(self._with_readings(argument, known) for argument in arguments))
        return scalar

    def _attributes(self, attrs: Mapping[str, Any], bindings: Mapping[str, int]) -> dict[str, Any]:
        return {name: mapped(value, lambda item: self._attribute(item, bindings)) for name, value in attrs.items()}

    def _attribute(self, value: Any, bindings: Mapping[str, int]) -> Any:
        if isinstance(value, Dim):
            return self.extent(value, bindings)
        if isinstance(value, Constant | Parameter | Extent | Apply):
            return self._operand(value, {}, bindings)
        return value

    def _shape(self, shape: Shape, bindings: Mapping[str, int]) -> Extents:
        return tuple(self.extent(extent, bindings) for extent in shape)

    def _pay(self, step: Step, operands: Sequence[Any], shape: Extents) -> None:
        """Count the work, so that a comparison ends soon whatever the extents are."""
        cost = arrays.size_of(shape)
        if step.kind is Kind.CONTRACTION:
            cost *= max((operand.shape[-1] for operand in operands if operand.shape), default=1)
        self._left -= cost + sum(len(operand.data) for operand in operands if isinstance(operand, Array))
        if self._left < 0:
            raise Unprovable(_TOO_LARGE)

    # Values from outside

    def _outside(self, ref: str) -> Array:
        step = self.builder.definition(ref)
        if step is not None and self._is_constant(step):
            values = {name: self.value(name, {}) for name in step.tensors}
            return self._step(step, values, self.numbers)
        value = self.builder.value_of(ref)
        return self._made_up(self._shape(value.shape, self.numbers), value.dtype)

    def _is_constant(self, step: Step) -> bool:
        if step.kind in _FROM_NOTHING and step.op in KERNELS:
            return True
        inner = [self.builder.definition(name) for name in step.tensors]
        return step.op in _PASSING and bool(inner) and all(one is not None and self._is_constant(one) for one in inner)

    def _made_up(self, shape: Extents, dtype: str) -> Array:
        count = arrays.size_of(shape)
        self._left -= count
        if self._left < 0:
            raise Unprovable(_TOO_LARGE)
        draw = (
            lambda _: self._random.random() < 0.7,
            lambda _: self._random.randint(0, 3),
            lambda at: self._random.uniform(-2.0, 2.0) * self._draw.scale * (1 + self._draw.growth * at / count),
        )[category(dtype)]
        return Array(shape, [draw(at) for at in range(count)])


def agree(left: Array, right: Array, scale: float = 1.0) -> bool:
    """Whether two results are the same but for rounding; NaN agrees with NaN.

    scale: of the numbers that went in. Of large ones, one way of computing may leave the floats where the other does not.
    """
    pairs = zip(left.data, right.data, strict=False)
    known = [(a, b) for a, b in pairs if scale <= 1 or (math.isfinite(a) and math.isfinite(b))]
    return left.shape == right.shape and all(_close(a, b, 1e-12 * scale * scale) for a, b in known)


def _close(a: Any, b: Any, least: float) -> bool:
    if a != a or b != b:
        return bool(a != a and b != b)
    return bool(a == b or math.isclose(a, b, rel_tol=1e-6, abs_tol=least))
