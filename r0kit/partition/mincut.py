"""A minimum cut between two nodes of a small directed graph, by shortest augmenting paths (Edmonds and Karp, 1972).

Why not a graph library: the cones that `crossing` cuts have tens of nodes, a library's set-up costs more than the cut,
and drafting a contract from a bare checkout should ask for nothing beside the reader and the writer of YAML.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable

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
    while True:
        came_from = _reach(rest, source, sink)
        if sink not in came_from:
            return set(came_from)
        _augment(rest, came_from, sink)


def _reach(rest: dict[Node, dict[Node, int]], source: Node, sink: Node) -> dict[Node, Node]:
    """Predecessor of every node that spare capacity reaches from the source; stops at the sink."""
    came_from: dict[Node, Node] = {source: source}
    queue = deque([source])
    while queue and sink not in came_from:
        node = queue.popleft()
        for head, spare in rest[node].items():
            if spare > 0 and head not in came_from:
                came_from[head] = node
                queue.append(head)
    return came_from


def _augment(rest: dict[Node, dict[Node, int]], came_from: dict[Node, Node], sink: Node) -> None:
    """Send what the found path can carry."""
    path: list[tuple[Node, Node]] = []
    node = sink
    while came_from[node] != node:
        path.append((came_from[node], node))
        node = came_from[node]
    amount = min(rest[tail][head] for tail, head in path)
    for tail, head in path:
        rest[tail][head] -= amount
        rest[head][tail] += amount
