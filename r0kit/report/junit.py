"""Reports as JUnit XML: one test case per file, which fails where the file has errors."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from r0kit.finding import Report, Severity
from r0kit.report.text import finding_blocks, summary

# `xml.sax.saxutils` would load a parser and the network library for these two tables.
_CONTENT = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ATTRIBUTE = {**_CONTENT, '"': "&quot;", "\n": "&#10;"}

_HEAD = '<?xml version="1.0" encoding="utf-8"?>'


class Case(NamedTuple):
    """One test case. outcome: "" where it passed, else the element that says how it ended ("failure", "error")."""

    name: str
    outcome: str = ""
    kind: str = ""
    message: str = ""
    detail: str = ""


def junit_text(reports: Sequence[Report], name: str) -> str:
    """The XML of one suite, of this name, with a case per report."""
    return suite(name, map(_case, reports))


def suite(name: str, cases: Iterable[Case]) -> str:
    """The XML of one test suite."""
    cases = list(cases)
    counted = {what: sum(case.outcome == what for case in cases) for what in ("failure", "error", "skipped")}
    counts = f'tests="{len(cases)}" failures="{counted["failure"]}" errors="{counted["error"]}"'
    counts += f' skipped="{counted["skipped"]}"'
    head = [_HEAD, f"<testsuites {counts}>", f"<testsuite name={attribute(name)} {counts}>"]
    return "\n".join((*head, *(_element(name, case) for case in cases), "</testsuite>", "</testsuites>", ""))


def _case(report: Report) -> Case:
    errors = [finding for finding in report.findings if finding.severity is Severity.ERROR]
    detail = "".join(finding_blocks(report))
    if not errors:
        return Case(report.path, detail=detail)
    return Case(report.path, "failure", errors[0].rule, summary([report]), detail)


def _element(suite_name: str, case: Case) -> str:
    head = f"<testcase classname={attribute(suite_name)} name={attribute(case.name)}"
    if case.outcome:
        kind = f" type={attribute(case.kind)}" if case.kind else ""
        said = f"<{case.outcome}{kind} message={attribute(case.message)}>"
        return f"{head}>{said}{content(case.detail)}</{case.outcome}></testcase>"
    return f"{head}><system-out>{content(case.detail)}</system-out></testcase>" if case.detail else f"{head}/>"


def attribute(text: str) -> str:
    """`text` as the value of an attribute, in quotes."""
    return f'"{_escaped(text, _ATTRIBUTE)}"'


def content(text: str) -> str:
    """`text` as the content of an element."""
    return _escaped(text, _CONTENT)


def _escaped(text: str, table: dict[str, str]) -> str:
    """`text` with `table` applied, and a mark for the characters that XML has no place for."""
    return "".join(table.get(c) or (c if c.isprintable() or c == "\n" else "\ufffd") for c in text)
