"""What r0kit has to say about an input: a place, a severity, a message, a hint. Frozen, without input or output.

Plain `NamedTuple`s rather than dataclasses: `validate` starts a thousand times a day, and importing `dataclasses`
alone costs a third of what the whole command may take.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, NamedTuple


class Severity(str, Enum):
    """How much a finding weighs: errors decide the exit status, warnings do so only under `--strict`."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Location(NamedTuple):
    """A place in a file: lines and columns from 1, columns in Unicode code points; line 0 is the file as a whole."""

    path: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0


class Finding(NamedTuple):
    """One thing a person should know: which rule, how severe, where, what is wrong, and what to write instead."""

    rule: str
    severity: Severity
    message: str
    location: Location
    hint: str = ""

    def record(self) -> dict[str, str | int]:
        """What JSON says of it."""
        place = self.location
        return {
            "rule": self.rule,
            "severity": self.severity.value,
            "message": self.message,
            "path": place.path,
            "line": place.line,
            "column": place.column,
            "hint": self.hint,
        }


class Fault(NamedTuple):
    """What a check says before its driver stamps it: `at` is a place in the check's own terms, still to be located.

    severity: None takes the severity of the rule.
    """

    at: Any
    message: str
    hint: str = ""
    severity: Severity | None = None


class Report(NamedTuple):
    """All that was found about one input. `text` is its source, kept so that reports can show the line."""

    path: str
    findings: tuple[Finding, ...] = ()
    text: str = ""

    @property
    def failed(self) -> bool:
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    def sorted(self) -> "Report":
        """The same findings by line, column, rule: the order every format prints."""
        return self._replace(findings=tuple(sorted(self.findings, key=_place)))

    def strict(self) -> "Report":
        """The same findings with every warning raised to an error."""
        return self._replace(findings=tuple(_raised(finding) for finding in self.findings))

    def rated(self, severities: Mapping[str, str]) -> "Report":
        """The same findings with the severities that a project gives to their rules; `off` leaves them out."""
        said = ((finding, severities.get(finding.rule, finding.severity.value)) for finding in self.findings)
        return self._replace(findings=tuple(f._replace(severity=Severity(how)) for f, how in said if how != "off"))


class InputError(Exception):
    """An input that cannot be read at all; carries the findings that say why, so that no caller invents a message."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("; ".join(finding.message for finding in self.findings))


def printable(text: str) -> str:
    """`text` with a mark for each character that would do something else than print (tabs are blanks)."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c == "\t" else "\ufffd" for c in text)


def _place(finding: Finding) -> tuple[int, int, int, str]:
    digits = "".join(filter(str.isdigit, finding.rule))
    return finding.location.line, finding.location.column, int(digits or 0), finding.rule


def _raised(finding: Finding) -> Finding:
    return finding._replace(severity=Severity.ERROR) if finding.severity is Severity.WARNING else finding
