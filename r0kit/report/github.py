"""Reports as workflow commands of GitHub Actions, which it shows as annotations beside the lines."""

from collections.abc import Sequence

from r0kit.finding import Finding, Report, Severity, printable
from r0kit.report.text import summary

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}

# https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts, escapeData and escapeProperty
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def annotations(reports: Sequence[Report]) -> str:
    """One command per finding, and the summary for whoever reads the log."""
    commands = (_command(finding) for report in reports for finding in report.findings)
    return "".join(f"{line}\n" for line in (*commands, summary(reports)))


def _command(finding: Finding) -> str:
    place = finding.location
    properties: dict[str, str | int] = {"file": printable(place.path)}
    if place.line:
        properties |= {"line": place.line, "endLine": max(place.line, place.end_line)}
    if place.column and place.end_line in (0, place.line):  # columns count only where the place is on one line
        properties |= {"col": place.column, "endColumn": max(place.column, place.end_column)}
    properties["title"] = finding.rule
    said = ",".join(f"{key}={_escaped(str(value), _PROPERTY)}" for key, value in properties.items())
    message = "\n".join(printable(text) for text in (finding.message, finding.hint) if text)
    return f"::{_COMMANDS[finding.severity]} {said}::{_escaped(message, _DATA)}"


def _escaped(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(character, character) for character in text)
