"""The Partition of a Program: Modules, what crosses between them, and the reason for every boundary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from r0kit.finding import Finding
from r0kit.golden.axes import Axis
from r0kit.golden.program import Program, Section, Step


class Strategy(str, Enum):
    """How a reduction axis is treated (design.md section 6.5)."""

    AUTO = "auto"
    CONVENTIONAL = "conventional"
    ONLINE = "online"
    SINGLE_TILE = "single_tile"


class BoundaryKind(str, Enum):
    """Why a new Module begins."""

    DATA_DEPENDENCE = "data_dependence"
    SECTION = "section"
    INDEPENDENT_STAGE = "independent_stage"
    CAPACITY = "capacity"
    PINNED = "pinned"


@dataclass(frozen=True, slots=True)
class Boundary:
    """Why a Module may not be joined with Module `source`: the value that crosses, the axis, the line of the golden.

    told: the value tells how far this Module's axes go, so that it cannot start before.
    """

    kind: BoundaryKind
    source: int
    value: str
    axis: str
    line: int
    told: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """A value carried over the tiles of one traversal.

    initial, update, mask: as text for section 0 (`-1.0e30`, `max(m, rowmax(tile))`, what the tail must hold).
    over: the axes over whose tiles it is carried, as `Traversal.reduced` names them; empty: all those that are reduced.
    """

    name: str
    dtype: str
    initial: str
    update: str
    mask: str = ""
    over: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Traversal:
    """One pass of a Module over its data.

    axes: those it spans; reduces: those it reduces; algorithm: single, online or resident; recurrence: its row's name.
    spanned, reduced: the same axes as the whole Partition calls them, which tells apart axes of one extent.
    """

    axes: tuple[str, ...]
    reduces: tuple[str, ...]
    algorithm: str
    state: tuple[State, ...] = ()
    recurrence: str = ""
    spanned: frozenset[str] = frozenset()
    reduced: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Crossing:
    """A value that a Module reads: its name, and the Module that writes it (0: a primary input)."""

    name: str
    module: int


@dataclass(frozen=True, slots=True)
class Part:
    """One Module: its Steps in order (those recomputed here included), what it reads, what it writes, why it starts."""

    id: int
    section: Section
    steps: tuple[Step, ...]
    inputs: tuple[Crossing, ...]
    outputs: tuple[str, ...]
    boundaries: tuple[Boundary, ...]
    traversal: Traversal

    @property
    def lines(self) -> tuple[int, ...]:
        """Lines of the golden that it computes, in order."""
        return tuple(sorted({step.span.line for step in self.steps}))


@dataclass(frozen=True, slots=True)
class AxisDecision:
    """What was decided for one reduction axis, and why.

    scheme: conventional, online, resident; limit: largest extent at which a resident axis fits (None: not computed);
    buffers: live tiles at that extent as (value, bytes); reason: one sentence; names: the axes, where several are
    reduced together and `axis` is their product.
    """

    axis: Axis
    scheme: Strategy
    reason: str
    limit: int | None = None
    buffers: tuple[tuple[str, int], ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Partition:
    """The Modules of one Program under one strategy.

    program: the Program that the Modules slice; it may have been rewritten for the strategy (a division moved behind a
    contraction, a gather sunk), with the same inputs and outputs.
    traffic: bytes through GM at `extents`; floor: each primary input read and each output written once; weighed: those
    extents and where they come from, as text.
    """

    program: Program
    strategy: Strategy
    platform: str
    parts: tuple[Part, ...]
    axes: tuple[Axis, ...]
    decisions: tuple[AxisDecision, ...]
    extents: Mapping[str, int]
    traffic: int
    floor: int
    findings: tuple[Finding, ...] = ()
    weighed: tuple[str, ...] = ()
