"""Boundaries that capacity forces: a Module whose live tiles do not fit is split at the smallest cut (design.md 6.9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from r0kit.finding import Finding, Location, Severity
from r0kit.golden.axes import Atoms
from r0kit.golden.program import Kind, Section
from r0kit.partition.capacity import Peak, at_bounds, peak
from r0kit.partition.crossing import Module, Sizes, crossings, traffic
from r0kit.partition.grouping import Group, ordered
from r0kit.partition.policy import Policy
from r0kit.partition.strategy import Circumstances


@dataclass(frozen=True, slots=True)
class Split:
    """Groups after splitting, and what still does not fit. `forced`: first anchors of the Modules that capacity began."""

    groups: list[Group]
    forced: frozenset[str]
    findings: tuple[Finding, ...]


def split(policy: Policy, groups: Sequence[Group], given: Circumstances) -> Split:
    """Split every Module that holds an axis it cannot tile (sorted, selected from, resident) and overflows UB with it."""
    done: list[Group] = []
    forced: set[str] = set()
    findings: list[Finding] = []
    for group in groups:
        whole = untileable(policy, group)
        if not whole or _peak(policy, group, whole, given).size <= given.platform.ub:
            done.append(group)
            continue
        halves = _best(policy, groups, group, given)
        done.extend(halves)
        forced.update(half[0] for half in halves[1:])
        findings.extend(_too_large(policy, half, given) for half in halves if _overflows(policy, half, given))
    return Split(ordered(policy.flow, done) if forced else done, frozenset(forced), tuple(findings))


def untileable(policy: Policy, group: Group) -> Atoms:
    """Axes that the group must hold whole: resident ones, and those that it sorts or selects from."""
    flow = policy.flow
    if flow.section(group[0]) is Section.CUBE:
        return frozenset()
    steps = [flow.steps[name] for name in group]
    ordering = [flow.axes.whole(step) for step in steps if step.kind is Kind.ORDERING]
    spanned = frozenset().union(*(flow.axes.space(step) for step in steps))
    return frozenset().union(*ordering) | (policy.resident & spanned)


def _best(policy: Policy, groups: Sequence[Group], group: Group, given: Circumstances) -> list[Group]:
    """The two halves that fit and cross the fewest bytes; the group itself where no split fits."""
    sizes = Sizes(policy.flow.program, given.extents)
    others = [other for other in groups if other != group]
    fitting: list[tuple[int, list[Group]]] = []
    for at in range(1, len(group)):
        halves = [group[:at], group[at:]]
        trial = [*others, *halves]
        if not any(_overflows(policy, half, given) for half in halves):
            moved = traffic(policy.flow, crossings(policy, ordered(policy.flow, trial), sizes), sizes)
            fitting.append((moved, halves))
    return min(fitting, key=lambda found: found[0])[1] if fitting else [group]


def _overflows(policy: Policy, group: Group, given: Circumstances) -> bool:
    whole = untileable(policy, group)
    return bool(whole) and _peak(policy, group, whole, given).size > given.platform.ub


def _peak(policy: Policy, group: Group, whole: Atoms, given: Circumstances) -> Peak:
    module = _module(policy, group)
    return peak(policy.flow, module, whole, at_bounds(policy.flow, given.extents), given.platform)


def _module(policy: Policy, group: Group) -> Module:
    cone = policy.flow.cone(*group)
    steps = sorted((*group, *cone.steps), key=policy.flow.order.__getitem__)
    return Module(group, tuple(steps), (), frozenset())


def _too_large(policy: Policy, group: Group, given: Circumstances) -> Finding:
    flow = policy.flow
    whole = untileable(policy, group)
    worst = _peak(policy, group, whole, given)
    names = ", ".join(flow.axes.name(atom) for atom in sorted(whole))
    tiles = ", ".join(f"{name} {size}" for name, size in worst.tiles)
    step = flow.steps[group[0]]
    return Finding(
        "partition.capacity",
        Severity.WARNING,
        f"holding {names} whole takes {worst.size} bytes of UB ({given.platform.ub} there): {tiles}",
        Location(flow.program.path, step.span.line, step.span.column),
        "bound the axis in SPEC's dynamic_axes_ranges, or choose an algorithm that works on tiles of it",
    )
