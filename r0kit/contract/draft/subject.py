"""What there is to know about one Module when it is named and described."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from r0kit.contract.draft.mathematics import axis_text
from r0kit.golden.dims import Shape
from r0kit.golden.naming import MOVED, Values
from r0kit.golden.program import Kind, Program, Ref, Section, Step
from r0kit.partition.model import Part, Partition


@dataclass(frozen=True)
class Subject:
    """One Part in its Partition."""

    part: Part
    partition: Partition

    @property
    def program(self) -> Program:
        return self.partition.program

    @cached_property
    def steps(self) -> dict[str, Step]:
        """Its Steps by target."""
        return {step.target: step for step in self.part.steps}

    @cached_property
    def _everywhere(self) -> dict[str, Step]:
        return {step.target: step for step in self.program.steps}

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        """Shapes of all values of the Program."""
        inputs = {value.name: value.shape for value in self.program.inputs}
        return inputs | {step.target: step.shape for step in self.program.steps}

    @cached_property
    def primary(self) -> frozenset[str]:
        return frozenset(value.name for value in self.program.inputs)

    @property
    def is_cube(self) -> bool:
        return self.part.section is Section.CUBE

    def of_kind(self, *kinds: Kind) -> list[Step]:
        return [step for step in self.part.steps if step.kind in kinds]

    @cached_property
    def reductions(self) -> list[Step]:
        """Its reductions, those left out that another Module does and this one repeats on its way."""
        return self.of_kind(Kind.REDUCTION)

    @cached_property
    def computing(self) -> list[Step]:
        """Its Steps but for casts, layout and creation."""
        moving = (Kind.LAYOUT, Kind.CREATION)
        return [step for step in self.part.steps if step.kind not in moving and step.op not in MOVED]

    @cached_property
    def returned(self) -> frozenset[str]:
        """Names of its values that the golden returns."""
        return frozenset(output.value for output in self.program.outputs) & set(self.part.outputs)

    def root(self, name: str) -> str:
        """The value that `name` is but for casts and layout."""
        step = self.steps.get(name)
        while step is not None and step.op in MOVED and step.tensors:
            name = step.tensors[0]
            step = self.steps.get(name)
        return name

    def whole_of(self, name: str) -> str:
        """The named value that `name` is a part of, or a rearrangement: an input, what is read, or a variable."""
        step = self.steps.get(self.root(name))
        while step is not None and step.kind is Kind.LAYOUT and len(step.tensors) == 1 and not step.name:
            name = self.root(step.tensors[0])
            step = self.steps.get(name)
        return name

    def operands(self, step: Step) -> list[str]:
        """Roots of its tensor operands."""
        return [self.root(operand.name) for operand in step.operands if isinstance(operand, Ref)]

    def source(self, step: Step) -> Step | None:
        """The Step that computes its first operand, in this Module or in another."""
        operands = self.operands(step)
        return self._everywhere.get(operands[0]) if operands else None

    def axes(self, step: Step) -> list[str]:
        """Names of the axes that a reduction, scan or ordering runs over."""
        shape = self.shapes[step.tensors[0]] if step.tensors else step.shape
        found = step.attrs.get("axes", (step.attrs["axis"],) if "axis" in step.attrs else ())
        return [axis_text(shape, axis) for axis in found]

    @cached_property
    def values(self) -> Values:
        """All values of the Program, in this Module or not."""
        return Values.of(self.program.steps)

    def is_statistic(self, name: str) -> bool:
        """Whether a value was reduced over an axis, or is computed from such values and numbers alone."""
        return name in self.values.statistics

    def writers(self) -> Iterator[Part]:
        """Modules that it reads from."""
        numbers = {crossing.module for crossing in self.part.inputs}
        return (part for part in self.partition.parts if part.id in numbers)

    def readers(self) -> Iterator[Part]:
        """Modules that read what it writes."""
        return (p for p in self.partition.parts if any(c.module == self.part.id for c in p.inputs))

    def beside(self, part: Part) -> Subject:
        """Another Module of the same Partition."""
        return Subject(part, self.partition)
