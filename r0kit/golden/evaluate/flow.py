"""How a block of statements is left, other than through its end."""

from __future__ import annotations

from dataclasses import dataclass

from r0kit.golden.values import Value


@dataclass(frozen=True, slots=True)
class Break:
    pass


@dataclass(frozen=True, slots=True)
class Continue:
    pass


@dataclass(frozen=True, slots=True)
class MaybeBreak:
    """The loop ends here or goes on; only data can tell."""


@dataclass(frozen=True, slots=True)
class Returned:
    value: Value


@dataclass(frozen=True, slots=True)
class Raised:
    """`raise` was reached."""


Flow = Break | Continue | MaybeBreak | Returned | Raised
