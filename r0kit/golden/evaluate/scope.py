"""Names of the golden and what they stand for; every change can be undone, so that code can be read on trial."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from r0kit.golden.values import Value


@dataclass(slots=True, eq=False)
class Scope:
    """The names of one function, class body, comprehension or of the module.

    parent: where a name is looked up next; outer: names declared `global` or `nonlocal`, and the scope they live in.
    """

    parent: Scope | None
    names: dict[str, Value] = field(default_factory=dict)
    outer: dict[str, Scope] = field(default_factory=dict)

    def find(self, name: str) -> Scope | None:
        """The innermost scope that has `name`."""
        scope: Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.parent
        return scope

    def home(self, name: str) -> Scope:
        """The scope that an assignment to `name` here changes."""
        return self.outer.get(name, self)


ABSENT: Any = object()


class Change(NamedTuple):
    """One entry of the journal: container `target` changed at `key`, where it held `old` (ABSENT: nothing)."""

    target: Any
    key: Any
    old: Any


class Journal:
    """All changes to scopes, lists and dictionaries while something is read on trial; silent otherwise."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self._trials = 0

    def put(self, target: dict[Any, Any], key: Any, value: Any) -> None:
        """`target[key] = value`."""
        if self._trials:
            self.changes.append(Change(target, key, target.get(key, ABSENT)))
        target[key] = value

    def drop(self, target: dict[Any, Any], key: Any) -> None:
        """`del target[key]`."""
        if self._trials:
            self.changes.append(Change(target, key, target.get(key, ABSENT)))
        target.pop(key, None)

    def edit(self, target: list[Any], change: Callable[[], Any]) -> Any:
        """Run `change`, which changes the list `target`; its result."""
        if self._trials:
            self.changes.append(Change(target, None, list(target)))
        return change()

    def refill(self, target: list[Any], items: list[Any]) -> None:
        """`target[:] = items`."""
        self.edit(target, lambda: target.__setitem__(slice(None), items))

    @contextmanager
    def trial(self) -> Iterator[int]:
        """Changes inside are recorded; yields the mark to undo them to."""
        self._trials += 1
        try:
            yield len(self.changes)
        finally:
            self._trials -= 1
            if not self._trials:
                self.changes.clear()

    def undo(self, mark: int) -> None:
        """Take back every change since `mark`, the latest first."""
        while len(self.changes) > mark:
            target, key, old = self.changes.pop()
            if isinstance(target, list):
                target[:] = old
            elif old is ABSENT:
                target.pop(key, None)
            else:
                target[key] = old
