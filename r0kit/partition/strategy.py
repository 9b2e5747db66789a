"""Which scheme each reduction axis gets: conventional, online, or resident (design.md section 6.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from r0kit.golden.axes import Atoms, Axis, bound_of
from r0kit.golden.dims import product
from r0kit.golden.program import Kind, Program, Section
from r0kit.partition.capacity import Length, Peak, all_at, at_bounds, limit, peak
from r0kit.partition.crossing import Module, Sizes, crossings
from r0kit.partition.flow import Flow
from r0kit.partition.model import AxisDecision, BoundaryKind, Strategy
from r0kit.partition.modules import draw, levels
from r0kit.partition.pins import Pins
from r0kit.partition.policy import NONE, Policy
from r0kit.partition.recurrences import Occurrence, occurrences
from r0kit.partition.rewrite import move_divisions
from r0kit.platform import Platform


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What decisions depend on beside the Program: the wanted strategy, the platform, SPEC's bounds, and pins.

    bounds: upper bound per symbol; extents: those, and the first p0 case where SPEC gives no range.
    """

    strategy: Strategy
    platform: Platform
    bounds: Mapping[str, int]
    extents: Mapping[str, int]
    pins: Pins


@dataclass(frozen=True, slots=True)
class Reductions:
    """Reductions of one set of axes, which share one fate: the axes, and the anchors that need them whole."""

    axes: Atoms
    anchors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The Program to partition (rewritten where an axis is online; `golden` before that), its policy, and why."""

    golden: Program
    program: Program
    policy: Policy
    decisions: tuple[AxisDecision, ...]
    occurrences: tuple[Occurrence, ...]


@dataclass(slots=True)
class _Settled:
    """Groups decided so far, and the axes that are resident by those decisions."""

    groups: list[tuple[Reductions, AxisDecision]]
    resident: Atoms = NONE

    @property
    def axes(self) -> Atoms:
        return frozenset().union(*(group.axes for group, _ in self.groups))

    def add(self, group: Reductions, decision: AxisDecision) -> None:
        self.groups.append((group, decision))
        if decision.scheme is Strategy.SINGLE_TILE:
            self.resident |= group.axes


def choose(program: Program, given: Circumstances) -> Choice:
    """Decide every reduction axis of the Program.

    An axis held on chip takes boundaries away, and what then shares a Module may run over other axes again; so the
    question is asked until nothing new turns up.
    """
    flow = Flow(program, given.pins)
    settled = _Settled([])
    while again := retraversed(Policy(flow, settled.resident, pins=given.pins)) - settled.axes:
        for group in reductions(flow, again):
            if group.axes & again:
                settled.add(group, _decide(flow, group, settled.resident, given))
    for group in reductions(flow, settled.axes):
        if not group.axes & settled.axes and _reduces(flow, group):
            reason = "one traversal is enough: nothing runs over the axis after it"
            settled.groups.append((group, _as(_open(flow, group, given), Strategy.CONVENTIONAL, reason)))
    return _carry_out(program, flow, settled, given)


def _reduces(flow: Flow, group: Reductions) -> bool:
    """Whether any of its anchors reduces or orders the axes, rather than be a loop or call that may do anything to them."""
    unread = (Kind.LOOP, Kind.OPAQUE, Kind.LAYOUT)  # the last for what a loop leaves
    return any(flow.steps[anchor].kind not in unread for anchor in group.anchors)


def reductions(flow: Flow, again: Atoms) -> list[Reductions]:
    """The vector reductions of the Program by the axes they need whole and that are run over `again`.

    Sets that overlap are one; a reduction none of whose axes is run over again counts with all of its axes.
    """
    groups: list[tuple[set[int], list[str]]] = []
    for anchor in flow.anchors:
        whole = flow.axes.whole(flow.steps[anchor])
        axes = whole & again or whole
        if not axes or flow.section(anchor) is Section.CUBE:
            continue
        touching = [group for group in groups if group[0] & axes]
        merged = (set(axes).union(*(g[0] for g in touching)), [*(a for g in touching for a in g[1]), anchor])
        groups = [*(g for g in groups if g not in touching), merged]
    ordered = sorted(groups, key=lambda group: flow.order[group[1][0]])
    return [Reductions(frozenset(axes), tuple(anchors)) for axes, anchors in ordered]


def retraversed(policy: Policy) -> Atoms:
    """Axes over which some anchor runs again after an anchor it depends on has needed them whole."""
    found = levels(policy)
    flow = policy.flow
    axes: Atoms = NONE
    for anchor in flow.anchors:
        for source, spans in flow.cones[anchor].spans.items():
            reason = None if spans <= axes else policy.boundary(source, anchor, found.carried[source])
            if reason and reason[0] is BoundaryKind.DATA_DEPENDENCE:
                axes |= reason[1]
    return axes


def _decide(flow: Flow, group: Reductions, resident: Atoms, given: Circumstances) -> AxisDecision:
    most, tiles, fitting = _residency(flow, group, resident, given)
    decision = replace(_open(flow, group, given), limit=most, buffers=tiles)
    axis = decision.axis
    if given.strategy is Strategy.SINGLE_TILE or _pinned(axis, given.pins):
        return _as(decision, Strategy.SINGLE_TILE, "pinned" if _pinned(axis, given.pins) else "strategy single_tile")
    if given.strategy is Strategy.AUTO and fitting:
        reason = f"bounded by {axis.bound}, and the live tiles fit UB of {given.platform.ub} bytes up to {most}"
        return _as(decision, Strategy.SINGLE_TILE, reason)
    return _without_residency(flow, group, decision, given)


def _open(flow: Flow, group: Reductions, given: Circumstances) -> AxisDecision:
    """A decision about the group that nobody has taken yet."""
    names = tuple(flow.axes.name(atom) for atom in sorted(group.axes))
    return AxisDecision(named(flow, group.axes, given.bounds), Strategy.CONVENTIONAL, "", names=names)


def _without_residency(flow: Flow, group: Reductions, decision: AxisDecision, given: Circumstances) -> AxisDecision:
    if given.strategy is Strategy.CONVENTIONAL:
        return _as(decision, Strategy.CONVENTIONAL, "strategy conventional: one Module per traversal")
    bound = decision.axis.bound
    open_end = "has no bound in SPEC" if bound is None else f"may be {bound}, beyond the {decision.limit} that fit UB"
    prefix = "" if given.strategy is Strategy.ONLINE else f"the axis {open_end}; "
    known = sorted({o.recurrence for o in _recurrences(flow.program, given) if o.anchor in group.anchors})
    if known:
        return _as(decision, Strategy.ONLINE, f"{prefix}one traversal keeps the statistics ({', '.join(known)})")
    return _as(decision, Strategy.CONVENTIONAL, f"{prefix}no recurrence is known: one Module per traversal")


def _recurrences(program: Program, given: Circumstances) -> tuple[Occurrence, ...]:
    return occurrences(Flow(move_divisions(program), given.pins))


def _residency(
    flow: Flow, group: Reductions, resident: Atoms, given: Circumstances
) -> tuple[int, tuple[tuple[str, int], ...], bool]:
    """(largest extent that fits, the tiles that fill UB there, whether SPEC's bound fits) with the group on chip."""
    whole = resident | group.axes
    policy = Policy(flow, whole, pins=given.pins)
    modules = [
        module
        for module in crossings(policy, draw(policy), Sizes(flow.program, given.extents))
        if set(module.anchors) & set(group.anchors)
    ]
    most = limit(flow, modules, group.axes, given.platform)
    bounded = all(bound_of(flow.axes.extent(atom), given.bounds) is not None for atom in group.axes)
    worst = _worst(flow, modules, whole, at_bounds(flow, given.extents), given.platform)
    filling = _worst(flow, modules, group.axes, all_at(max(most, 1)), given.platform)
    return most, filling.tiles, bounded and worst.size <= given.platform.ub


def _worst(flow: Flow, modules: Iterable[Module], whole: Atoms, length: Length, platform: Platform) -> Peak:
    peaks = (peak(flow, module, whole, length, platform) for module in modules)
    return max(peaks, key=lambda found: found.size, default=Peak(0, ()))


def _carry_out(program: Program, flow: Flow, settled: _Settled, given: Circumstances) -> Choice:
    """The policy that follows from the decisions, over the Program rewritten where an axis is online."""
    online = [group for group, decision in settled.groups if decision.scheme is Strategy.ONLINE]
    anchors = {anchor for group in online for anchor in group.anchors}
    axes = frozenset().union(*(group.axes for group in online))
    rewritten = move_divisions(program, axes) if online else program
    final = Flow(rewritten, given.pins) if rewritten is not program else flow
    used = tuple(o for o in occurrences(final) if o.anchor in anchors) if online else ()
    covered = frozenset(pair for occurrence in used for pair in occurrence.covers)
    resident = _translated(settled.resident, flow, final)
    decisions = tuple(decision for _, decision in settled.groups)
    return Choice(program, rewritten, Policy(final, resident, covered, given.pins), decisions, used)


def _translated(atoms: Atoms, flow: Flow, final: Flow) -> Atoms:
    """The same axes in the rewritten Program, by the anchors that need them in both."""
    if final is flow:
        return atoms
    same: dict[int, int] = {}
    for anchor in flow.anchors:
        if anchor in final.steps:
            pairs = zip(flow.axes.needed(flow.steps[anchor]), final.axes.needed(final.steps[anchor]), strict=False)
            same.update(pairs)
    return frozenset(same[atom] for atom in atoms if atom in same)


def named(flow: Flow, atoms: Iterable[int], bounds: Mapping[str, int]) -> Axis:
    """Axes that are reduced together, as one: names joined, extents and bounds multiplied."""
    ordered = sorted(atoms)
    extent = product(flow.axes.extent(atom) for atom in ordered)
    name = "*".join(flow.axes.name(atom) for atom in ordered)
    return Axis(ordered[0], name, extent, bound_of(extent, bounds))


def _pinned(axis: Axis, pins: Pins) -> bool:
    return bool(pins.resident & set(axis.name.split("*")))


def _as(decision: AxisDecision, scheme: Strategy, reason: str) -> AxisDecision:
    return replace(decision, scheme=scheme, reason=reason)


__all__ = ["Choice", "Circumstances", "Module", "choose"]
