"""How values flow between anchors: the Steps that Modules are made of, and the cheap Steps around them.

An anchor is a Step that is computed in exactly one Module: a reduction, contraction, ordering, scan, scatter, random or
opaque Step, an epilogue on an accumulator, a value that a contraction takes from the vector section, a final output.
Every other Step is cheap (elementwise, cast, layout, creation, gather): a Module recomputes it from values that cross
anyway, or reads it where that moves fewer bytes.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import chain

from r0kit.golden.axes import Atoms, Axes
from r0kit.golden.dtypes import BYTES
from r0kit.golden.program import Kind, Program, Section
from r0kit.golden.runtime import telling
from r0kit.partition.epilogue import consumers_of, epilogues, folds
from r0kit.partition.pins import NO_PINS, Pins

CHEAP = frozenset({Kind.ELEMENTWISE, Kind.LAYOUT, Kind.CREATION, Kind.GATHER})
SCATTERS = ("scatter", "index_add", "index_put", "index_copy", "index_reduce", "masked_scatter")


@dataclass(frozen=True, slots=True)
class Cone:
    """What an anchor is computed from.

    steps: its cheap Steps, in order; spans: per source anchor, the axes run over on every way from it (the anchor's own
    included); inputs: the primary inputs it reads; telling: sources behind a tensor that tells an extent of its Steps.
    """

    steps: tuple[str, ...]
    spans: dict[str, Atoms]
    inputs: frozenset[str]
    telling: frozenset[str] = frozenset()


class Flow:
    """The Program seen as anchors and their cones."""

    def __init__(self, program: Program, pins: Pins = NO_PINS) -> None:
        self.program, self.pins = program, pins
        self.axes = Axes(program)
        self.epilogues = epilogues(program)
        self.steps = {step.target: step for step in program.steps}
        self.order = {step.target: number for number, step in enumerate(program.steps)}
        self.dtypes = {value.name: value.dtype for value in program.inputs} | {s.target: s.dtype for s in program.steps}
        self.outputs = frozenset(output.value for output in program.outputs)
        self.consumers = consumers_of(program)
        self.telling = telling(program)

    def section(self, name: str) -> Section:
        """Cube for contractions and the epilogues of their accumulators, vector for everything else."""
        return self._sections[name]

    @cached_property
    def _sections(self) -> dict[str, Section]:
        cube = {name for name, step in self.steps.items() if step.kind is Kind.CONTRACTION} | self.epilogues
        return {name: Section.CUBE if name in cube else Section.VECTOR for name in self.steps} | dict(self.pins.section)

    def heavy(self, name: str) -> bool:
        """Whether recomputing the Step would repeat more than reading its operands."""
        step = self.steps[name]
        if step.op == "project":
            return True  # what a loop leaves is read from the Module of the loop, result by result
        return step.kind not in CHEAP or step.op.startswith(SCATTERS) or name in self.epilogues

    @cached_property
    def anchors(self) -> tuple[str, ...]:
        """All anchors, in the Program's order."""
        pinned = (
            self.pins.split_after | frozenset(chain.from_iterable(self.pins.keep_together)) | set(self.pins.section)
        )
        found = {name for name in self.steps if self.heavy(name) or name in self.outputs or name in pinned}
        for step in self.program.steps:
            if step.kind is Kind.CONTRACTION:
                found.update(*(self._handed_over(operand, found) for operand in step.tensors))
        return tuple(sorted(found, key=self.order.__getitem__))

    @cached_property
    def anchor_set(self) -> frozenset[str]:
        return frozenset(self.anchors)

    @cached_property
    def cones(self) -> dict[str, Cone]:
        return {name: self.cone(name) for name in self.anchors}

    def _handed_over(self, operand: str, anchors: set[str]) -> list[str]:
        """The value that the vector section hands to a contraction, or none where only layout and casts are on the way."""
        way: list[str] = []
        name = operand
        while name in self.steps and name not in anchors:
            way.append(name)
            step = self.steps[name]
            if not folds(step) or len(step.tensors) > 1:
                return [self._smallest(way)] if self._computes(name) else []
            if not step.tensors:
                return []
            name = step.tensors[0]
        vector = name in self.steps and self.section(name) is Section.VECTOR
        smallest = self._smallest(way) if way and vector else ""
        return [smallest] if smallest and self.steps[smallest].op == "cast" else []

    def _computes(self, name: str) -> bool:
        """Whether any Step up to the next anchors or inputs does more than move, retype or create data."""
        seen, pending = {name}, [name]  # no recursion: a store per trip makes a chain as long as the golden
        while pending:
            step = self.steps[pending.pop()]
            if not folds(step):
                return True
            cheap = {one for one in step.tensors if one in self.steps and not self.heavy(one)} - self.outputs - seen
            seen |= cheap
            pending.extend(cheap)
        return False

    def _smallest(self, way: list[str]) -> str:
        """Of a way from consumer to producer, the value to hand over: the producer, or the first cast that narrows it."""
        best = way[-1]
        for name in reversed(way):
            if self.steps[name].op == "cast" and BYTES[self.steps[name].dtype] < BYTES[self.steps[best].dtype]:
                best = name
        return best

    @cached_property
    def spaces(self) -> dict[str, Atoms]:
        """Axes that each Step runs over."""
        return {name: self.axes.space(step) for name, step in self.steps.items()}

    @cached_property
    def operands(self) -> dict[str, tuple[str, ...]]:
        """Tensors that each Step reads, those that tell its extents included."""
        return {
            name: tuple(dict.fromkeys((*step.tensors, *self.telling.get(name, ()))))
            for name, step in self.steps.items()
        }

    def cone(
        self,
        *anchors: str,
        reading: Set[str] = frozenset(),
        offered: Set[str] = frozenset(),
        most: int = 0,
    ) -> Cone:
        """The cone of anchors that are computed together; values in `reading` are read, not recomputed.

        offered: values that others have; once the cone has `most` of them, the nearest ones, it reads those behind.
        """
        stop = (self.anchor_set | reading) - set(anchors)
        below: dict[str, Atoms] = {name: self.spaces[name] for name in anchors}
        spans: dict[str, Atoms] = {}
        inputs: set[str] = set()
        queue = [-self.order[name] for name in anchors]
        queue.sort()
        done: list[str] = []
        told: set[str] = set()
        again = 0
        while queue:
            name = self.program.steps[-heappop(queue)].target
            done.append(name)
            again += name in offered
            told.update(self.operands[name] if name in told else self.telling.get(name, ()))
            for operand in self.operands[name]:
                if operand not in self.steps:
                    inputs.add(operand)
                elif operand in stop or (again >= most and operand in offered and operand not in below):
                    spans[operand] = spans.get(operand, frozenset()) | below[name]
                else:
                    if operand not in below:
                        heappush(queue, -self.order[operand])
                        below[operand] = self.spaces[operand]
                    below[operand] |= below[name]
        steps = tuple(name for name in reversed(done) if name not in anchors)
        return Cone(steps, spans, frozenset(inputs), frozenset(told & spans.keys()))
