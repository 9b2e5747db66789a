"""A verdict of `verify` as JUnit XML: one test case per case, and one for what belongs to no case."""

from collections.abc import Iterator

from r0kit.finding import Finding, Severity
from r0kit.report.junit import Case, suite
from r0kit.verify import Check, Status, Verdict


def junit(verdict: Verdict) -> str:
    """The XML of one test suite, named after the operator."""
    return suite(verdict.op or verdict.path, (*map(_case, verdict.checks), *map(_error, _without_case(verdict))))


def _without_case(verdict: Verdict) -> Iterator[Finding]:
    rules = {check.failure.rule for check in verdict.checks if check.failure}
    for finding in verdict.findings:
        if finding.severity is Severity.ERROR and finding.rule not in rules:
            yield finding


def _case(check: Check) -> Case:
    if check.failure:
        return Case(check.case.id, "failure", check.failure.rule, check.failure.summary, check.failure.detail)
    if check.status is Status.SKIP:
        return Case(check.case.id, "skipped", message=check.reason)
    return Case(check.case.id)


def _error(finding: Finding) -> Case:
    place = finding.location
    text = f"{place.path}:{place.line}: {finding.message}\n{finding.hint}"
    return Case(finding.rule, "error", finding.rule, finding.message, text)
