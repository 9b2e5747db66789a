"""The rows of the rule table: their examples, and what is derived from them."""

from pathlib import Path

import pytest

import r0kit.validate
from r0kit.cli.comparing import golden_of_text
from r0kit.cli.explain import PAGE_TITLE
from r0kit.finding import Fault, Location, Severity
from r0kit.rulebook import Rule, run
from r0kit.rulebook.pages import explained, page
from r0kit.rulebook.trials import self_test
from r0kit.validate import RULES
from r0kit.validate.examples import completed, judged

_IDS = [rule.id for rule in RULES]


@pytest.mark.parametrize("rule", RULES, ids=_IDS)
def test_the_good_example_is_a_contract_without_findings(rule: Rule) -> None:
    assert judged(rule.good, golden_of_text).findings == ()


@pytest.mark.parametrize("rule", RULES, ids=_IDS)
def test_the_bad_example_violates_this_rule_alone_where_it_says_so(rule: Rule) -> None:
    text = completed(rule.bad)
    findings = judged(rule.bad, golden_of_text).findings
    assert {finding.rule for finding in findings} == {rule.id}
    lines = text.splitlines()
    shown_lines = rule.bad.splitlines()
    for finding in findings:
        assert any(lines[finding.location.line - 1].endswith(line.strip()) for line in shown_lines)


def test_rules_are_in_order_and_unique() -> None:
    numbers = [int(rule_id.removeprefix("rule")) for rule_id in _IDS]
    assert numbers == sorted(set(numbers))
    assert numbers == list(range(19))


def test_the_rule_page_is_in_step() -> None:
    """Refresh with: python -m r0kit explain --all --format md > r0kit/validate/RULES.md"""
    text = (Path(r0kit.validate.__file__).parent / "RULES.md").read_text(encoding="utf-8")
    assert text == page(PAGE_TITLE, RULES)


def _rule(number: int, faults: list[Fault]) -> Rule:
    return Rule(f"rule{number}", "title", "why", Severity.WARNING, "good", "bad", "row's hint", lambda _: faults)


def test_the_driver_stamps_rule_severity_and_hint() -> None:
    rules = [_rule(1, [Fault("a", "one")]), _rule(2, [Fault("b", "two", "own hint", Severity.ERROR)])]
    places = {"a": Location("f", 1), "b": Location("f", 2)}
    findings = run(rules, None, lambda wanted: {at: places[at] for at in wanted})
    assert [(f.rule, f.severity.value, f.message, f.location.line, f.hint) for f in findings] == [
        ("rule1", "warning", "one", 1, "row's hint"),
        ("rule2", "error", "two", 2, "own hint"),
    ]


def test_places_are_not_looked_up_for_nothing() -> None:
    def locate(_: object) -> dict[str, Location]:
        raise AssertionError("asked for places without faults")

    assert run([_rule(1, [])], None, locate) == ()


def test_the_self_test_notices_a_rule_that_sleeps_and_one_that_cries_wolf() -> None:
    rules = [_rule(1, []), _rule(2, [])]
    raised = {"good": [], "bad": ["rule2"]}
    trials = list(self_test(rules, lambda example: raised[example]))
    assert [(t.rule, t.example, t.passed) for t in trials] == [
        ("rule1", "good", True),
        ("rule1", "bad", False),
        ("rule2", "good", True),
        ("rule2", "bad", True),
    ]
    (wolf, _) = self_test([_rule(1, [])], lambda _: ["rule1"])
    assert not wolf.passed


def test_all_that_a_row_says() -> None:
    rule = Rule("r1", "title", "why", Severity.WARNING, "a: 1\n\nb: 2\n", "\nc: 3\n", "do", lambda _: (), ">=1", "seen")
    known = "What to do: do.\n\nVersions: >=1.\n\nEvidence: seen.\n\n"
    right, wrong = "Right:\n\n    a: 1\n\n    b: 2\n\n", "Wrong:\n\n    c: 3\n"
    assert explained(rule) == f"r1 (warning): title\n\nwhy\n\n{known}{right}{wrong}"
    examples = "Right:\n\n```yaml\na: 1\n\nb: 2\n```\n\nWrong:\n\n```yaml\nc: 3\n```\n"
    assert page("Rules", [rule]) == f"# Rules\n\n## r1: title\n\nwhy\n\nSeverity: warning. {known}{examples}"


def test_the_rules_that_an_example_raises_are_told_in_order() -> None:
    trials = list(self_test([_rule(1, [])], lambda _: ["rule3", "rule1", "rule2", "rule9", "rule8"]))
    assert [trial.raised for trial in trials] == [("rule1", "rule2", "rule3", "rule8", "rule9")] * 2
