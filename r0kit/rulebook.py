"""Rules as rows of a table, the driver that runs them, and what is derived from the rows: self-test, help, rule page."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from r0kit.finding import Fault, Finding, Location, Severity

MOST = 10_000  # findings of one rule in one input


class Rule(NamedTuple):
    """One rule. `check` is given what the book's driver calls the subject and says what is wrong with it.

    good, bad: the smallest inputs that satisfy and violate this rule and no other one; hint: what to do, where a fault
    has nothing more to the point to say. versions: range of versions of the tool concerned in which the rule holds ("":
    all of them); evidence: how it is known.
    """

    id: str
    title: str
    why: str
    severity: Severity
    good: str
    bad: str
    hint: str
    check: Callable[[Any], Iterable[Fault]]
    versions: str = ""
    evidence: str = ""


class Trial(NamedTuple):
    """One example of a rule put to the test: the rules it must raise, and those it does."""

    rule: str
    example: str
    expected: tuple[str, ...]
    raised: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return self.expected == self.raised


def run(
    rules: Iterable[Rule], subject: Any, locate: Callable[[Iterable[Any]], Mapping[Any, Location]]
) -> tuple[Finding, ...]:
    """What `rules` say about `subject`, stamped with the rule and its severity; `locate` is asked once, if at all.

    A rule that is violated more than MOST times says so and stops: more would not be read, and might not fit in memory.
    """
    said = [(rule, fault) for rule in rules for fault in _at_most(MOST, rule.check(subject))]
    places = locate([fault.at for _, fault in said]) if said else {}
    return tuple(_stamped(rule, fault, places[fault.at]) for rule, fault in said)


def _at_most(most: int, faults: Iterable[Fault]) -> Iterator[Fault]:
    for count, fault in enumerate(faults):
        if count == most:
            yield Fault(fault.at, f"there are more than {most} findings of this rule; the others are left out")
            return
        yield fault


def _stamped(rule: Rule, fault: Fault, place: Location) -> Finding:
    return Finding(rule.id, fault.severity or rule.severity, fault.message, place, fault.hint or rule.hint)


def self_test(rules: Iterable[Rule], raised_by: Callable[[str], Iterable[str]]) -> Iterator[Trial]:
    """Both examples of every rule, judged by all rules: `raised_by` gives the ids that an example raises."""
    for rule in rules:
        yield Trial(rule.id, "good", (), tuple(sorted(set(raised_by(rule.good)))))
        yield Trial(rule.id, "bad", (rule.id,), tuple(sorted(set(raised_by(rule.bad)))))


def listing(rules: Iterable[Rule]) -> str:
    """One line per rule: id, severity and title."""
    return "".join(f"{rule.id:<8}{rule.severity.value:<9}{rule.title}\n" for rule in rules)


def explained(rule: Rule) -> str:
    """All that the row says, as plain text."""
    return (
        f"{rule.id} ({rule.severity.value}): {rule.title}\n\n{rule.why}\n\nWhat to do: {rule.hint}.\n\n{_known(rule)}"
        f"Right:\n\n{_indented(rule.good)}\n\nWrong:\n\n{_indented(rule.bad)}\n"
    )


def page(title: str, rules: Iterable[Rule], language: str = "yaml") -> str:
    """All rows as one Markdown page; language: that of the examples."""
    sections = (
        f"## {rule.id}: {rule.title}\n\n{rule.why}\n\nSeverity: {rule.severity.value}. What to do: {rule.hint}.\n\n"
        f"{_known(rule)}Right:\n\n```{language}\n{rule.good.strip()}\n```\n\n"
        f"Wrong:\n\n```{language}\n{rule.bad.strip()}\n```\n"
        for rule in rules
    )
    return "\n".join((f"# {title}\n", *sections))


def _known(rule: Rule) -> str:
    """The versions and the evidence of a rule, where it names any."""
    versions = f"Versions: {rule.versions}.\n\n" if rule.versions else ""
    return f"{versions}Evidence: {rule.evidence}.\n\n" if rule.evidence else versions


def _indented(example: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in example.strip().splitlines())
