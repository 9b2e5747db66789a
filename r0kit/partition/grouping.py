"""Groups of anchors that make one Module: their order, and the iteration spaces by which two of them are alike."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from r0kit.golden.program import Section
from r0kit.partition.flow import Flow

Group = tuple[str, ...]  # the anchors of one Module, in the Program's order


def in_order(flow: Flow, anchors: Iterable[str]) -> Group:
    return tuple(sorted(anchors, key=flow.order.__getitem__))


def own_spaces(flow: Flow, group: Group) -> set[object]:
    """What two groups share where their iteration spaces are equal: the axes of the group or of one of its anchors, or
    the same extents over a common source."""
    spaces = {flow.spaces[name] for name in group}
    axes = frozenset().union(*spaces)
    extents = tuple(sorted(str(flow.axes.extent(atom)) for atom in axes))
    sources = {name for anchor in group for name in (*flow.cones[anchor].inputs, *flow.cones[anchor].spans)}
    found: set[object] = {axes, *spaces, *((extents, source) for source in sources - set(group))}
    return found - {frozenset()}


def passed_spaces(flow: Flow, group: Group) -> set[object]:
    """Spaces of the cheap vector Steps that a group computes on the way to its anchors."""
    if flow.section(group[0]) is Section.CUBE:
        return set()
    spaces: set[object] = {flow.spaces[name] for anchor in group for name in flow.cones[anchor].steps}
    return spaces - {frozenset()}


def ordered(flow: Flow, groups: Iterable[Group]) -> list[Group]:
    """Groups by topology, then by the first anchor's place in the golden."""
    groups = list(groups)
    home = {anchor: number for number, group in enumerate(groups) for anchor in group}
    before = [{home[s] for anchor in group for s in flow.cones[anchor].spans} - {n} for n, group in enumerate(groups)]
    after: dict[int, list[int]] = {}
    for number, sources in enumerate(before):
        for source in sources:
            after.setdefault(source, []).append(number)
    ready = [(flow.order[groups[n][0]], n) for n, sources in enumerate(before) if not sources]
    heapify(ready)
    result: list[Group] = []
    while ready:
        _, number = heappop(ready)
        result.append(groups[number])
        for reader in after.get(number, ()):
            before[reader].discard(number)
            if not before[reader]:
                heappush(ready, (flow.order[groups[reader][0]], reader))
    return result
