"""A minimum cut between two nodes of a small directed graph, by blocking flows (Dinic, 1970).

The first flow goes along any paths: in a chain of Modules each source has a distance of its own to the sink, so that
shortest paths alone would take a round for each.

Why not a graph library: the cones that `crossing` cuts have tens of nodes, a library's set-up costs more than the cut,
and drafting a contract from a bare checkout should ask for nothing beside the reader and the writer of YAML.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import pairwise

Node = Hashable
UNCUTTABLE = 1 << 62


def source_side(edges: Iterable[tuple[Node, Node, int]], source: Node, sink: Node) -> set[Node]:
    """Nodes on the source's side of the minimum cut nearest to it; edges are (tail, head, capacity).

    An edge of capacity UNCUTTABLE is in no cut that can avoid it.
    """
    rest: dict[Node, dict[Node, int]] = {source: {}, sink: {}}
    for tail, head, capacity in edges:
        rest.setdefault(tail, {})[head] = rest.get(tail, {}).get(head, 0) + capacity
        rest.setdefault(head, {}).setdefault(tail, 0)
    _block(rest, {node: list(heads) for node, heads in rest.items()}, source, sink)
    while sink in (level := _levels(rest, source)):
        nearer = {node: [head for head in rest[node] if level.get(head) == level[node] + 1] for node in level}
        _block(rest, nearer, source, sink)
    return set(level)


def _levels(rest: Mapping[Node, Mapping[Node, int]], source: Node) -> dict[Node, int]:
    """Distance from the source of every node that spare capacity reaches."""
    level = {source: 0}
    queue = deque([source])
    while queue:
        node = queue.popleft()
        for head, spare in rest[node].items():
            if spare > 0 and head not in level:
                level[head] = level[node] + 1
                queue.append(head)
    return level


def _block(rest: dict[Node, dict[Node, int]], heads: dict[Node, list[Node]], source: Node, sink: Node) -> None:
    """Send along paths over `heads` until none is left; a head that leads nowhere is tried once."""
    path, passed = [source], {source}
    while path:
        node = path[-1]
        while heads[node] and (rest[node][heads[node][-1]] <= 0 or heads[node][-1] in passed):
            heads[node].pop()
        if node == sink:
            _augment(rest, path)
            path, passed = [source], {source}
        elif heads[node]:
            path.append(heads[node][-1])
            passed.add(path[-1])
        else:
            passed.discard(path.pop())
            if path:
                heads[path[-1]].pop()


def _augment(rest: dict[Node, dict[Node, int]], path: Sequence[Node]) -> None:
    """Send what the path can carry."""
    edges = list(pairwise(path))
    amount = min(rest[tail][head] for tail, head in edges)
    for tail, head in edges:
        rest[tail][head] -= amount
        rest[head][tail] += amount
