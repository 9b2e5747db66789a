"""What every command does with its findings: their order, their weight, and what is said where an input cannot be read."""

import pytest

from r0kit.finding import Finding, InputError, Location, Report, Severity

PLACE = Location("c", 3, 4)


def report(*severities: Severity) -> Report:
    return Report("c", tuple(Finding(f"rule{index}", each, "", PLACE) for index, each in enumerate(severities)))


def severities(said: Report) -> dict[str, str]:
    return {finding.rule: finding.severity.value for finding in said.findings}


def test_a_file_as_a_whole_has_line_0() -> None:
    assert Location("c") == ("c", 0, 0, 0, 0)


def test_findings_are_in_the_order_of_line_column_and_number_of_the_rule() -> None:
    rules = ("config", "rule0", "P2", "rule2", "rule10")
    expected = [
        *(Finding("rule9", Severity.NOTE, "", Location("c", *at)) for at in ((0, 0), (3, 3))),
        *(Finding(rule, Severity.NOTE, "", PLACE) for rule in rules),
        *(Finding("rule0", Severity.NOTE, "", Location("c", *at)) for at in ((3, 5), (10, 1))),
    ]
    assert list(Report("c", tuple(reversed(expected))).sorted().findings) == expected


@pytest.mark.parametrize(
    ("severity", "failed", "strict"),
    [(Severity.ERROR, True, True), (Severity.WARNING, False, True), (Severity.NOTE, False, False)],
)
def test_errors_decide_and_warnings_where_one_is_strict(severity: Severity, failed: bool, strict: bool) -> None:
    said = report(Severity.NOTE, severity)
    assert (said.failed, said.strict().failed) == (failed, strict)
    assert severities(said.strict())["rule0"] == "note"


def test_a_project_gives_severities_to_rules_and_leaves_some_out() -> None:
    said = report(Severity.ERROR, Severity.WARNING, Severity.NOTE)
    assert severities(said.rated({"rule0": "off", "rule1": "error"})) == {"rule1": "error", "rule2": "note"}


def test_an_input_that_cannot_be_read_says_all_that_is_wrong() -> None:
    findings = [Finding("rule0", Severity.ERROR, message, PLACE) for message in ("no text", "too large")]
    error = InputError(iter(findings))
    assert error.findings == tuple(findings)
    assert str(error) == "no text; too large"
