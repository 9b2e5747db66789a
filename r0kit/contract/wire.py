"""How a contract names where a value comes from: "primary", or "module_<j>" (in older files "phase_<j>")."""

from re import compile as pattern
from typing import Any

PRIMARY = 0  # number of the source of a primary input

_SOURCE = pattern("(?:module|phase)_0*([1-9][0-9]{0,8})")


def producer(source: Any) -> int | None:
    """Number of the Module that `source` names, PRIMARY for "primary", None where it is neither."""
    if source == "primary":
        return PRIMARY
    match = _SOURCE.fullmatch(source) if isinstance(source, str) else None
    return int(match[1]) if match else None


def source_of(module: int) -> str:
    """How a contract names the Module of this number, or PRIMARY."""
    return "primary" if module == PRIMARY else f"module_{module}"
