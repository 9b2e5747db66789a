"""From drawn Modules to the Partition: values, boundaries with their reasons, traversals with their states."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from r0kit.golden.axes import Atoms
from r0kit.golden.program import Kind, Section, Step
from r0kit.partition.crossing import Module, written
from r0kit.partition.flow import Flow
from r0kit.partition.merging import conflicts
from r0kit.partition.model import Boundary, BoundaryKind, Crossing, Part, State, Traversal
from r0kit.partition.modules import levels
from r0kit.partition.policy import NONE, Policy
from r0kit.partition.recurrences import NEG_LARGE, Occurrence


@dataclass(frozen=True, slots=True)
class _Places:
    """Module that writes each crossing value, Module that computes each anchor, and what anchors carry."""

    home: Mapping[str, int]
    owner: Mapping[str, int]
    carried: Mapping[str, Mapping[str, Atoms]]


def parts(
    policy: Policy, modules: Sequence[Module], used: Sequence[Occurrence], forced: frozenset[str] = frozenset()
) -> tuple[Part, ...]:
    """The Modules of a Partition, numbered from 1; `forced` names the first anchors of those that capacity began."""
    flow = policy.flow
    outputs = written(flow, modules)
    home = {name: number for number, values in enumerate(outputs, 1) for name in values}
    owner = {anchor: number for number, module in enumerate(modules, 1) for anchor in module.anchors}
    places = _Places(home, owner, levels(policy).carried)
    return tuple(
        Part(
            number,
            flow.section(module.anchors[0]),
            tuple(flow.steps[name] for name in module.steps),
            tuple(Crossing(name, home.get(name, 0)) for name in module.reads),
            outputs[number - 1],
            tuple(_boundaries(policy, module, places, module.anchors[0] in forced)),
            _traversal(policy, module, used),
        )
        for number, module in enumerate(modules, 1)
    )


@dataclass(frozen=True, slots=True)
class _Reason:
    """Why `anchor` may not run in the Module of `source`."""

    source: str
    anchor: str
    kind: BoundaryKind
    axes: Atoms


def _boundaries(policy: Policy, module: Module, places: _Places, forced: bool) -> Iterator[Boundary]:
    """One record for each value of another Module that this one has to wait for, or was parted from by capacity.

    A cheap value that is read rather than recomputed waits for what the Module that writes it has reduced.
    """
    reasons = list(_reasons(policy, module, places, forced))
    seen: set[tuple[str, BoundaryKind]] = set()
    for reason in reasons:
        if reason.source in module.reads and (reason.source, reason.kind) not in seen:
            seen.add((reason.source, reason.kind))
            yield _boundary(policy.flow, reason, reason.source, places)
    for value in module.reads:
        if value in policy.flow.steps and value not in policy.flow.anchor_set:
            own = [reason for reason in reasons if places.owner[reason.source] == places.home[value]]
            yield from (_boundary(policy.flow, reason, value, places) for reason in (own or reasons)[:1])


def _reasons(policy: Policy, module: Module, places: _Places, forced: bool) -> Iterator[_Reason]:
    flow = policy.flow
    for anchor in module.anchors:
        for source in sorted(flow.cones[anchor].spans, key=flow.order.__getitem__):
            reason = policy.boundary(source, anchor, places.carried[source])
            if reason is None and forced and flow.section(source) is flow.section(anchor):
                reason = BoundaryKind.CAPACITY, NONE
            if reason is not None and source not in module.anchors:
                yield _Reason(source, anchor, *reason)


def _boundary(flow: Flow, reason: _Reason, value: str, places: _Places) -> Boundary:
    names = ", ".join(flow.axes.name(atom) for atom in sorted(reason.axes))
    told = reason.source in flow.cones[reason.anchor].telling and not names
    return Boundary(reason.kind, places.home[value], value, names, _line(flow, reason), told)


def _line(flow: Flow, reason: _Reason) -> int:
    """Line of the first Step after the source, on the way to the anchor, that runs over the axes."""
    dependent = {reason.source}
    steps = flow.cones[reason.anchor].steps
    behind = bisect_right(steps, flow.order[reason.source], key=flow.order.__getitem__)
    for name in (*steps[behind:], reason.anchor):
        step = flow.steps[name]
        if not dependent.isdisjoint(flow.operands[name]):
            dependent.add(name)
            if not reason.axes or flow.spaces[name] & reason.axes:
                return step.span.line
    return flow.steps[reason.anchor].span.line


def _traversal(policy: Policy, module: Module, used: Sequence[Occurrence]) -> Traversal:
    flow = policy.flow
    steps = [flow.steps[name] for name in module.steps]
    space = frozenset().union(*(flow.axes.space(step) for step in steps))
    whole = frozenset().union(*(flow.axes.whole(step) for step in steps))
    own = [occurrence for occurrence in used if _within(occurrence, module)]
    open_policy = Policy(flow, covered=policy.covered, pins=policy.pins)
    resident = conflicts(open_policy, module.anchors)
    algorithm = "resident" if resident else "online" if own else "single"
    names = tuple(dict.fromkeys(occurrence.recurrence for occurrence in own))
    return Traversal(
        _named(flow, space, space),
        _named(flow, whole, space),
        algorithm,
        () if resident else tuple(_states(flow, module, used)),
        "+".join(names),
        frozenset(map(flow.axes.name, space)),
        frozenset(map(flow.axes.name, whole)),
    )


def _named(flow: Flow, atoms: Atoms, space: Atoms) -> tuple[str, ...]:
    """Names of axes in a Module that runs over `space`: the extent alone, unless two axes there share it."""
    names = dict(zip(sorted(space), (flow.axes.name(atom) for atom in sorted(space)), strict=True))
    sharing: dict[str, set[str]] = {}
    for atom, name in names.items():
        sharing.setdefault(str(flow.axes.extent(atom)), set()).add(name)
    extents = {atom: str(flow.axes.extent(atom)) for atom in sorted(atoms)}
    return tuple(dict.fromkeys(names[a] if len(sharing[extent]) > 1 else extent for a, extent in extents.items()))


def _within(occurrence: Occurrence, module: Module) -> bool:
    return any(a in module.anchors and b in module.anchors for a, b in occurrence.covers)


ACCUMULATORS = {
    "sum": ("0", "{0} = {0} + sum(tile)", "tail elements contribute 0"),
    "mean": ("0", "{0} = {0} + sum(tile) / {1}", "tail elements contribute 0"),
    "prod": ("1", "{0} = {0} * prod(tile)", "tail elements contribute 1"),
    "amax": (NEG_LARGE, "{0} = max({0}, amax(tile))", f"tail elements = {NEG_LARGE}"),
    "amin": ("1.0e30", "{0} = min({0}, amin(tile))", "tail elements = 1.0e30"),
    "any": ("false", "{0} = {0} or any(tile)", "tail elements = false"),
    "all": ("true", "{0} = {0} and all(tile)", "tail elements = true"),
    "count_nonzero": ("0", "{0} = {0} + count_nonzero(tile)", "tail elements contribute 0"),
    "argmax": (f"({NEG_LARGE}, 0)", "keep value and place of the larger", f"tail elements = {NEG_LARGE}"),
    "argmin": ("(1.0e30, 0)", "keep value and place of the smaller", "tail elements = 1.0e30"),
}


def _states(flow: Flow, module: Module, used: Sequence[Occurrence]) -> Iterator[State]:
    """What the Module carries over its tiles: states of its recurrences, then an accumulator per other reduction."""
    given: set[str] = set()
    for occurrence in used:
        for state in occurrence.states:
            if state.name not in given and _carries(flow, state.name, module, occurrence):
                given.add(state.name)
                yield state
    for name in module.anchors:
        step = flow.steps[name]
        if step.op in ACCUMULATORS and step.kind is Kind.REDUCTION and name not in given:
            initial, update, mask = (_of_dtype(text, flow.dtypes[step.tensors[0]]) for text in ACCUMULATORS[step.op])
            yield State(
                name,
                "float32" if step.dtype.startswith(("float", "bfloat")) else step.dtype,
                initial,
                update.format(name, _count(flow, step)),
                mask,
                frozenset(map(flow.axes.name, flow.axes.whole(step))),
            )


def _count(flow: Flow, step: Step) -> str:
    """How many elements a reduction takes together: the extents of its axes, as one divisor."""
    extents = [str(flow.axes.extent(atom)) for atom in dict.fromkeys(flow.axes.needed(step))]
    texts = [extent if extent.isalnum() or extent.isidentifier() else f"({extent})" for extent in extents]
    return texts[0] if len(texts) == 1 else f"({' * '.join(texts)})"


LEAST = {"int8": -(2**7), "int16": -(2**15), "int32": -(2**31), "int64": -(2**63)}


def _of_dtype(text: str, dtype: str) -> str:
    """The text of an accumulator over elements of `dtype`: the sentinel of an integer is its least or greatest value."""
    if dtype.startswith(("float", "bfloat")):
        return text
    least, greatest = str(LEAST.get(dtype, 0)), str(-LEAST.get(dtype, 0) - 1) if dtype in LEAST else f"max of {dtype}"
    return text.replace(NEG_LARGE, least).replace("1.0e30", greatest)


def _carries(flow: Flow, state: str, module: Module, occurrence: Occurrence) -> bool:
    """A statistic is carried where it is computed; an output accumulated over tiles, where vector code rescales it."""
    if state in flow.steps and flow.section(state) is Section.CUBE:
        return state in module.reads
    return state in module.anchors or (state not in flow.steps and _within(occurrence, module))
