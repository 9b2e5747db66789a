"""API chains: which calls of a platform's interface compute one operation, from `apis.json` with its sources."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from r0kit import resources

SECTIONS = ("cube", "vector")


@dataclass(frozen=True, slots=True)
class Chain:
    """How one operation is computed in one section: API names in order.

    apis: () where there is no path, and `reason` says why. note: what to watch. source: file:line that documents it.
    """

    apis: tuple[str, ...]
    reason: str = ""
    note: str = ""
    source: str = ""


def chain(operation: str, section: str, interface: str, variant: str = "") -> Chain:
    """The chain of a canonical operation in `section` ("cube", "vector") through `interface` ("pypto_pro", "pypto").

    variant: tells forms of one operation apart ("tanh" for gelu). An operation without a row has no known path.
    """
    row = _row(operation, section, variant)
    if row is None:
        return Chain((), f"the API table has no row for {operation}")
    if section not in _sections_of(row):
        return Chain((), f"{operation} runs in the {row['section']} section only", source=row.get("source", ""))
    apis = tuple(row[interface])
    reason = "" if apis else row.get("reason") or f"no page of {interface} describes it"
    return Chain(apis, reason, row.get("note", ""), row.get("source", ""))


def sections(operation: str, interface: str, variant: str = "") -> frozenset[str]:
    """Sections in which the operation has an API path; empty where it has none at all, or needs none."""
    return frozenset(section for section in SECTIONS if chain(operation, section, interface, variant).apis)


def operations() -> frozenset[str]:
    """Operations that the table knows."""
    return frozenset(name.partition(":")[0] for name in _table()["operations"])


def _row(operation: str, section: str, variant: str) -> dict[str, Any] | None:
    table = _table()
    if section == "cube" and operation in table["accumulator"]:
        row: dict[str, Any] = {"section": "cube", **table["accumulator"][operation]}
        return row
    rows: dict[str, dict[str, Any]] = table["operations"]
    return rows.get(f"{operation}:{variant}") or rows.get(operation)


def _sections_of(row: dict[str, Any]) -> tuple[str, ...]:
    return SECTIONS if row["section"] == "both" else (row["section"],)


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(resources.text("platform", "apis.json"))
    return table
