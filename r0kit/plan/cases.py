"""The four base test cases of a Module, with extents from its tile, each checked against the plan.

What the plan cannot serve goes back to R0, with the axis named; the case stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from r0kit.plan.advice import number
from r0kit.plan.live import holds, peak
from r0kit.plan.model import BaseCase
from r0kit.plan.work import Work
from r0kit.platform import Platform

ALIGNED, ONE_TAIL, TWO_TAILS, SEVERAL = "aligned", "one tail", "two tails", "several tiles with a tail"
KINDS = (ALIGNED, ONE_TAIL, TWO_TAILS, SEVERAL)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis that a case can bind. tile: its length in a tile; bound: the largest extent there may be (None: unbounded).

    fixed: its extent is no symbol of its own, so that no case changes it. whole: one tile must hold all of it.
    unit: elements to which a tile is aligned along it.
    """

    name: str
    tile: int
    bound: int | None
    reduced: bool
    fixed: bool
    whole: bool = False
    unit: int = 1

    @property
    def aligned(self) -> int:
        """The longest aligned extent within a tile; the tile where that is shorter than the alignment."""
        return self.tile - self.tile % self.unit or self.tile


def base_cases(
    axes: Sequence[Axis], work: Work | None, platform: Platform, states: Sequence[str]
) -> Iterator[BaseCase]:
    """The cases that the axes allow, each with what the plan says of it. work: of a vector Module."""
    for kind in KINDS:
        lengths = _lengths(kind, axes)
        if lengths is None:
            yield BaseCase(kind, {}, (), True, _impossible(kind, axes))
        else:
            yield _checked(kind, axes, lengths, work, platform, states)


def _lengths(kind: str, axes: Sequence[Axis]) -> dict[str, int] | None:
    """Extents of the axes that make the case; None where they cannot."""
    free = [axis for axis in axes if not axis.fixed]
    lengths = {axis.name: axis.aligned for axis in free}
    if kind == SEVERAL:
        several = [axis for axis in free if axis.bound is None or 2 * axis.tile + 1 <= axis.bound]
        return lengths | {axis.name: 2 * axis.tile + 1 for axis in several} if several else None
    tails = {ALIGNED: 0, ONE_TAIL: 1, TWO_TAILS: 2}[kind]
    partial = [axis for axis in reversed(free) if axis.aligned > 1][:tails]
    if len(partial) < tails or not free:
        return None
    return lengths | {axis.name: axis.aligned - 1 for axis in partial}


def _impossible(kind: str, axes: Sequence[Axis]) -> str:
    free = [axis for axis in axes if not axis.fixed]
    if not free:
        return "no axis has an extent of its own: there is one shape"
    if kind == SEVERAL:
        return f"no axis may be longer than {', '.join(f'{axis.name} = {axis.bound}' for axis in free)}"
    return f"{len([axis for axis in free if axis.tile > 1])} of the axes have tiles longer than 1"


def _checked(
    kind: str,
    axes: Sequence[Axis],
    lengths: Mapping[str, int],
    work: Work | None,
    platform: Platform,
    states: Sequence[str],
) -> BaseCase:
    tiles = tuple(_cover(axis, lengths.get(axis.name, axis.tile)) for axis in axes)
    stuck = [axis for axis in axes if axis.whole and lengths.get(axis.name, axis.tile) > axis.tile]
    for axis in stuck:
        problem = _overflow(axis, lengths[axis.name], axes, work, platform)
        if problem:
            return BaseCase(kind, dict(lengths), tiles, False, problem)
    held = tuple(
        (name, 1, lengths[name]) if name in {a.name for a in stuck} else (name, n, last) for name, n, last in tiles
    )
    return BaseCase(kind, dict(lengths), held, True, _served(axes, held, stuck, states))


def _cover(axis: Axis, extent: int) -> tuple[str, int, int]:
    """Name, number of tiles, and length of the last one."""
    count = -(-extent // axis.tile)
    return axis.name, count, extent - (count - 1) * axis.tile


def _overflow(axis: Axis, extent: int, axes: Sequence[Axis], work: Work | None, platform: Platform) -> str:
    """Why the whole axis cannot be held at this extent; "" where it can, with one element of the axes that may be cut."""
    if work is None:
        return ""
    place = [other.name for other in axes].index(axis.name)
    tile = tuple(extent if at == place else (other.tile if other.whole else 1) for at, other in enumerate(axes))
    longer = work.stretched(place, extent)
    if holds(longer, tile, platform, twice=False):
        return ""
    used = peak(longer, tile, platform.vector_alignment)
    limit = f"{platform.ub} of UB"
    if used <= platform.ub:
        limit = f"{number('reduction_tile_bytes')} that a reduction takes"
    again = "is sorted or scanned" if place not in work.resident else "is traversed again after it is reduced"
    return (
        f"back to R0: {axis.name} {again} in this Module, so a tile holds all of it, and {extent} take {used} bytes, "
        f"beyond the {limit}; decide its scheme anew (one Module per traversal, or online)"
    )


def _served(
    axes: Sequence[Axis], tiles: Sequence[tuple[str, int, int]], stuck: Sequence[Axis], states: Sequence[str]
) -> str:
    said = [f"{name}: {count} tiles, the last of {last}" for name, count, last in tiles if count > 1]
    said += [f"{name}: one tile of {last}" for name, count, last in tiles if count == 1]
    carried = [axis.name for axis, (_, count, _) in zip(axes, tiles, strict=True) if axis.reduced and count > 1]
    if carried:
        said.append(f"{', '.join(states) or 'the partial result'} carried over the tiles of {', '.join(carried)}")
    said += [f"{axis.name} held whole, with fewer of the other axes" for axis in stuck]
    return "; ".join(said)
