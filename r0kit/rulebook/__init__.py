"""Rules as rows of a table, and the driver that runs them. What is derived from the rows: `pages` and `trials`."""

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
