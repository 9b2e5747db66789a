"""A Platform and the table it is read from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from r0kit import resources


class UnknownPlatformError(ValueError):
    """A platform that the table does not have; the message lists those it has."""


@dataclass(frozen=True, slots=True)
class Move:
    """A transfer that the hardware has: from space to space, the API that asks for it, and the pipe it runs on.

    api: "" where no API names it, because a graph compiler places it.
    """

    source: str
    target: str
    api: str
    pipe: str


@dataclass(frozen=True, slots=True)
class Platform:
    """One target: capacities in bytes, start alignments in bytes by space, and the moves between spaces.

    Spaces: GM, UB, L1, L0A, L0B, L0C, BT (bias table), FB (fixpipe buffer, where "Scaling" tiles live).
    frontend: the programming interface for tiles ("pypto_pro") or graphs ("pypto") that reaches it.
    cube_cores, vector_cores: of the smallest variant; split: whether they are separate cores.
    """

    name: str
    soc: str
    frontend: str
    ub: int
    l1: int
    l0a: int
    l0b: int
    l0c: int
    bias_table: int
    fixpipe_buffer: int
    cube_cores: int
    vector_cores: int
    split: bool
    alignment: Mapping[str, int]
    moves: tuple[Move, ...]

    @property
    def vector_alignment(self) -> int:
        """Bytes to which a tile in UB is aligned."""
        return self.alignment["UB"]

    def move(self, source: str, target: str) -> Move | None:
        """The direct move from space to space, or None where the hardware has none."""
        return next((move for move in self.moves if (move.source, move.target) == (source, target)), None)


def names() -> tuple[str, ...]:
    """Names that `load` takes, those of the table first, then their aliases."""
    table = _table()["platforms"]
    return (*table, *(alias for row in table.values() for alias in row["aliases"]))


def default_name() -> str:
    """The platform taken where nobody names one."""
    return str(_table()["default"])


@lru_cache(maxsize=16)
def load(name: str = "") -> Platform:
    """The platform `name` or an alias of it, in any case ("" is the default). UnknownPlatformError lists the names."""
    wanted = name.strip().lower() or default_name()
    for key, row in _table()["platforms"].items():
        if wanted == key or wanted in row["aliases"] or wanted in map(str.lower, row["variants"]):
            return _platform(key, row)
    near = get_close_matches(wanted, names(), 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise UnknownPlatformError(f"no platform {name!r}: there are {', '.join(_table()['platforms'])}{hint}")


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(resources.text("platform", "platforms.json"))
    return table


def _platform(name: str, row: Mapping[str, Any]) -> Platform:
    size = {space: entry["bytes"] for space, entry in row["capacity"].items()}
    cores = row["cores"]
    return Platform(
        name,
        row["soc"],
        row["frontend"],
        ub=size["UB"],
        l1=size["L1"],
        l0a=size["L0A"],
        l0b=size["L0B"],
        l0c=size["L0C"],
        bias_table=size["BT"],
        fixpipe_buffer=size["FB"],
        cube_cores=cores["cube"],
        vector_cores=cores["vector"],
        split=cores["arrangement"] == "split",
        alignment=MappingProxyType(row["alignment"]),
        moves=tuple(Move(move["from"], move["to"], move["api"], move["pipe"]) for move in row["moves"]),
    )
