"""From drawn Modules to the Partition: values, boundaries with their reasons, traversals with their states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from r0kit.golden.program import Kind, Section
from r0kit.partition.crossing import Module, written
from r0kit.partition.flow import Flow
from r0kit.partition.model import Boundary, BoundaryKind, Crossing, Part, State, Traversal
from r0kit.partition.modules import conflicts, levels
from r0kit.partition.policy import NONE, Policy
from r0kit.partition.recurrences import NEG_LARGE, Occurrence


def parts(
    policy: Policy, modules: Sequence[Module], used: Sequence[Occurrence], forced: frozenset[str] = frozenset()
) -> tuple[Part, ...]:
    """The Modules of a Partition, numbered from 1; `forced` names the first anchors of those that capacity began."""
    outputs = written(policy.flow, modules)
    home = {name: number for number, values in enumerate(outputs, 1) for name in values}
    return tuple(
        _part(policy, number, module, outputs[number - 1], home, used, module.anchors[0] in forced)
        for number, module in enumerate(modules, 1)
    )


def _part(
    policy: Policy,
    number: int,
    module: Module,
    outputs: tuple[str, ...],
    home: dict[str, int],
    used: Sequence[Occurrence],
    forced: bool,
) -> Part:
    flow = policy.flow
    return Part(
        number,
        flow.section(module.anchors[0]),
        tuple(flow.steps[name] for name in module.steps),
        tuple(Crossing(name, home.get(name, 0)) for name in module.reads),
        outputs,
        tuple(_boundaries(policy, module, home, forced)),
        _traversal(policy, module, used),
    )


def _boundaries(policy: Policy, module: Module, home: dict[str, int], forced: bool) -> Iterator[Boundary]:
    """One record for each value of another Module that this one has to wait for, or was parted from by capacity."""
    flow = policy.flow
    carried = levels(policy).carried
    seen: set[tuple[str, BoundaryKind]] = set()
    for anchor in module.anchors:
        for source in sorted(flow.cones[anchor].spans, key=flow.order.__getitem__):
            reason = policy.boundary(source, anchor, carried[source])
            if reason is None and forced and flow.section(source) is flow.section(anchor):
                reason = BoundaryKind.CAPACITY, NONE
            if source in module.anchors or reason is None or (source, reason[0]) in seen:
                continue
            kind, axes = reason
            seen.add((source, kind))
            names = ", ".join(flow.axes.name(atom) for atom in sorted(axes))
            yield Boundary(kind, home.get(source, 0), source, names, _line(flow, source, anchor, axes))


def _line(flow: Flow, source: str, anchor: str, axes: frozenset[int]) -> int:
    """Line of the first Step after `source`, on the way to `anchor`, that runs over the axes."""
    dependent = {source}
    for name in (*flow.cones[anchor].steps, anchor):
        step = flow.steps[name]
        if dependent & set(step.tensors):
            dependent.add(name)
            if not axes or flow.axes.space(step) & axes:
                return step.span.line
    return flow.steps[anchor].span.line


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
        tuple(flow.axes.name(atom) for atom in sorted(space)),
        tuple(flow.axes.name(atom) for atom in sorted(whole)),
        algorithm,
        () if resident else tuple(_states(flow, module, used)),
        "+".join(names),
    )


def _within(occurrence: Occurrence, module: Module) -> bool:
    return any(a in module.anchors and b in module.anchors for a, b in occurrence.covers)


ACCUMULATORS = {
    "sum": ("0", "{0} = {0} + sum(tile)", "tail elements contribute 0"),
    "mean": ("0", "{0} = {0} + sum(tile) / n", "tail elements contribute 0"),
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
            initial, update, mask = ACCUMULATORS[step.op]
            yield State(
                name,
                "float32" if step.dtype.startswith(("float", "bfloat")) else step.dtype,
                initial,
                update.format(name),
                mask,
            )


def _carries(flow: Flow, state: str, module: Module, occurrence: Occurrence) -> bool:
    """A statistic is carried where it is computed; an output accumulated over tiles, where vector code rescales it."""
    if state in flow.steps and flow.section(state) is Section.CUBE:
        return state in module.reads
    return state in module.anchors or (state not in flow.steps and _within(occurrence, module))
