"""The examples of rules put to the test."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from r0kit.rulebook import Rule


class Trial(NamedTuple):
    """One example of a rule put to the test: the rules it must raise, and those it does."""

    rule: str
    example: str
    expected: tuple[str, ...]
    raised: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return self.expected == self.raised


def self_test(rules: Iterable[Rule], raised_by: Callable[[str], Iterable[str]]) -> Iterator[Trial]:
    """Both examples of every rule, judged by all rules: `raised_by` gives the ids that an example raises."""
    for rule in rules:
        yield Trial(rule.id, "good", (), tuple(sorted(set(raised_by(rule.good)))))
        yield Trial(rule.id, "bad", (rule.id,), tuple(sorted(set(raised_by(rule.bad)))))
