"""Tiling loops: which extent is the tile, and whether the trips' results are parts of one result over the whole axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from r0kit.golden import ops
from r0kit.golden.attributes import Point, Range, Region, symbols_of
from r0kit.golden.dims import Dim, Shape
from r0kit.golden.program import Kind, Ref, Step
from r0kit.golden.scalars import Extent, extents_of

ZERO, ONE = Dim.of(0), Dim.of(1)


@dataclass(frozen=True, slots=True)
class Tile:
    """trip, size: the symbols of the trip and of the tile's extent; trip t covers `size * t : size * t + size`."""

    trip: str
    size: str

    @property
    def symbols(self) -> frozenset[str]:
        return frozenset({self.trip, self.size})

    def covers(self, start: Dim, stop: Dim) -> bool:
        """Whether `start:stop` is one tile, moved by a fixed offset."""
        form = start.affine(self.trip)
        return form is not None and form[0] == Dim.of(self.size) == stop - start

    def whole(self, length: Dim) -> Mapping[str, Dim]:
        """Replacements that make the one tile the whole axis of that extent."""
        return {self.trip: ZERO, self.size: length}


def tile_in(steps: Sequence[Step], trip: str) -> Dim | None:
    """The extent of the tiles that the body's slices and stores cut; None where they cut none."""
    for step in _with_bodies(steps):
        for start, stop in _stretches(step):
            form = start.affine(trip)
            if form is not None and form[0] != ZERO and form[0] == stop - start and form[0] != ONE:
                return form[0]
    return None


def _with_bodies(steps: Sequence[Step]) -> Iterator[Step]:
    """The Steps and those of loops among them."""
    for step in steps:
        yield step
        yield from _with_bodies(step.body)


def length_in(steps: Sequence[Step], tile: Tile, shapes: Mapping[str, Shape]) -> Dim | None:
    """The extent of the axes that the tiles cut, from where they begin; None where no slice or several extents say it."""
    found: set[Dim] = set()
    for step in steps:
        for axis, start, stop in cuts(step):
            form = start.affine(tile.trip)
            if form is not None and tile.covers(start, stop):
                found.add(shapes[step.tensors[0]][axis] - form[1])
    return found.pop() if len(found) == 1 else None


def cuts(step: Step) -> Iterator[tuple[int, Dim, Dim]]:
    """(axis, start, stop) of what a slice or a store cuts out of its first operand."""
    for axis, (start, stop) in enumerate(_stretches(step)):
        yield (step.attrs["axis"] if step.op == "slice" else axis), start, stop


def _stretches(step: Step) -> list[tuple[Dim, Dim]]:
    """(start, stop) of a slice, or per axis of a store."""
    if step.op == "slice":
        return [(step.attrs["start"], step.attrs["stop"])]
    if step.op == "slice_store":
        region: Region = step.attrs["region"]
        return [(part[0], part.stop if isinstance(part, Range) else part.at) for part in region]
    return []


def mixing(step: Step, tile: Tile, shapes: Mapping[str, Shape]) -> bool:
    """Whether a Step's result on one tile may be something else than its part of the result on the whole axis."""
    if step.op in ("carried", "clone"):
        return False
    if sum(tile.size in extent.symbols for extent in step.shape) > 1:
        return True
    special = _SPECIAL.get(step.op)
    if special is not None:
        return special(step, tile, shapes)
    if _uses(step, tile) or (step.kind is Kind.SCAN and _runs_along(step, tile)):
        return True
    if step.kind is Kind.CREATION:
        return step.op not in _UNIFORM and any(tile.size in extent.symbols for extent in step.shape)
    return _needs_whole(step, tile, shapes)


_UNIFORM = frozenset({"zeros", "ones", "full", "empty"})


def _uses(step: Step, tile: Tile) -> bool:
    """Whether it uses the trip, or the tile's extent, as a number."""
    numbers = [operand for operand in step.operands if not isinstance(operand, Ref)]
    attrs = {name: value for name, value in step.attrs.items() if name not in ("shape", "part")}
    mentioned = symbols_of(tuple(attrs.values())) & tile.symbols
    return bool(mentioned) or any(extents_of(number) & tile.symbols for number in numbers)


def _needs_whole(step: Step, tile: Tile, shapes: Mapping[str, Shape]) -> bool:
    """Whether it ends, cuts, merges or orders the axis of the tile."""
    operands = [shapes[name] for name in step.tensors]
    relation = ops.axes(step, operands)
    through = {
        place
        for link in relation.links
        if len(link.sources) == len(link.targets) == 1 and not link.partial
        for place in link.sources
    }
    tiled = {
        (operand, dimension)
        for operand, shape in enumerate(operands)
        for dimension, extent in enumerate(shape)
        if tile.size in extent.symbols
    }
    return not tiled <= through - set(relation.whole)


def _slice(step: Step, tile: Tile, shapes: Mapping[str, Shape]) -> bool:
    start, stop = step.attrs["start"], step.attrs["stop"]
    if tile.size in shapes[step.tensors[0]][step.attrs["axis"]].symbols:
        return True
    if not (start.symbols | stop.symbols) & tile.symbols:
        return False
    return not tile.covers(start, stop) or step.attrs["step"] != ONE


def _store(step: Step, tile: Tile, shapes: Mapping[str, Shape]) -> bool:
    touched = [part for part in step.attrs["region"] if symbols_of(part) & tile.symbols]
    return any(
        isinstance(part, Point) or part.step != ONE or not tile.covers(part.start, part.stop) for part in touched
    )


def _arange(step: Step, tile: Tile, shapes: Mapping[str, Shape]) -> bool:
    """Positions from the tile's start on are positions in the axis; positions inside of the tile are not."""
    start, stop, by = step.operands
    if not any(extents_of(bound) & tile.symbols for bound in (start, stop, by) if not isinstance(bound, Ref)):
        return False
    return not (isinstance(start, Extent) and isinstance(stop, Extent) and tile.covers(start.dim, stop.dim))


def _runs_along(scan: Step, tile: Tile) -> bool:
    """Whether a scan is one of the tile's axis, so that it begins anew with each tile."""
    return tile.size in scan.shape[scan.attrs["axis"]].symbols


def _triangle(step: Step, tile: Tile, shapes: Mapping[str, Shape]) -> bool:
    """Which side of the diagonal a place is on depends on the rows and columns before the tile."""
    return any(tile.size in extent.symbols for extent in step.shape[-2:])


_SPECIAL = {"slice": _slice, "slice_store": _store, "arange": _arange, "tril": _triangle, "triu": _triangle}
