"""A verdict as JUnit XML: one test case per case, and one for what belongs to no case."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from r0kit.finding import Finding, Severity
from r0kit.verify.verdict import Check, Status, Verdict


def junit(verdict: Verdict) -> str:
    """The XML of one test suite, named after the operator."""
    lost = list(_without_case(verdict))
    cases = [*(_case(verdict, check) for check in verdict.checks), *(_error(verdict, finding) for finding in lost)]
    failures = sum(check.status is Status.FAIL for check in verdict.checks)
    skipped = sum(check.status is Status.SKIP for check in verdict.checks)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{len(lost)}" skipped="{skipped}"'
    name = quoteattr(_printable(verdict.op or verdict.path))
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f"<testsuites {counts}>", f"<testsuite name={name} {counts}>"]
    return "\n".join([*lines, *cases, "</testsuite>", "</testsuites>", ""])


def _without_case(verdict: Verdict) -> Iterator[Finding]:
    rules = {check.failure.rule for check in verdict.checks if check.failure}
    for finding in verdict.findings:
        if finding.severity is Severity.ERROR and finding.rule not in rules:
            yield finding


def _case(verdict: Verdict, check: Check) -> str:
    head = f"<testcase classname={quoteattr(_printable(verdict.op))} name={quoteattr(_printable(check.case.id))}"
    if check.failure:
        failure = check.failure
        what = f"<failure type={quoteattr(failure.rule)} message={quoteattr(_printable(failure.summary))}>"
        return f"{head}>{what}{escape(_printable(failure.detail))}</failure></testcase>"
    if check.status is Status.SKIP:
        return f"{head}><skipped message={quoteattr(_printable(check.reason))}/></testcase>"
    return f"{head}/>"


def _error(verdict: Verdict, finding: Finding) -> str:
    place = finding.location
    head = f"<testcase classname={quoteattr(_printable(verdict.op))} name={quoteattr(finding.rule)}>"
    message = quoteattr(_printable(finding.message))
    text = f"{place.path}:{place.line}: {finding.message}\n{finding.hint}"
    return (
        f"{head}<error type={quoteattr(finding.rule)} message={message}>{escape(_printable(text))}</error></testcase>"
    )


def _printable(text: str) -> str:
    """`text` without the control characters that XML has no place for."""
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)
