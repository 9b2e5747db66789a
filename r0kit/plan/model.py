"""A Plan: candidate tiles per Module with their reasons, the base test cases, and what goes back to R0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from r0kit.plan.extents import Shape


@dataclass(frozen=True, slots=True)
class Space:
    """Bytes of one buffer that a tile takes at the peak, and how many there are."""

    name: str
    used: int
    size: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """One tile. tile: a length per axis of the iteration space (a cube Module: mL0, mL1, kL0, kL1, nL0, nL1).

    tiles: how many there are; contiguous: bytes of one contiguous move; estimate: cycles by the cost model, which only
    compares tiles of one Module; reasons: why it is proposed, and what speaks against it.
    """

    tile: Shape
    tiles: int
    contiguous: int
    live: tuple[Space, ...]
    reasons: tuple[str, ...]
    estimate: int = 0
    cycles: int | None = None
    rejected: str = ""


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of a Module that has tiles of its own. axes, extents: its iteration space; reduced: names of axes."""

    axes: tuple[str, ...]
    extents: Shape
    reduced: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BaseCase:
    """One of the base test cases. extents: what it binds the axes to; tiles: per axis how many, and the last one's length.

    served: whether the plan computes it; says: how, or what R0 has to decide anew.
    """

    kind: str
    extents: Mapping[str, int]
    tiles: tuple[tuple[str, int, int], ...]
    served: bool
    says: str


@dataclass(frozen=True, slots=True)
class ModulePlan:
    """One Module. notes: what was not read or not simulated, and why; failures: what needs a person's decision."""

    id: int
    name: str
    section: str
    phases: tuple[Phase, ...]
    cases: tuple[BaseCase, ...]
    notes: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """All Modules of a contract at the extents that were chosen, on one platform."""

    op: str
    platform: str
    extents: Mapping[str, int]
    modules: tuple[ModulePlan, ...]
    simulator: str = ""
