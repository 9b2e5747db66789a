"""The cells of a Markdown table."""

from __future__ import annotations

import re
from dataclasses import dataclass

from r0kit.spec.model import Place


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in a cell, and where."""

    text: str
    place: Place


def cells_of(line: str, number: int) -> list[Cell]:
    """Cells of a table row, each with the column of its first character; `\\|` is no separator."""
    cells: list[Cell] = []
    for match in re.finditer(r"(?:\\.|[^|\\])+|(?<=\|)(?=\|)", line):
        text = match.group()
        if not text.strip() and (match.start() == 0 or match.end() == len(line)):
            continue  # what stands before the first bar and after the last one
        indent = len(text) - len(text.lstrip())
        cells.append(Cell(text.strip(), Place(number, match.start() + indent + 1)))
    return cells
