"""Reports -> what a person or a program reads. A format is one row of the table."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from r0kit.finding import Report


class Style(NamedTuple):
    """What a format may be told beside the reports.

    colour: a person looks at a terminal. rules: those that were applied, each with id, title, why, hint, severity and the
    examples good and bad; formats that explain rules take their words from there. several: a list of files is meant even
    where it has one. command: which one speaks.
    """

    colour: bool = False
    rules: Sequence[Any] = ()
    several: bool = False
    command: str = "r0kit validate"


PLAIN = Style()


class Format(NamedTuple):
    """A way to write reports down. write: reports and a style -> the text, with its last line end."""

    name: str
    what: str
    write: Callable[[Sequence[Report], Style], str]


def _text(reports: Sequence[Report], style: Style) -> str:
    from r0kit.report.text import plain_text  # only the format that is asked for is loaded

    return plain_text(reports, style.colour)


def _json(reports: Sequence[Report], style: Style) -> str:
    from r0kit.report.machine import json_text

    return json_text(reports, style.several)


def _sarif(reports: Sequence[Report], style: Style) -> str:
    from r0kit.report.sarif import sarif_text

    return sarif_text(reports, style.rules)


def _github(reports: Sequence[Report], _style: Style) -> str:
    from r0kit.report.github import annotations

    return annotations(reports)


def _junit(reports: Sequence[Report], style: Style) -> str:
    from r0kit.report.junit import junit_text

    return junit_text(reports, style.command)


FORMATS: dict[str, Format] = {
    row.name: row
    for row in (
        Format("text", "each finding with its line and a hint, for people", _text),
        Format("json", "status, violations, warnings and findings, for programs", _json),
        Format("sarif", "SARIF 2.1.0, for code scanning", _sarif),
        Format("github", "annotations of a pull request, for GitHub Actions", _github),
        Format("junit", "one test case a file, for CI that shows tests", _junit),
    )
}
