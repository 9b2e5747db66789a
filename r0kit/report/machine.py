"""Reports as JSON: one object for one file, and for several files an object with the list of theirs."""

from collections.abc import Sequence
from json import dumps
from typing import Any

from r0kit.finding import Report, Severity


def json_text(reports: Sequence[Report], several: bool = False) -> str:
    """The JSON of the reports, indented by two. several: in the form for several files, however many there are."""
    if len(reports) == 1 and not several:
        return dumps(file_object(reports[0]), indent=2, ensure_ascii=False) + "\n"
    status = "FAIL" if any(report.failed for report in reports) else "PASS"
    files = [file_object(report) for report in reports]
    return dumps({"status": status, "files": files}, indent=2, ensure_ascii=False) + "\n"


def file_object(report: Report) -> dict[str, Any]:
    """What JSON says of one file: `violations` are the errors, each as text that begins with its rule."""
    return {
        "status": "FAIL" if report.failed else "PASS",
        "violations": _lines(report, Severity.ERROR),
        "warnings": _lines(report, Severity.WARNING),
        "findings": [finding.record() for finding in report.findings],
        "path": report.path,
    }


def _lines(report: Report, severity: Severity) -> list[str]:
    return [f"{finding.rule}: {finding.message}" for finding in report.findings if finding.severity is severity]
