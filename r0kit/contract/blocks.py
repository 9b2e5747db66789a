"""Where the keys of the block mappings of a contract begin, and where the last value of each mapping ends."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from r0kit.contract.events import Event, events_of
from r0kit.contract.path import Path


class Block(NamedTuple):
    """A mapping whose keys stand one below the other: each key with its offset, and the offset behind its last value."""

    path: Path
    keys: tuple[tuple[str, int], ...]
    end: int


class _Level:
    """An open collection: its path, its keys where it is a mapping, the key or index at which the walk is."""

    def __init__(self, path: Path, event: Event) -> None:
        self.path = path
        self.is_mapping = self.at_key = event.__class__ is MappingStartEvent
        self.is_flow = event.flow_style
        self.keys: list[tuple[str, int]] = []
        self.step: Any = -1


def blocks(text: str) -> Iterator[Block]:
    """The block mappings of `text` (YAML with line ends of one character), inner ones first.

    Keys that are no scalars end a walk.
    """
    levels: list[_Level] = []
    end = 0
    for event in events_of(text):
        kind = event.__class__
        if kind is MappingEndEvent or kind is SequenceEndEvent:
            level = levels.pop()
            if level.is_flow:
                end = event.end_mark.index  # that of a block is where the next one begins, behind comments
            elif level.is_mapping:
                yield Block(level.path, tuple(level.keys), end)
        elif kind in (ScalarEvent, AliasEvent, MappingStartEvent, SequenceStartEvent):
            path = _step(levels, event)
            if kind is ScalarEvent or kind is AliasEvent:
                end = event.end_mark.index
            else:
                levels.append(_Level(path, event))


def _step(levels: list[_Level], event: Event) -> Path:
    """The path of the value that `event` begins; a key is noted in its mapping."""
    if not levels:
        return ()
    level = levels[-1]
    if not level.is_mapping:
        level.step += 1
    elif level.at_key:
        level.step = getattr(event, "value", None)
        level.keys.append((str(level.step), event.start_mark.index))
    level.at_key = not level.at_key
    return (*level.path, level.step)
