"""Changes between two contracts, frozen."""

from typing import Any, NamedTuple

from r0kit.diff.kinds import KINDS

Path = tuple[Any, ...]
"""Where a value stands in the data of a file: ("modules", 1, "outputs", 0)."""


class Change(NamedTuple):
    """One difference. kind: a row of KINDS; value: what it is about.

    old, new: ids of the Module in each file; None where it has none, or where the contract as a whole is meant.
    at: its place in NEW, or in OLD for what is gone (`gone`).
    """

    kind: str
    value: str = ""
    before: str = ""
    after: str = ""
    old: int | None = None
    new: int | None = None
    at: Path = ()
    gone: bool = False

    @property
    def interface(self) -> bool:
        """Whether later rounds must see it."""
        return bool(KINDS[self.kind].rounds)


class Difference(NamedTuple):
    """All changes, those of the contract as a whole first, then Module by Module in NEW's order, then what is gone.

    names: what each Module is called, by its ids in the files.
    """

    changes: tuple[Change, ...]
    names: dict[tuple[int | None, int | None], str]

    @property
    def interface(self) -> int:
        """How many changes later rounds must see."""
        return sum(change.interface for change in self.changes)
