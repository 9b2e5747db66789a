"""What the validator says about a contract of which only some lines matter."""

from typing import NamedTuple

from r0kit.finding import Location
from r0kit.validate import validate_text
from r0kit.validate.examples import completed


class Said(NamedTuple):
    """One finding: its rule, the text that it marks (the rest of the line for a collection), its message and hint."""

    rule: str
    marked: str
    message: str
    hint: str
    severity: str


def said_of(text: str) -> list[Said]:
    """The findings about the contract `text`, in order."""
    return [
        Said(f.rule, marked(text, f.location), f.message, f.hint, f.severity.value)
        for f in validate_text(text).findings
    ]


def said(example: str) -> list[Said]:
    """The findings about the contract that `example` shows some lines of, as the examples of rules do."""
    return said_of(completed(example))


def marked(text: str, place: Location) -> str:
    """The text between start and end of a place; from its start to the end of the line where it is a point."""
    line = text.split("\n")[place.line - 1]
    point = (place.line, place.column) == (place.end_line, place.end_column)
    end = place.end_column - 1 if place.end_line == place.line and not point else len(line)
    return line[place.column - 1 : end]
