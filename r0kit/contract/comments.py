"""Comments of a contract: taken from the old text with the entry that each belongs to, and put into the new text.

A comment on lines of its own belongs to the entry below it, one behind a value to the entry that begins its line; what
stands behind the last entry belongs to the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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

END: Path = ("",)  # no entry: the comment stands behind all of them


class Comment(NamedTuple):
    """A comment as written, "#" included, its line in the old text (from 1), and whether it stands behind a value."""

    entry: Path
    text: str
    line: int
    behind: bool


class Entry(NamedTuple):
    """Where an entry begins (key or list item): line from 0."""

    path: Path
    line: int


def comments_of(text: str) -> tuple[Comment, ...]:
    """All comments of a YAML text. Raises yaml.MarkedYAMLError where it is none."""
    entries, scalars = _entries(text)
    found = []
    for line, column in _comment_starts(text, scalars):
        whole = text.split("\n")[line]
        behind = bool(whole[:column].strip())
        found.append(Comment(_owner(entries, line, behind), whole[column:].rstrip(), line + 1, behind))
    return tuple(found)


class Placed(NamedTuple):
    """The text with comments, and those for which it has no entry."""

    text: str
    lost: tuple[Comment, ...]


def with_comments(text: str, comments: Sequence[Comment], moved: Mapping[Path, Path]) -> Placed:
    """`text` with each comment at its entry. `moved`: path in the old contract -> path in this one."""
    lines = text.split("\n")
    first = {entry.path: entry.line for entry in reversed(_entries(text)[0])}
    present = {comment.text for comment in comments_of(text)}
    above: dict[int, list[str]] = {}
    lost = []
    for comment in comments:
        at = len(lines) - 1 if comment.entry == END else first.get(moved.get(comment.entry, ("", "")))
        if comment.text in present:
            continue
        if at is None:
            lost.append(comment)
        elif comment.behind and "#" not in lines[at] and lines[at]:
            lines[at] = f"{lines[at]}  {comment.text}"
        else:
            above.setdefault(at, []).append(comment.text)
    return Placed("\n".join(_interleaved(lines, above)), tuple(lost))


def _interleaved(lines: Sequence[str], above: Mapping[int, Sequence[str]]) -> Iterator[str]:
    for number, line in enumerate(lines):
        indent = line[: len(line) - len(line.lstrip())]
        yield from (f"{indent}{comment}" for comment in above.get(number, ()))
        yield line


def _owner(entries: Sequence[Entry], line: int, behind: bool) -> Path:
    if behind:
        here = [entry.path for entry in entries if entry.line == line]
        before = [entry.path for entry in entries if entry.line < line]
        return here[0] if here else before[-1] if before else END
    return next((entry.path for entry in entries if entry.line > line), END)


def _comment_starts(text: str, scalars: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Line (from 0) and column of each "#" that begins a comment: outside scalars, at the start or behind a blank."""
    offset, spans = 0, iter(sorted(scalars))
    start, end = next(spans, (len(text), len(text)))
    for number, line in enumerate(text.split("\n")):
        for column, char in enumerate(line):
            while end <= offset + column and start < len(text):
                start, end = next(spans, (len(text), len(text)))
            inside = start <= offset + column < end
            if char == "#" and not inside and (column == 0 or line[column - 1] in " \t"):
                yield number, column
                break
        offset += len(line) + 1


class _Level:
    """An open collection of the walk: its path and what comes next in it."""

    def __init__(self, path: Path, mapping: bool) -> None:
        self.path, self.mapping, self.index = path, mapping, -1
        self.key: Any = None


def _entries(text: str) -> tuple[list[Entry], list[tuple[int, int]]]:
    """Every key and list item in the order of the text, and the offsets of every scalar."""
    entries: list[Entry] = []
    scalars: list[tuple[int, int]] = []
    levels: list[_Level] = []
    for event in events_of(text):
        kind = event.__class__
        if kind in (MappingEndEvent, SequenceEndEvent):
            levels.pop()
            continue
        if kind not in (ScalarEvent, AliasEvent, MappingStartEvent, SequenceStartEvent):
            continue
        if kind is ScalarEvent:
            scalars.append((event.start_mark.index, event.end_mark.index))
        path = _step(levels, event, entries)
        if kind in (MappingStartEvent, SequenceStartEvent):
            levels.append(_Level(path, kind is MappingStartEvent))
    return entries, scalars


def _step(levels: Sequence[_Level], event: Event, entries: list[Entry]) -> Path:
    """The path of the value that `event` begins, noted where it begins an entry."""
    if not levels:
        return ()
    level = levels[-1]
    if not level.mapping:
        level.index += 1
        path = (*level.path, level.index)
        entries.append(Entry(path, event.start_mark.line))
        return path
    if level.key is None:
        level.key = getattr(event, "value", "")
        entries.append(Entry((*level.path, level.key), event.start_mark.line))
        return (*level.path, level.key)
    path = (*level.path, level.key)
    level.key = None
    return path
