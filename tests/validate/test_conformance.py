"""rule0 to rule7 mean what they meant in the original script."""

import pytest
from corpus import CASES, CORE, Case

from r0kit.validate import validate_text


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_verdict(case: Case) -> None:
    report = validate_text(case.yaml, "c.yaml")
    raised = {finding.rule for finding in report.findings if finding.severity == "error"} & CORE
    if case.crash:
        assert raised
    else:
        # An entry of the wrong type is rule0 too, beside the rule that could not be satisfied by it.
        assert raised == case.rules or (case.rules and raised == case.rules | {"rule0"})


def test_the_corpus_is_whole() -> None:
    assert len(CASES) == 599
    assert {rule for case in CASES for rule in case.rules} == CORE
