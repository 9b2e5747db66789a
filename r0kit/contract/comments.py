"""Comments of a contract: taken from the old text with the value that each is about, and handed to the writer of the new.

A comment on lines of its own is about the entry below it, one behind a value about that value; what stands before the
first entry, or behind the last, belongs to the file.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
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

START, END = ("^",), ("$",)  # no entries: the comment stands before or behind all of them


class Comment(NamedTuple):
    """A comment as written, "#" included, its line in the old text (from 1), and whether it stands behind a value."""

    about: Path
    text: str
    line: int
    behind: bool


class Entry(NamedTuple):
    """Where an entry begins (key or list item), line from 0; whether its value, if any has begun, is a block."""

    path: Path
    line: int
    block: bool


def comments_of(text: str) -> tuple[Comment, ...]:
    """All comments of a YAML text. Raises yaml.MarkedYAMLError where it is none."""
    entries, scalars = _entries(text)
    lines, found = text.split("\n"), []
    for line, column in _comment_starts(text, scalars):
        whole = lines[line]
        behind = bool(whole[:column].strip())
        found.append(Comment(_subject(entries, line, behind), whole[column:].rstrip(), line + 1, behind))
    return tuple(found)


class Carried(NamedTuple):
    """Comments for the writer by path, those of the file as text, and those for which the contract has no entry."""

    comments: dict[Path, str]
    above: str
    below: str
    lost: tuple[Comment, ...]


def carried(found: Sequence[Comment], moved: Mapping[Path, Path], new: Mapping[Path, str]) -> Carried:
    """The comments of the old contract beside those of the `new` one. moved: path in the old one -> path in the new."""
    comments = dict(new)
    files: dict[Path, str] = {START: "", END: ""}
    lost: list[Comment] = []
    for comment in found:
        if comment.about in files:
            files[comment.about] += f"{comment.text}\n"
        elif comment.about in moved:
            at = moved[comment.about]
            comments[at] = _joined(comments.get(at, ""), comment)
        else:
            lost.append(comment)
    return Carried(comments, files[START], files[END], tuple(lost))


def _joined(given: str, comment: Comment) -> str:
    """A comment behind those that the value has already."""
    text = comment.text.lstrip("#").strip()
    lines = given.split("\n") if given else []
    return "\n".join(lines if text in lines else (*lines, text))


def _subject(entries: Sequence[Entry], line: int, behind: bool) -> Path:
    """What a comment in a line is about: the entry that begins there, its first key where it is opened; or the next."""
    first, after = bisect_left(entries, line, key=_line), bisect_right(entries, line, key=_line)
    here = entries[first:after]
    if behind and here:
        opened = here[0].block and len(here) > 1
        return here[1].path if opened else here[0].path
    if behind:
        return entries[first - 1].path if first else START
    if after == len(entries):
        return END
    return entries[after].path if after else START


def _line(entry: Entry) -> int:
    return entry.line


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
        block = event.__class__ is MappingStartEvent and not event.flow_style
        entries.append(Entry(path, event.start_mark.line, block))
        return path
    if level.key is None:
        level.key = getattr(event, "value", "")
        entries.append(Entry((*level.path, level.key), event.start_mark.line, block=False))
        return (*level.path, level.key)
    path = (*level.path, level.key)
    level.key = None
    return path
