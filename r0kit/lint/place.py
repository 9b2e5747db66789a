"""Where a node stands: `ast` counts bytes of UTF-8, people count characters."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from r0kit.finding import Location


class Line(NamedTuple):
    """A place that is no node: a line of the file and a range of its characters, from 1, the end exclusive."""

    line: int
    column: int
    end_column: int


def located(path: str, lines: Sequence[str], places: Iterable[Any]) -> Mapping[Any, Location]:
    """The location of each node or line in `places`."""
    return {place: location(path, lines, place) for place in places}


def location(path: str, lines: Sequence[str], place: ast.AST | Line) -> Location:
    """Where `place` stands in the file `path` that has these lines."""
    if isinstance(place, Line):
        return Location(path, place.line, place.column, place.line, place.end_column)
    line, end_line, start, end = extent(place)
    return Location(path, line, column(lines, line, start), end_line, column(lines, end_line, end))


def extent(node: ast.AST) -> tuple[int, int, int, int]:
    """Line, last line, offset and end offset of a node, these in bytes from 0; of a definition only its head line."""
    line: int = getattr(node, "lineno", 1)
    start: int = getattr(node, "col_offset", 0)
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return line, line, start, start + len(f"def {node.name}")
    end_line: int = getattr(node, "end_lineno", None) or line
    return line, end_line, start, getattr(node, "end_col_offset", None) or start + 1


def column(lines: Sequence[str], line: int, offset: int) -> int:
    """Column, from 1 and in characters, of the byte `offset` of a line."""
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    if text.isascii():
        return min(offset, len(text)) + 1
    return len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "ignore")) + 1
