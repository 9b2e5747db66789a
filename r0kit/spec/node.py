"""Values with places: what JSON, YAML and Markdown tables have in common once they are parsed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from r0kit.finding import Finding, InputError, Location, Severity
from r0kit.spec.model import Place

DEEPEST = 64  # levels of nesting; a SPEC needs six
MOST = 200_000  # values of one form, aliases expanded

Key = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it begins.

    value: dict of str to Node, list of Node, or a number, truth value, string or None. text: a scalar as written.
    repeated: keys of a mapping that occur again, with the place of the repetition.
    """

    value: Any
    place: Place
    text: str = ""
    repeated: tuple[tuple[str, Place], ...] = ()

    def get(self, key: str) -> Node | None:
        """The entry `key` of a mapping; None where there is none, or where it is null."""
        entry = self.value.get(key) if isinstance(self.value, dict) else None
        return None if entry is None or entry.value is None else entry

    def items(self) -> Iterator[tuple[str | int, Node]]:
        """(key or index, entry) pairs of a mapping or list; nothing of a scalar."""
        if isinstance(self.value, dict):
            yield from self.value.items()
        elif isinstance(self.value, list):
            yield from enumerate(self.value)

    def plain(self) -> Any:
        """The same value without places."""
        if isinstance(self.value, dict):
            return {key: entry.plain() for key, entry in self.value.items()}
        return [entry.plain() for entry in self.value] if isinstance(self.value, list) else self.value


NOTHING = Node(None, Place())


def places(node: Node, prefix: Key = ()) -> dict[Key, Place]:
    """Place of every value below `node`, by its path of keys and indices."""
    found = {prefix: node.place}
    for key, entry in node.items():
        found.update(places(entry, (*prefix, key)))
    return found


def place_of(known: Mapping[Key, Place], key: Key) -> Place:
    """Place of `key`, or of the innermost value around it that has one."""
    while key and key not in known:
        key = key[:-1]
    return known.get(key, Place())


def location(path: str, place: Place) -> Location:
    return Location(path, place.line, place.column)


def unreadable(path: str, rule: str, message: str, place: Place, hint: str) -> InputError:
    """The error of a SPEC that cannot be read, with its one finding."""
    return InputError([Finding(rule, Severity.ERROR, message, location(path, place), hint)])
