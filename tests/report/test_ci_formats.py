"""Reports for code scanning, for annotations and for CI that shows tests."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from r0kit.finding import Finding, Location, Report, Severity
from r0kit.report import FORMATS, PLAIN, Style
from r0kit.report.github import annotations
from r0kit.report.junit import Case
from r0kit.report.junit import suite as suite_of
from r0kit.report.sarif import plain, uri
from r0kit.validate import RULES, validate_text
from r0kit.validate.examples import completed

SARIF = Draft4Validator(json.loads((Path(__file__).parent / "sarif-schema-2.1.0.json").read_text("utf-8")))
RULED = Style(rules=RULES)


def finding(message: str = "wrong", hint: str = "do", severity: Severity = Severity.ERROR, **place: Any) -> Finding:
    return Finding("rule2", severity, message, Location(**{"path": "c.yaml", **place}), hint)


def sarif(*reports: Report) -> Any:
    log = json.loads(FORMATS["sarif"].write(reports, RULED))
    assert [error.message for error in SARIF.iter_errors(log)] == []
    (run,) = log["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    return run


def test_the_official_schema_refuses_what_is_no_sarif() -> None:
    assert list(SARIF.iter_errors({"version": "2.1.0", "runs": [{"tool": {"driver": {}}}]}))


def test_sarif_of_every_bad_example() -> None:
    reports = [validate_text(completed(rule.bad), f"{rule.id}.yaml") for rule in RULES]
    run = sarif(*reports)
    assert len(run["results"]) == sum(len(report.findings) for report in reports)
    for result in run["results"]:
        (place,) = result["locations"]
        artifact = place["physicalLocation"]["artifactLocation"]
        assert run["artifacts"][artifact["index"]]["location"]["uri"] == artifact["uri"]
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_sarif_explains_the_rules() -> None:
    rules = sarif(Report("c.yaml"))["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.id for rule in RULES]
    for row, told in zip(RULES, rules, strict=True):
        assert told["defaultConfiguration"]["level"] == row.severity.value
        assert row.good.strip() in told["help"]["markdown"] and row.bad.strip() in told["help"]["markdown"]


@pytest.mark.parametrize(
    ("place", "region"),
    [
        ((3, 5, 3, 9), {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 9}),
        ((3, 5, 4, 1), {"startLine": 3, "startColumn": 5, "endLine": 4, "endColumn": 1}),
        ((3, 5, 3, 5), {"startLine": 3, "startColumn": 5}),
        ((3, 0, 0, 0), {"startLine": 3}),
        ((0, 0, 0, 0), None),
    ],
)
def test_regions(place: tuple[int, int, int, int], region: dict[str, int] | None) -> None:
    at = dict(zip(("line", "column", "end_line", "end_column"), place, strict=True))
    (result,) = sarif(Report("c.yaml", (finding(**at),)))["results"]
    assert result["locations"][0]["physicalLocation"].get("region") == region


def test_a_finding_of_another_rule_and_of_another_file() -> None:
    other = Finding("io.read", Severity.NOTE, "said", Location("r0kit.toml", 1, 1))
    run = sarif(Report("c.yaml", (other,)))
    assert run["results"][0]["message"] == {"text": "said"} and "ruleIndex" not in run["results"][0]
    assert [artifact["location"]["uri"] for artifact in run["artifacts"]] == ["c.yaml", "r0kit.toml"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a b/批.yaml", "a%20b/%E6%89%B9.yaml"),
        ("a:b%.yaml", "a%3Ab%25.yaml"),
        ("../x.yaml", "../x.yaml"),
        ("/tmp/a b.yaml", "file:///tmp/a%20b.yaml"),
        ("\udcff.yaml", "%FF.yaml"),
    ],
)
def test_uris(path: str, expected: str) -> None:
    assert uri(path) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'{purpose}'", "'{{purpose}}'"),
        ("[M](0)", "\\[M](0)"),
        ("modules[1].x (y)", "modules[1].x (y)"),
        ("\x1b", "\ufffd"),
    ],
)
def test_messages_are_plain_text(text: str, expected: str) -> None:
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("said", "command"),
    [
        (
            finding(line=3, column=5, end_line=3, end_column=9),
            "::error file=c.yaml,line=3,endLine=3,col=5,endColumn=9,title=rule2::wrong%0Ado",
        ),
        (
            finding(line=3, column=5, end_line=7, end_column=1),
            "::error file=c.yaml,line=3,endLine=7,title=rule2::wrong%0Ado",
        ),
        (finding(line=3), "::error file=c.yaml,line=3,endLine=3,title=rule2::wrong%0Ado"),
        (finding(hint=""), "::error file=c.yaml,title=rule2::wrong"),
        (finding("100%, a:b", ""), "::error file=c.yaml,title=rule2::100%25, a:b"),
        (finding(hint="", path="a,b:c%\n.yaml"), "::error file=a%2Cb%3Ac%25\ufffd.yaml,title=rule2::wrong"),
        (finding(hint="", severity=Severity.WARNING), "::warning file=c.yaml,title=rule2::wrong"),
        (finding(hint="", severity=Severity.NOTE), "::notice file=c.yaml,title=rule2::wrong"),
    ],
)
def test_annotations(said: Finding, command: str) -> None:
    line, summary, end = annotations([Report(said.location.path, (said,))]).split("\n")
    assert (line, end) == (command, "")
    assert summary.endswith("in 1 file")


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_nothing_escapes_from_an_annotation(message: str, hint: str, path: str) -> None:
    text = annotations([Report(path, (finding(message, hint, path=path),))])
    (command, summary) = text.splitlines()
    assert command.startswith("::error file=") and not summary.startswith("::")
    properties, _, _rest = command.removeprefix("::error ").partition("::")
    assert properties.count(":") == 0 and properties.count(",") == 1
    assert not any(character < " " for character in command)


def junit(*reports: Report) -> ElementTree.Element:
    return ElementTree.fromstring(FORMATS["junit"].write(reports, PLAIN).encode("utf-8", "surrogatepass"))


def test_junit_has_a_case_per_file() -> None:
    wrong = finding('a < b & "c"', line=1, column=1, end_line=1, end_column=2)
    warned = finding("careful", severity=Severity.WARNING)
    root = junit(Report("a.yaml"), Report("b.yaml", (warned,)), Report("c.yaml", (warned, wrong), "x: 1\n"))
    (tests,) = root
    assert (tests.get("tests"), tests.get("failures"), tests.get("errors"), tests.get("skipped")) == (
        "3",
        "1",
        "0",
        "0",
    )
    passed, warned_case, failed = tests
    assert [case.get("name") for case in tests] == ["a.yaml", "b.yaml", "c.yaml"]
    assert len(passed) == 0
    assert "careful" in str(warned_case.findtext("system-out"))
    failure = failed.find("failure")
    assert failure is not None
    assert (failure.get("type"), failure.get("message")) == ("rule2", "FAIL: 1 error, 1 warning in 1 file")
    assert 'c.yaml:1:1: error: a < b & "c" [rule2]\n  1 | x: 1\n    | ^\n' in str(failure.text)


def test_junit_is_named_after_the_command() -> None:
    (suite,) = ElementTree.fromstring(FORMATS["junit"].write([Report("k.py")], Style(command="r0kit lint")))
    assert (suite.get("name"), suite[0].get("classname")) == ("r0kit lint", "r0kit lint")


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_is_xml(message: str, path: str) -> None:
    (tests,) = junit(Report(path, (finding(message, path=path),)))
    assert len(tests) == 1


def test_outcomes_are_counted_and_line_ends_survive() -> None:
    cases = [Case("a", "error", "k", "one\ntwo"), Case("b", "skipped", "k", "m"), Case("c")]
    root = ElementTree.fromstring(suite_of("s", cases))
    assert {key: root.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "3",
        "failures": "0",
        "errors": "1",
        "skipped": "1",
    }
    error = root.find("testsuite/testcase/error")
    assert error is not None and error.get("message") == "one\ntwo"


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_writes_any_report(name: str) -> None:
    reports = [validate_text("op: [", "a"), validate_text("", "批"), Report("gone", (finding(path="gone"),))]
    for some in (reports, reports[:1], []):
        assert FORMATS[name].write(some, RULED).endswith("\n")
