"""Where a node of the golden stands, in the one place that turns `ast`'s UTF-8 byte offsets into columns."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Lines and columns count from 1; columns count Unicode code points; the end column is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


def span_of(node: ast.AST, lines: Sequence[str]) -> Span:
    """Span of a node; `lines` are those of the source, as `str.split("\\n")` gives them."""
    line: int = getattr(node, "lineno", 1)
    start: int = getattr(node, "col_offset", 0)
    end_line: int = getattr(node, "end_lineno", None) or line
    end: int = getattr(node, "end_col_offset", None) or start + 1
    return Span(line, _column(lines, line, start), end_line, _column(lines, end_line, end))


def text_of(node: ast.AST, lines: Sequence[str]) -> str:
    """The source text of a node, as written."""
    span = span_of(node, lines)
    if span.line == span.end_line:
        return lines[span.line - 1][span.column - 1 : span.end_column - 1] if 0 < span.line <= len(lines) else ""
    rows = list(lines[span.line - 1 : span.end_line])
    rows[0], rows[-1] = rows[0][span.column - 1 :], rows[-1][: span.end_column - 1]
    return "\n".join(rows)


def _column(lines: Sequence[str], line: int, offset: int) -> int:
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    if text.isascii():
        return min(offset, len(text)) + 1
    return bisect_right(_starts(text), offset)


@lru_cache(maxsize=64)
def _starts(text: str) -> tuple[int, ...]:
    """UTF-8 offset of each character of a line, and of its end: one pass, for a line may hold a whole golden."""
    return tuple(accumulate((len(character.encode("utf-8", "surrogatepass")) for character in text), initial=0))
