"""Reports -> what a person or a program reads. A format is one row of the table."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from r0kit.finding import Report


class Format(NamedTuple):
    """A way to write reports down. write: reports and whether colours may be used -> the text, with its last line end."""

    name: str
    what: str
    write: Callable[[Sequence[Report], bool], str]


def _text(reports: Sequence[Report], colour: bool) -> str:
    from r0kit.report.text import plain_text  # only the format that is asked for is loaded

    return plain_text(reports, colour)


def _json(reports: Sequence[Report], _colour: bool) -> str:
    from r0kit.report.machine import json_text

    return json_text(reports)


FORMATS: dict[str, Format] = {
    row.name: row
    for row in (
        Format("text", "each finding with its line and a hint, for people", _text),
        Format("json", "status, violations, warnings and findings, for programs", _json),
    )
}
