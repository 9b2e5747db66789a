"""The source of one golden file: where a node stands and how it is written, in time that does not grow with the file."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from r0kit.finding import printable
from r0kit.golden.span import Span, span_of

LONGEST = 400  # characters kept of an expression; enough to recognise it by


@dataclass(frozen=True, slots=True)
class SourceText:
    """path: as findings name the file; lines: its lines without their ends."""

    path: str
    lines: Sequence[str]

    @staticmethod
    def of(path: str, text: str) -> SourceText:
        return SourceText(path, text.split("\n"))

    def span(self, node: ast.AST) -> Span:
        """Where `node` stands: lines and columns from 1, columns in code points."""
        return span_of(node, self.lines)

    def written(self, node: ast.AST) -> str:
        """The text of `node` on one line, shortened where it is very long."""
        span = self.span(node)
        if span.line > len(self.lines):
            return ""
        if span.line == span.end_line:
            return _short(self.lines[span.line - 1][span.column - 1 : span.end_column - 1])
        first = self.lines[span.line - 1][span.column - 1 :]
        middle = self.lines[span.line : min(span.end_line - 1, span.line + LONGEST)]
        last = self.lines[span.end_line - 1][: span.end_column - 1]
        return _short(" ".join(_bare(line) for line in (first, *middle, last)))


def _bare(line: str) -> str:
    """A line of a longer expression without its indentation, and without a comment where no string can hold the `#`."""
    code = line.split("#", 1)[0] if "#" in line and '"' not in line and "'" not in line else line
    return code.strip()


def _short(text: str) -> str:
    text = printable(text)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
