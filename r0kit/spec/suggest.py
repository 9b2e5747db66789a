"""Hints about names: the one that was meant, or those that there are."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_MANY = 64  # names among which a look-alike is searched; its cost grows with their number for every wrong name
_SHOWN = 12


def meant(name: str, names: Iterable[str]) -> str:
    """ "did you mean x?", or "" where no name is close."""
    known = list(names)
    close = get_close_matches(name[:100], known, 1) if len(known) <= _MANY else []
    return f"did you mean {close[0]}?" if close else ""


def listed(names: Iterable[str]) -> str:
    """ "known: x, y", the first ones of many."""
    known = list(names)
    more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    return f"known: {', '.join(known[:_SHOWN]) or 'none'}{more}"
