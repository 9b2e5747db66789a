"""Values that change section between Modules: where they are written and read, on which path, and what to synchronise.

A tile may go straight from the accumulator to UB, or from UB to L1, where the platform has the move and one Module alone
reads the value, tile by tile; a value that several Modules or traversals read waits in a GM workspace.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from r0kit.golden.program import Section
from r0kit.partition.model import Part, Partition
from r0kit.platform import Platform, load


@dataclass(frozen=True, slots=True)
class Handoff:
    """One value on its way from Module `writer` to Module `reader` of the other section.

    direction: "cube_to_vector" or "vector_to_cube"; written_to, read_from: spaces ("UB", "L1", "GM workspace");
    path: the moves with their API and pipe; sync: which pipe signals that the tile is there, and which that it is free.
    """

    value: str
    writer: int
    reader: int
    direction: str
    written_to: str
    read_from: str
    path: str
    sync: str


@dataclass(frozen=True, slots=True)
class _Route:
    """Spaces on the way, and the pipe of the reader that waits for the tile."""

    spaces: tuple[str, ...]
    waits: str


WORKSPACE = "GM workspace"
_LOCAL = {Section.CUBE: _Route(("L0C", "UB"), "V"), Section.VECTOR: _Route(("UB", "L1"), "MTE1")}
_GLOBAL = {Section.CUBE: _Route(("L0C", "GM", "UB"), "MTE2"), Section.VECTOR: _Route(("UB", "GM", "L1"), "MTE2")}


def handoffs(partition: Partition) -> tuple[Handoff, ...]:
    """Every exchange between cube and vector, by reader and value."""
    platform = load(partition.platform)
    return tuple(_handoff(*found, partition, platform) for found in _exchanges(partition))


def _exchanges(partition: Partition) -> Iterator[tuple[str, Part, Part]]:
    parts = {part.id: part for part in partition.parts}
    for reader in partition.parts:
        for crossing in reader.inputs:
            writer = parts.get(crossing.module)
            if writer is not None and writer.section is not reader.section:
                yield crossing.name, writer, reader


def _handoff(value: str, writer: Part, reader: Part, partition: Partition, platform: Platform) -> Handoff:
    local = _LOCAL[writer.section]
    direct = platform.move(*local.spaces) is not None and _read_once(value, writer, partition)
    route = local if direct else _GLOBAL[writer.section]
    place = WORKSPACE if "GM" in route.spaces else route.spaces[-1]
    direction = f"{writer.section.value}_to_{reader.section.value}"
    return Handoff(value, writer.id, reader.id, direction, place, place, _path(route, platform), _sync(route, platform))


def _read_once(value: str, writer: Part, partition: Partition) -> bool:
    """Whether one Module alone reads the value, in one traversal, and the golden does not return it."""
    readers = [part for part in partition.parts if any(c.name == value and c.module == writer.id for c in part.inputs)]
    return len(readers) == 1 and all(output.value != value for output in partition.program.outputs)


def _path(route: _Route, platform: Platform) -> str:
    moves = zip(route.spaces, route.spaces[1:], strict=False)
    return ", then ".join(f"{source} -> {target} ({_means(source, target, platform)})" for source, target in moves)


def _means(source: str, target: str, platform: Platform) -> str:
    move = platform.move(source, target)
    if move is None:
        return "no move listed"
    return f"{move.api}, {move.pipe}" if move.api else move.pipe


def _sync(route: _Route, platform: Platform) -> str:
    first = platform.move(route.spaces[0], route.spaces[1])
    pipe = first.pipe if first else "writer"
    return f"ready: {pipe} -> {route.waits}; free: {route.waits} -> {pipe}"
