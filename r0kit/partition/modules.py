"""From anchors to Modules: levels by the policy, groups within a level, neighbours merged while the policy allows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from r0kit.golden.axes import Atoms
from r0kit.golden.program import Section
from r0kit.partition.flow import Flow
from r0kit.partition.policy import Policy

Group = tuple[str, ...]  # the anchors of one Module, in the Program's order


@dataclass(frozen=True, slots=True)
class Levels:
    """level: how many boundaries lie before an anchor; carried: see `Policy.boundary`."""

    level: Mapping[str, int]
    carried: Mapping[str, Mapping[str, Atoms]]


def levels(policy: Policy) -> Levels:
    """Anchors take the lowest level at which everything that they wait for is done."""
    level: dict[str, int] = {}
    carried: dict[str, dict[str, Atoms]] = {}
    for anchor in policy.flow.anchors:
        sources = policy.flow.cones[anchor].spans
        level[anchor] = max(
            (level[s] + (policy.boundary(s, anchor, carried[s]) is not None) for s in sources), default=0
        )
        own = policy.needed_whole(anchor)
        carried[anchor] = {anchor: own} if own else {}
        for source in sources:
            if level[source] == level[anchor]:
                carried[anchor] |= carried[source]
    return Levels(level, carried)


def draw(policy: Policy) -> list[Group]:
    """The Modules, in an order in which each comes after what it reads."""
    flow = policy.flow
    found = levels(policy)
    joined = _Sets(flow.anchors)
    by_level: dict[tuple[int, Section], list[str]] = {}
    for anchor in flow.anchors:
        by_level.setdefault((found.level[anchor], flow.section(anchor)), []).append(anchor)
    for members in by_level.values():
        _connect(flow, members, joined)
    return _merge(policy, ordered(flow, joined.groups(flow.order)))


def _connect(flow: Flow, members: Sequence[str], joined: _Sets) -> None:
    """Join anchors of one level and section by data flow, then by common consumers, then by equal iteration spaces."""
    inside = set(members)
    for anchor in members:
        for source in flow.cones[anchor].spans:
            if source in inside:
                joined.join(source, anchor)
    for cone in flow.cones.values():
        read = [source for source in cone.spans if source in inside]
        for other in read[1:]:
            joined.join(read[0], other)
    groups = joined.groups(flow.order, members)
    owners: dict[object, str] = {}
    for group in groups:
        for key in own_spaces(flow, group):
            joined.join(owners.setdefault(key, group[0]), group[0])
    for group in groups:
        for key in passed_spaces(flow, group) & set(owners):
            joined.join(owners[key], group[0])


def own_spaces(flow: Flow, group: Group) -> set[object]:
    """What two groups share where their iteration spaces are equal: the axes of the group or of one of its anchors, or
    the same extents over a common source."""
    spaces = {flow.axes.space(flow.steps[name]) for name in group}
    axes = frozenset().union(*spaces)
    extents = tuple(sorted(str(flow.axes.extent(atom)) for atom in axes))
    sources = {name for anchor in group for name in (*flow.cones[anchor].inputs, *flow.cones[anchor].spans)}
    found: set[object] = {axes, *spaces, *((extents, source) for source in sources - set(group))}
    return found - {frozenset()}


def passed_spaces(flow: Flow, group: Group) -> set[object]:
    """Spaces of the cheap vector Steps that a group computes on the way to its anchors."""
    if flow.section(group[0]) is Section.CUBE:
        return set()
    spaces: set[object] = {flow.axes.space(flow.steps[name]) for anchor in group for name in flow.cones[anchor].steps}
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


def _merge(policy: Policy, groups: list[Group]) -> list[Group]:
    """Join an earlier Module into a later one wherever the policy allows and something connects them."""
    merged = True
    while merged:
        merged = False
        for later in range(1, len(groups)):
            for earlier in range(later - 1, -1, -1):
                if mergeable(policy, groups, earlier, later):
                    joined = _sorted(policy.flow, (*groups[earlier], *groups[later]))
                    rest = [group for n, group in enumerate(groups) if n not in (earlier, later)]
                    groups = ordered(policy.flow, [*rest, joined])
                    merged = True
                    break
            if merged:
                break
    return groups


def mergeable(policy: Policy, groups: Sequence[Group], earlier: int, later: int) -> bool:
    """Whether two Modules could be one: same section, no boundary inside, nothing between them, and connected."""
    flow, a, b = policy.flow, groups[earlier], groups[later]
    if flow.section(a[0]) is not flow.section(b[0]) or _between(flow, groups, earlier, later):
        return False
    return _connected(flow, groups, a, b) and not conflicts(policy, (*a, *b))


def conflicts(policy: Policy, anchors: Iterable[str]) -> bool:
    """Whether a boundary lies between any two of the anchors."""
    members = _sorted(policy.flow, anchors)
    inside = set(members)
    carried: dict[str, dict[str, Atoms]] = {}
    for anchor in members:
        own = policy.needed_whole(anchor)
        carried[anchor] = {anchor: own} if own else {}
        for source in policy.flow.cones[anchor].spans:
            if source in inside:
                if policy.boundary(source, anchor, carried[source]):
                    return True
                carried[anchor] |= carried[source]
    return False


def _connected(flow: Flow, groups: Sequence[Group], a: Group, b: Group) -> bool:
    """By data flow, by a common consumer, or by equal iteration spaces."""
    sources_of = {anchor: set(flow.cones[anchor].spans) for group in groups for anchor in group}
    if any(sources_of[anchor] & set(a) for anchor in b):
        return True
    if any(sources & set(a) and sources & set(b) for sources in sources_of.values()):
        return True
    own = own_spaces(flow, a), own_spaces(flow, b)
    return bool(own[0] & (own[1] | passed_spaces(flow, b)) or own[1] & passed_spaces(flow, a))


def _between(flow: Flow, groups: Sequence[Group], earlier: int, later: int) -> bool:
    """Whether a third Module lies on a way from the earlier to the later one, so that joining them makes a cycle."""
    reached = set(groups[earlier])
    outside = False
    for number in range(earlier + 1, len(groups)):
        depends = any(set(flow.cones[anchor].spans) & reached for anchor in groups[number])
        if number == later:
            return outside and any(
                set(flow.cones[anchor].spans) & (reached - set(groups[earlier])) for anchor in groups[later]
            )
        if depends:
            reached |= set(groups[number])
            outside = True
    return False


def _sorted(flow: Flow, anchors: Iterable[str]) -> Group:
    return tuple(sorted(anchors, key=flow.order.__getitem__))


class _Sets:
    """Union-find over anchors."""

    def __init__(self, names: Iterable[str]) -> None:
        self._parent = {name: name for name in names}

    def find(self, name: str) -> str:
        while self._parent[name] != name:
            self._parent[name] = self._parent[self._parent[name]]
            name = self._parent[name]
        return name

    def join(self, left: str, right: str) -> None:
        self._parent[self.find(right)] = self.find(left)

    def groups(self, order: Mapping[str, int], members: Iterable[str] | None = None) -> list[Group]:
        """The sets, each in the Program's order, by their first member."""
        found: dict[str, list[str]] = {}
        for name in sorted(self._parent if members is None else members, key=order.__getitem__):
            found.setdefault(self.find(name), []).append(name)
        return [tuple(group) for group in found.values()]
