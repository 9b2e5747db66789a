"""What crosses between Modules: the cheapest set of values to read, by a minimum cut over bytes (design.md 6.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from r0kit.golden.dims import Shape
from r0kit.golden.dtypes import BYTES
from r0kit.golden.program import Program, Section
from r0kit.partition.flow import Cone, Flow
from r0kit.partition.grouping import Group
from r0kit.partition.mincut import UNCUTTABLE, Node, source_side
from r0kit.partition.policy import Policy

SOURCE, SINK = "source", "sink"
# Steps of earlier Modules that one Module computes again at most; a longer way back costs more than a value on it stored
# and read, and makes the cut of a long chain slow.
RECOMPUTED = 64
UNBOUNDED = 1024  # elements assumed for an extent that neither SPEC's ranges nor its first p0 case give


class Sizes:
    """Bytes of every value of a Program with its symbols at `extents`."""

    def __init__(self, program: Program, extents: Mapping[str, int]) -> None:
        self._extents = extents
        self._bytes = {value.name: self._size(value.shape, value.dtype) for value in program.inputs}
        self._bytes |= {step.target: self._size(step.shape, step.dtype) for step in program.steps}

    def __getitem__(self, name: str) -> int:
        return self._bytes[name]

    def _size(self, shape: Shape, dtype: str) -> int:
        total = BYTES.get(dtype, 4)
        for extent in shape:
            bound = {name: self._extents.get(name, UNBOUNDED) for name in extent.symbols}
            try:
                total *= max(extent.evaluate(bound), 1)
            except ZeroDivisionError:
                total *= UNBOUNDED
        return total


@dataclass(frozen=True, slots=True)
class Module:
    """A group of anchors with the cheap Steps it computes itself, and the values it reads.

    offers: of its Steps, those that its one traversal can write for others that compute them too.
    """

    anchors: Group
    steps: tuple[str, ...]
    reads: tuple[str, ...]
    offers: frozenset[str]


def crossings(policy: Policy, groups: Sequence[Group], sizes: Sizes) -> list[Module]:
    """For each group what it computes and what it reads.

    A cheap value of an earlier Module is read rather than recomputed where that moves fewer bytes, its writing included;
    among equals the value is recomputed, so that a Step stands in the latest Module that adds no crossing value.
    """
    flow = policy.flow
    stored = set(flow.outputs)
    modules: list[Module] = []
    offered: set[str] = set()
    for group in groups:
        cone = _cone(flow, group, offered, sizes, stored)
        stored |= set(cone.spans) & offered
        modules.append(_module(flow, group, cone, frozenset((*group, *policy.writable(cone.steps, group)))))
        offered |= modules[-1].offers
    return modules


def _cone(flow: Flow, group: Group, offered: Set[str], sizes: Sizes, stored: Set[str]) -> Cone:
    """What the group computes itself, and reads from Modules that offer it."""
    if not _vector(flow, group):
        return flow.cone(*group)
    cone = flow.cone(*group, offered=offered, most=RECOMPUTED)
    candidates = frozenset(cone.steps) & offered
    if not candidates:
        return cone
    far = frozenset(cone.spans) & offered
    reading = _cut(flow, group, cone, candidates, sizes, stored) | far
    return flow.cone(*group, reading=reading) if reading else cone


def _vector(flow: Flow, group: Group) -> bool:
    return flow.section(group[0]) is Section.VECTOR


def _module(flow: Flow, group: Group, cone: Cone, offers: frozenset[str]) -> Module:
    steps = sorted((*group, *cone.steps), key=flow.order.__getitem__)
    inputs = [value.name for value in flow.program.inputs if value.name in cone.inputs]
    reads = [*inputs, *sorted((name for name in cone.spans if name not in group), key=flow.order.__getitem__)]
    return Module(group, tuple(steps), tuple(reads), offers)


def _cut(
    flow: Flow, group: Group, cone: Cone, candidates: frozenset[str], sizes: Sizes, stored: Set[str]
) -> frozenset[str]:
    """The candidates to read: a minimum vertex cut between what is on hand and the anchors, the one nearest to it."""
    edges: list[tuple[Node, Node, int]] = []
    for name in (*cone.inputs, *(source for source in cone.spans if source not in group)):
        price = sizes[name] if name not in flow.steps or name in flow.anchor_set else _price(name, sizes, stored)
        edges += [(SOURCE, (name, "in"), UNCUTTABLE), ((name, "in"), (name, "out"), price)]
    for name in cone.steps:
        price = _price(name, sizes, stored) if name in candidates else UNCUTTABLE
        edges.append(((name, "in"), (name, "out"), price))
    for name in (*cone.steps, *group):
        head: Node = SINK if name in group else (name, "in")
        edges += [((operand, "out"), head, UNCUTTABLE) for operand in flow.operands[name] if operand not in group]
    side = source_side(edges, SOURCE, SINK)
    return frozenset(name for name in candidates if (name, "in") in side and (name, "out") not in side)


def _price(name: str, sizes: Sizes, stored: Set[str]) -> int:
    """Bytes to read a value, and to write it where nothing else has it written."""
    return sizes[name] * (1 if name in stored else 2)


def written(flow: Flow, modules: Sequence[Module]) -> list[tuple[str, ...]]:
    """Per Module the values that others read or the golden returns, in order."""
    read = {name for module in modules for name in module.reads} | flow.outputs
    home: dict[str, int] = {}
    for number, module in enumerate(modules):
        for name in module.steps:
            if name in module.offers and (name in module.anchors or name in read):
                home.setdefault(name, number)
    return [
        tuple(name for name in module.steps if name in read and home[name] == number)
        for number, module in enumerate(modules)
    ]


def traffic(flow: Flow, modules: Sequence[Module], sizes: Sizes) -> int:
    """Bytes through GM: every value read once by each Module that reads it, and written once."""
    reads = sum(sizes[name] for module in modules for name in module.reads)
    return reads + sum(sizes[name] for values in written(flow, modules) for name in values)


def floor(program: Program, sizes: Sizes) -> int:
    """Bytes that no partition can avoid: each input read once, each output written once."""
    values = {value.name for value in program.inputs} | {output.value for output in program.outputs}
    return sum(sizes[name] for name in values)
