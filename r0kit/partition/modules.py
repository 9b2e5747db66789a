"""From anchors to Modules: levels by the policy, groups within a level, neighbours merged while the policy allows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from r0kit.golden.axes import Atoms
from r0kit.golden.program import Section
from r0kit.partition.flow import Flow
from r0kit.partition.grouping import Group, ordered, own_spaces, passed_spaces
from r0kit.partition.merging import merge
from r0kit.partition.policy import Policy


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
        level[anchor] = 0
        for source in sorted(sources, key=level.__getitem__, reverse=True):
            if level[source] < level[anchor]:
                break  # a boundary after what is lower adds no more
            waits = policy.boundary(source, anchor, carried[source]) is not None
            level[anchor] = max(level[anchor], level[source] + waits)
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
    place = {anchor: (found.level[anchor], flow.section(anchor)) for anchor in flow.anchors}
    joined = _Sets(flow.anchors)
    _connect(flow, place, joined)
    by_place: dict[tuple[int, Section], list[str]] = {}
    for anchor in flow.anchors:
        by_place.setdefault(place[anchor], []).append(anchor)
    for members in by_place.values():
        _connect_spaces(flow, members, joined)
    return merge(policy, ordered(flow, joined.groups(flow.order)))


def _connect(flow: Flow, place: Mapping[str, tuple[int, Section]], joined: _Sets) -> None:
    """Join anchors of one level and section by data flow, and by common consumers."""
    for anchor, cone in flow.cones.items():
        first: dict[tuple[int, Section], str] = {place[anchor]: anchor}
        for source in cone.spans:
            if place[source] == place[anchor]:
                joined.join(source, anchor)
            else:
                joined.join(first.setdefault(place[source], source), source)


def _connect_spaces(flow: Flow, members: Sequence[str], joined: _Sets) -> None:
    """Join anchors of one level and section by equal iteration spaces."""
    groups = joined.groups(flow.order, members)
    owners: dict[object, str] = {}
    for group in groups:
        for key in own_spaces(flow, group):
            joined.join(owners.setdefault(key, group[0]), group[0])
    for group in groups:
        for key in passed_spaces(flow, group) & set(owners):
            joined.join(owners[key], group[0])


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
