"""What of a subsection is still the official template, untouched: text in braces, and the tables and fences that hold it."""

import re
from collections.abc import Iterator

from r0kit.render.document import Span, bare

_BRACES = r"\{[^{}\":]*[^\W\d_][^{}\":]*\}"  # words; a set of numbers or a line of JSON is somebody's own
_TEXT = re.compile(_BRACES)
_BULLET = re.compile(rf"[-*] \*\*[^*]+\*\*(?:（[^（）]*）)?[：:]\s*(?:{_BRACES})?")
_RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
_NAME = re.compile(r"(?:Module|Phase)\s*\d+")
_DEFAULTS = frozenset({"空"})  # what the template writes where there is nothing to say


def untouched(lines: tuple[str, ...], extent: Span) -> list[Span]:
    """The parts of `extent` that nobody has filled in, blank lines between two of them included."""
    found: list[Span] = []
    index = extent.start
    while index < extent.stop:
        stop = next((end for end in _ends(lines, index, extent.stop) if end > index), index)
        if stop > index and found and all(not bare(line) for line in lines[found[-1].stop : index]):
            found[-1] = Span(found[-1].start, stop)
        elif stop > index:
            found.append(Span(index, stop))
        index = stop if stop > index else _skip(lines, index, extent.stop)
    return [span for span in found if _says_something(lines, span)]


def _ends(lines: tuple[str, ...], index: int, stop: int) -> Iterator[int]:
    """Where an untouched paragraph, bullet, table or fence that starts at `index` ends; `index` if there is none."""
    line = bare(lines[index])
    if _TEXT.fullmatch(line) or _BULLET.fullmatch(line) or line in _DEFAULTS:
        yield index + 1
    if line.startswith("|"):
        yield _table(lines, index, stop)
    if line == "```":
        yield _fence(lines, index, stop)


def _skip(lines: tuple[str, ...], index: int, stop: int) -> int:
    """The line after what stands at `index`: a filled table or fence is passed over whole."""
    line = bare(lines[index])
    if line.startswith("```"):
        return min(_closing(lines, index, stop) + 1, stop)
    if line.startswith("|"):
        return next((i for i in range(index, stop) if not bare(lines[i]).startswith("|")), stop)
    return index + 1


def _table(lines: tuple[str, ...], index: int, stop: int) -> int:
    """The end of the table at `index` when every row of it is a placeholder, else `index`."""
    end = next((i for i in range(index, stop) if not bare(lines[i]).startswith("|")), stop)
    rows = [bare(line) for line in lines[index:end]]
    whole = len(rows) > 2 and _RULE.fullmatch(rows[1]) and all(_placeholder_row(row) for row in rows[2:])
    return end if whole else index


def _placeholder_row(row: str) -> bool:
    first, *others = [cell.strip() for cell in row.strip("|").split("|")]
    if _TEXT.fullmatch(first):
        return True
    return bool(_NAME.fullmatch(first)) and all(cell == "..." or _TEXT.fullmatch(cell) for cell in others)


def _fence(lines: tuple[str, ...], index: int, stop: int) -> int:
    close = _closing(lines, index, stop)
    inside = [bare(line) for line in lines[index + 1 : close] if bare(line)]
    return close + 1 if close < stop and inside and all(map(_TEXT.fullmatch, inside)) else index


def _closing(lines: tuple[str, ...], index: int, stop: int) -> int:
    return next((i for i in range(index + 1, stop) if bare(lines[i]).startswith("```")), stop)


def _says_something(lines: tuple[str, ...], span: Span) -> bool:
    """Whether a placeholder is in the span, not only a bullet that a person left without text."""
    return any("{" in line or bare(line) in _DEFAULTS for line in lines[span.start : span.stop])
