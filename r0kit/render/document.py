"""The outline of a DESIGN.md: its lines, fences, headings and r0kit's markers. Lines are kept as they are, ends too."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from r0kit.finding import Finding, InputError, Location, Severity
from r0kit.render.section import BLOCKS, TILES

_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)")
_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<title>.*?))?(?:[ \t]+#+)?[ \t]*")
_MARKER = re.compile(r" {0,3}<!-- r0kit:(?P<edge>begin|end) (?P<block>[a-z]+)(?: lang=(?P<lang>zh|en))?(?: .*)?-->\s*")
_MARKER_LIKE = re.compile(r"\s*<!--+\s*r0kit\s*:", re.IGNORECASE)
_KNOWN = frozenset(block.id for block in (*BLOCKS, TILES))


@dataclass(frozen=True, slots=True)
class Heading:
    """An ATX heading outside fences: index of its line, level 1 to 6, title."""

    line: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Span:
    """Lines `start` up to, not including, `stop`."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Outline:
    """What render needs to know of a DESIGN.md. `blocks` are the marked spans, with their marker lines, by block id."""

    lines: tuple[str, ...]
    headings: tuple[Heading, ...]
    blocks: dict[str, Span]
    lang: str

    @property
    def ending(self) -> str:
        """The document's line ending, by its first line."""
        return "\r\n" if self.lines and self.lines[0].endswith("\r\n") else "\n"

    def extent(self, heading: Heading) -> Span:
        """The lines below `heading`, up to the next heading of its level or a higher one."""
        following = (h.line for h in self.headings if h.line > heading.line and h.level <= heading.level)
        return Span(heading.line + 1, next(following, len(self.lines)))


@dataclass(frozen=True, slots=True)
class _Marker:
    line: int
    edge: str
    block: str
    lang: str


def outline(text: str, path: str) -> Outline:
    """The outline of `text`. InputError, with the line in `path`, where markers are broken or a fence is left open."""
    lines = tuple(re.findall(r"[^\n]*\n|[^\n]+", text))
    shown, open_fence = _outside_fences(lines)
    markers, problems = _markers(lines, shown, path)
    blocks, unpaired = _pair(markers, path)
    problems += unpaired
    if open_fence is not None:
        problems.append(_problem(path, open_fence, "the code fence opened here never ends"))
    if problems:
        raise InputError(problems)
    lang = next((marker.lang for marker in markers if marker.lang), "")
    return Outline(lines, tuple(_headings(lines, shown, blocks)), blocks, lang)


def bare(line: str) -> str:
    """A line without its ending and the space around it."""
    return line.strip()


def _outside_fences(lines: tuple[str, ...]) -> tuple[list[int], int | None]:
    """Indexes of the lines outside fenced code, and the line of a fence that is never closed."""
    shown: list[int] = []
    start, fence = 0, ""
    for index, line in enumerate(lines):
        match = _FENCE.fullmatch(line.rstrip("\r\n"))
        if fence:
            if match and match["fence"].startswith(fence) and not match["info"].strip():
                fence = ""
        elif match:
            start, fence = index, match["fence"]
        else:
            shown.append(index)
    return shown, start if fence else None


def _headings(lines: tuple[str, ...], shown: list[int], blocks: dict[str, Span]) -> Iterator[Heading]:
    generated = {index for span in blocks.values() for index in range(span.start, span.stop)}
    for index in shown:
        match = _HEADING.fullmatch(lines[index].rstrip("\r\n"))
        if match and index not in generated:
            yield Heading(index, len(match["marks"]), match["title"] or "")


def _markers(lines: tuple[str, ...], shown: list[int], path: str) -> tuple[list[_Marker], list[Finding]]:
    markers: list[_Marker] = []
    problems: list[Finding] = []
    for index in shown:
        if not _MARKER_LIKE.match(lines[index]):
            continue
        match = _MARKER.fullmatch(lines[index])
        if match and match["block"] in _KNOWN:
            markers.append(_Marker(index, match["edge"], match["block"], match["lang"] or ""))
        else:
            problems.append(_problem(path, index, f"{bare(lines[index])!r} is not a marker that this r0kit knows"))
    return markers, problems


def _pair(markers: list[_Marker], path: str) -> tuple[dict[str, Span], list[Finding]]:
    """Begin and end markers drawn together; every one that has no partner is a problem."""
    blocks: dict[str, Span] = {}
    problems: list[Finding] = []
    opened: _Marker | None = None
    for marker in markers:
        if marker.edge == "begin":
            if opened:
                problems.append(_nested(opened, marker, path))
            opened = marker
        elif opened is None or opened.block != marker.block:
            problems.append(_problem(path, marker.line, f"end marker of {marker.block!r} without its begin marker"))
        else:
            if marker.block in blocks:
                problems.append(_problem(path, opened.line, f"second block {marker.block!r}: one of the two must go"))
            blocks[marker.block] = Span(opened.line, marker.line + 1)
            opened = None
    if opened:
        problems.append(_problem(path, opened.line, f"begin marker of {opened.block!r} without its end marker"))
    return blocks, problems


def _nested(outer: _Marker, inner: _Marker, path: str) -> Finding:
    return _problem(
        path, inner.line, f"block {inner.block!r} begins inside block {outer.block!r} (line {outer.line + 1})"
    )


def _problem(path: str, line: int, message: str) -> Finding:
    hint = "put it right, or delete both markers with all between, and run `r0kit render --in-place` again"
    return Finding(
        "render.markers", Severity.ERROR, f"{message}; nothing was written", Location(path, line + 1, 1), hint
    )
