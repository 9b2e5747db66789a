"""Where the values of a YAML text are. Read from its events on demand: only what is found wrong needs a place."""

from collections.abc import Iterable
from itertools import chain
from typing import Any

from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from r0kit.contract.events import Event, Mark, events_of
from r0kit.contract.path import FIRST, KEY, Path
from r0kit.contract.scalars import SCALAR_TAGS, PlainScalars, tagged
from r0kit.finding import Location


class Lines:
    """Places of offsets in a text whose lines end in LF. Counts on from the last offset: no later one may be before it."""

    __slots__ = ("_before", "_line", "_offset", "_path", "_text")

    def __init__(self, path: str, text: str) -> None:
        self._path, self._text = path, text
        self._offset, self._line, self._before = 0, 1, -1  # _before: where the line above ends

    def at(self, offset: int) -> Location:
        """The single point at this offset."""
        self._line += self._text.count("\n", self._offset, offset)
        self._before = max(self._before, self._text.rfind("\n", self._offset, offset))
        self._offset = offset
        point = self._line, offset - self._before
        return Location(self._path, *point, *point)


class _Spot:
    """A value that was asked for, or that leads to one: its offsets in the text once they are known."""

    __slots__ = ("children", "end", "start")

    def __init__(self) -> None:
        self.children: dict[Any, _Spot] = {}
        self.start = self.end = -1

    def mark(self, start: Mark, end: Mark) -> None:
        self.start, self.end = start.index, end.index


class _Level:
    """An open collection: its spot if it leads anywhere, and how many of its children have been seen, or the key."""

    __slots__ = ("flow", "is_mapping", "key", "needs_key", "spot")

    def __init__(self, spot: _Spot | None, event: Event) -> None:
        self.spot = spot
        self.flow = event.flow_style
        self.is_mapping = self.needs_key = event.__class__ is MappingStartEvent
        self.key: Any = -1


def locate(path: str, text: str, wanted: Iterable[Path]) -> dict[Path, Location]:
    """The places of the values `wanted` in `text`; of the nearest parent in the text for what is not in it itself.

    What comes through an alias or `<<` is placed where those stand. `path` names the text in the locations.
    """
    root, wanted = _Spot(), list(wanted)
    for each in wanted:
        spot = root
        for step in each:
            spot = spot.children.setdefault(step, _Spot())
    _walk(events_of(text), root)
    lines, spans = Lines(path, text), [_span(root, each) for each in wanted]
    points = {offset: lines.at(offset) for offset in sorted(set(chain.from_iterable(spans)))}
    return {each: _from_to(points[start], points[end]) for each, (start, end) in zip(wanted, spans, strict=True)}


def _from_to(start: Location, end: Location) -> Location:
    return start._replace(end_line=end.line, end_column=end.column)


def _walk(events: Iterable[Event], root: _Spot) -> None:
    levels: list[_Level] = []
    plain = PlainScalars()
    for event in events:
        kind = event.__class__
        if kind is ScalarEvent or kind is AliasEvent:
            spot = _spot_of(event, levels, root, plain)
            if spot is not None:
                spot.mark(event.start_mark, event.end_mark)
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            spot = _spot_of(event, levels, root, plain)
            if spot is not None:
                spot.mark(event.start_mark, event.start_mark)
            levels.append(_Level(spot, event))
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            level = levels.pop()
            if (
                level.spot is not None and level.flow
            ):  # the end of a block is where the next one begins, which helps nobody
                level.spot.end = event.end_mark.index


def _spot_of(event: Event, levels: list[_Level], root: _Spot, plain: PlainScalars) -> _Spot | None:
    """The spot of the value that `event` begins, if it was asked for; notes the event where it is a key."""
    if not levels:
        return root
    level = levels[-1]
    if level.spot is None:
        return None
    if not level.is_mapping:
        level.key += 1
    elif level.needs_key:
        level.needs_key = False
        level.key = _key(event, plain)
        _mark_key(event, level.spot.children.get(level.key))
        return None
    level.needs_key = level.is_mapping
    return level.spot.children.get(level.key)


def _key(event: Event, plain: PlainScalars) -> Any:
    if event.__class__ is AliasEvent:
        return event
    if event.tag in SCALAR_TAGS:
        return tagged(event.tag, event.value)
    return plain[event.value] if event.tag is None and event.implicit[0] else event.value


def _mark_key(event: Event, spot: _Spot | None) -> None:
    if spot is None:
        return
    if KEY in spot.children:
        spot.children[KEY].mark(event.start_mark, event.end_mark)
    if FIRST in spot.children and spot.children[FIRST].start < 0:
        spot.children[FIRST].mark(event.start_mark, event.end_mark)


def _span(root: _Spot, path: Path) -> tuple[int, int]:
    """Where the value begins and ends, or a single point where no end is known."""
    spot = found = root
    for step in path:
        spot = spot.children[step]
        found = spot if spot.start >= 0 else found
    start = max(found.start, 0)
    return start, max(start, found.end)
