"""Where a node of the golden stands, in the one place that turns `ast`'s UTF-8 byte offsets into columns."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass


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


def _column(lines: Sequence[str], line: int, offset: int) -> int:
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return len(text.encode("utf-8")[:offset].decode("utf-8", "ignore")) + 1
