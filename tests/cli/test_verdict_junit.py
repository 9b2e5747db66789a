"""A verdict of `verify` as JUnit XML."""

from xml.etree import ElementTree

from r0kit.cli.verdict_junit import junit
from r0kit.finding import Finding, Location, Severity
from r0kit.verify import Check, Failure, Status, Verdict
from r0kit.verify.cases import CasePlan
from r0kit.verify.verdict import Category

FAILURE = Failure(2, Category.PRECISION, "verify.value", 'y is off by 1 < 2 & "more"', "at [0, 3]\x07")
LOST = Finding("verify.read", Severity.ERROR, "cannot be read", Location("golden.py", 3, 1), "repair it")
TOLD = Finding("verify.value", Severity.ERROR, FAILURE.summary, Location("golden.py", 3, 1))
NOTED = Finding("verify.note", Severity.WARNING, "noted", Location("golden.py", 3, 1))


def case(shape: str) -> CasePlan:
    return CasePlan(shape, 42, {}, {}, ())


def test_a_case_for_each_check_and_for_what_belongs_to_none() -> None:
    checks = (
        Check(case("small"), Status.PASS),
        Check(case("tail"), Status.SKIP, reason="the golden refuses it"),
        Check(case("large"), Status.FAIL, failure=FAILURE),
    )
    verdict = Verdict("softmax", "c.yaml", "golden.py", 2, 2, 3, checks, (TOLD, LOST, NOTED))
    (suite,) = ElementTree.fromstring(junit(verdict))
    counts = {key: suite.get(key) for key in ("name", "tests", "failures", "errors", "skipped")}
    assert counts == {"name": "softmax", "tests": "4", "failures": "1", "errors": "1", "skipped": "1"}
    passed, skipped, failed, lost = suite
    assert [one.get("name") for one in suite] == ["small-seed42", "tail-seed42", "large-seed42", "verify.read"]
    assert len(passed) == 0
    assert skipped[0].attrib == {"message": "the golden refuses it"}
    assert failed[0].attrib == {"type": "verify.value", "message": FAILURE.summary}
    assert failed[0].text == "at [0, 3]\ufffd"
    assert (lost[0].tag, lost[0].text) == ("error", "golden.py:3: cannot be read\nrepair it")


def test_a_verdict_without_an_operator_is_named_after_the_contract() -> None:
    (suite,) = ElementTree.fromstring(junit(Verdict("", "c.yaml", "golden.py", 0, 0, findings=(LOST,))))
    assert (suite.get("name"), suite.get("errors")) == ("c.yaml", "1")
