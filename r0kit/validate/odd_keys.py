"""Keys that mean nothing, stand twice, or are no text: what rule0 and rule18 say of them."""

from collections.abc import Iterator

from r0kit.contract.path import FIRST, KEY, Path
from r0kit.contract.wording import shown, spell
from r0kit.finding import Fault, Severity
from r0kit.validate.subject import Subject


def unknown(subject: Subject) -> Iterator[Fault]:
    """The keys that mean nothing, of which no other rule says that one is missing."""
    for slip in subject.unknown.get("rule18", ()):
        message = f"the key {shown(slip.key)} in {spell(slip.path)} means nothing here"
        hint = slip.hint or subject.suggestion(slip.key, slip.record.fields)
        yield Fault((*slip.path, slip.key, KEY), message, hint)


def duplicates(subject: Subject) -> Iterator[Fault]:
    """The keys that stand twice in their mapping."""
    twice = subject.document.duplicates
    first = subject.document.locate((*path, FIRST) for path in twice) if twice else {}
    for path in twice:
        line = first[(*path, FIRST)].line
        message = f"the key {shown(path[-1])} occurs twice in {spell(path[:-1])}, first in line {line}"
        yield Fault((*path, KEY), message, "keep one of them: the last one wins", Severity.ERROR)


def not_text(subject: Subject) -> Iterator[Fault]:
    """The keys that are not text."""
    for path in subject.document.odd_keys:
        message = f"the key {shown(path[-1])} in {spell(path[:-1])} is not text"
        yield Fault((*path, KEY), message, _key_hint(subject, path))


def _key_hint(subject: Subject, path: Path) -> str:
    value = subject.document.data
    for step in path:
        if isinstance(value, dict):
            value = value.get(step, "")
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:  # the key stands in a value that a second one of the same key has replaced
            return "put it in quotes"
    if value is None and path[-1].__class__ is int:  # what a comma has made of `atol: 0,001`
        return "write a number with a point, and text that has a comma in quotes"
    return "put it in quotes"
