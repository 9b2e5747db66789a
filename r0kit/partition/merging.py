"""Neighbouring Modules become one while the policy allows it and something connects them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from r0kit.partition.flow import Flow
from r0kit.partition.grouping import Group, in_order, ordered, own_spaces, passed_spaces
from r0kit.partition.policy import Policy


def merge(policy: Policy, groups: list[Group]) -> list[Group]:
    """Join an earlier Module into a later one wherever the policy allows and something connects them."""
    merging = _Merging(policy)
    while pair := merging.mergeable(groups):
        earlier, later = pair
        joined = in_order(policy.flow, (*groups[earlier], *groups[later]))
        rest = [group for number, group in enumerate(groups) if number not in pair]
        groups = ordered(policy.flow, [*rest, joined])
    return groups


def conflicts(policy: Policy, anchors: Iterable[str]) -> bool:
    """Whether a boundary lies between any two of the anchors."""
    members = in_order(policy.flow, anchors)
    carried = policy.carried(members)
    return any(
        policy.boundary(source, anchor, carried[source])
        for anchor in members
        for source in policy.flow.cones[anchor].spans
        if source in carried
    )


class _Merging:
    """What does not change from one round of merging to the next: spaces of groups, and answers of the policy."""

    def __init__(self, policy: Policy) -> None:
        self.policy, self.flow = policy, policy.flow
        self._own: dict[Group, set[object]] = {}
        self._passed: dict[Group, set[object]] = {}
        self._apart: dict[tuple[Group, Group], bool] = {}

    def mergeable(self, groups: Sequence[Group]) -> tuple[int, int] | None:
        """The first two Modules that could be one: the same section, nothing between them, connected, no boundary inside."""
        links = Links(self.flow, groups)
        sections = [self.flow.section(group[0]) for group in groups]
        for later in range(1, len(groups)):
            for earlier in range(later - 1, -1, -1):
                alike = sections[earlier] is sections[later] and not links.between(earlier, later)
                if alike and self._joins(links, groups, earlier, later):
                    return earlier, later
        return None

    def _joins(self, links: Links, groups: Sequence[Group], earlier: int, later: int) -> bool:
        pair = groups[earlier], groups[later]
        connected = links.connected(earlier, later) or self._same_space(*pair)
        return connected and not self._conflict(pair)

    def _conflict(self, pair: tuple[Group, Group]) -> bool:
        if pair not in self._apart:
            self._apart[pair] = conflicts(self.policy, (*pair[0], *pair[1]))
        return self._apart[pair]

    def _same_space(self, a: Group, b: Group) -> bool:
        """Whether the iteration spaces of two groups are equal."""
        for group in (a, b):
            if group not in self._own:
                self._own[group] = own_spaces(self.flow, group)
                self._passed[group] = passed_spaces(self.flow, group)
        own_a, own_b = self._own[a], self._own[b]
        return not (own_a.isdisjoint(own_b) and own_a.isdisjoint(self._passed[b]) and own_b.isdisjoint(self._passed[a]))


class Links:
    """Data flow between the Modules of one round, as sets of their numbers in the bits of an integer."""

    def __init__(self, flow: Flow, groups: Sequence[Group]) -> None:
        home = {anchor: number for number, group in enumerate(groups) for anchor in group}
        self.reads = [0] * len(groups)  # Modules that one reads from
        self._beside = [0] * len(groups)  # Modules that some anchor reads from as well
        self._behind = [0] * len(groups)  # Modules that it depends on by way of others
        behind = [0] * len(groups)
        for number, group in enumerate(groups):
            for anchor in group:
                sources = {home[source] for source in flow.cones[anchor].spans}
                bits = sum(1 << source for source in sources)
                self.reads[number] |= bits & ~(1 << number)
                for source in sources:
                    self._beside[source] |= bits
            for source in _numbers(self.reads[number]):
                self._behind[number] |= behind[source]
            behind[number] = self.reads[number] | self._behind[number]

    def between(self, earlier: int, later: int) -> bool:
        """Whether a third Module lies on a way from the earlier to the later one, so that joining them makes a cycle."""
        return bool(self._behind[later] >> earlier & 1)

    def connected(self, earlier: int, later: int) -> bool:
        """By data flow, or by a common consumer."""
        return bool(self.reads[later] >> earlier & 1 or self._beside[earlier] >> later & 1)


def _numbers(bits: int) -> Iterable[int]:
    while bits:
        last = bits & -bits
        yield last.bit_length() - 1
        bits ^= last
