"""The rows of the pitfalls: their examples, and what is derived from them."""

from pathlib import Path

import pytest

import r0kit.lint
from r0kit.cli.explain import PITFALLS_TITLE
from r0kit.lint import PITFALLS, lint_text, self_test
from r0kit.lint.versions import BEFORE, JUDGED, holds
from r0kit.rulebook import Rule
from r0kit.rulebook.pages import page

_IDS = [rule.id for rule in PITFALLS]


def test_ids_are_in_order_and_without_gaps() -> None:
    assert [f"P{number:02}" for number in range(len(PITFALLS))] == _IDS


@pytest.mark.parametrize("rule", PITFALLS, ids=_IDS)
def test_each_example_raises_its_own_pitfall_or_none(rule: Rule) -> None:
    version = JUDGED if holds(rule.versions, JUDGED) else BEFORE
    assert [finding.rule for finding in lint_text(rule.good, version=version).findings] == []
    assert {finding.rule for finding in lint_text(rule.bad, version=version).findings} == {rule.id}


@pytest.mark.parametrize("rule", [rule for rule in PITFALLS if not holds(rule.versions, JUDGED)], ids=lambda r: r.id)
def test_what_the_compiler_refutes_is_silent(rule: Rule) -> None:
    assert lint_text(rule.bad, version=JUDGED).findings == ()
    assert lint_text(rule.bad).findings == ()


@pytest.mark.parametrize("rule", PITFALLS, ids=_IDS)
def test_each_row_says_how_it_is_known(rule: Rule) -> None:
    assert rule.evidence and rule.why and rule.hint and rule.title
    assert not rule.hint.endswith(".") and not rule.evidence.endswith(".")


def test_the_self_test_passes() -> None:
    trials = self_test()
    assert len(trials) == 2 * len(PITFALLS)
    assert [trial for trial in trials if not trial.passed] == []


def test_the_page_of_pitfalls_is_in_step() -> None:
    """Refresh with: python -m r0kit explain --pitfalls --all --format md > r0kit/lint/PITFALLS.md"""
    text = (Path(r0kit.lint.__file__).parent / "PITFALLS.md").read_text(encoding="utf-8")
    assert text == page(PITFALLS_TITLE, PITFALLS, "python")
