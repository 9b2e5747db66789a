"""Vertical tracks for values that pass between Modules: as few as possible, no two values on one at the same height."""

from collections.abc import Mapping
from heapq import heappop, heappush
from typing import TypeVar

Key = TypeVar("Key")
Span = tuple[float, float]


def assign(spans: Mapping[Key, Span]) -> dict[Key, int]:
    """Track of each value, 0 the first, from the heights between which it is drawn: by their upper ends, lowest free."""
    found: dict[Key, int] = {}
    free: list[int] = []
    busy: list[tuple[float, int]] = []
    for key, (top, bottom) in sorted(spans.items(), key=lambda item: item[1]):
        while busy and busy[0][0] < top:
            heappush(free, heappop(busy)[1])
        track = heappop(free) if free else len(busy)
        found[key] = track
        heappush(busy, (bottom, track))
    return found
