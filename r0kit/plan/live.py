"""Bytes of UB that a tile takes at the peak, by liveness over the Module's operations."""

from __future__ import annotations

from r0kit.plan.advice import number
from r0kit.plan.extents import Shape, product
from r0kit.plan.work import Operation, Value, Work
from r0kit.platform import Platform

ELEMENTWISE = ("elementwise", "counted")


def aligned(value: int, unit: int) -> int:
    """`value` rounded up to a multiple of `unit`."""
    return -(-value // unit) * unit


def tile_bytes(value: Value, tile: Shape, alignment: int) -> int:
    """Bytes of one tile of a value; rows are padded to the alignment."""
    within = tuple(min(length, extent) for length, extent in zip(tile[-len(value.shape) :], value.shape, strict=True))
    return product(within[:-1]) * aligned(within[-1] * value.size, alignment)


def peak(work: Work, tile: Shape, alignment: int, cores: int | None = None) -> int:
    """Bytes at the peak: tiles that live at once, and a second buffer for each that moves between GM and UB.

    A value lives from the operation that makes it (an input: from its first use) to its last use; an elementwise
    operation writes over an operand that ends with it. Where no core has a second tile, or the number of cores is not
    given, nothing is buffered twice.
    """
    size = {name: tile_bytes(value, tile, alignment) for name, value in _of_rank(work).items()}
    single = max((sum(live.values()) for live in _lives(work, size)), default=0)
    if cores is None or tiles_of(work.space, tile) <= cores:
        return single
    return single + sum(size[name] for name in dict.fromkeys(work.moved) if name in size)


def holds(work: Work, tile: Shape, platform: Platform, twice: bool = True) -> bool:
    """Whether UB holds the tile, with a second buffer for what moves where `twice`, and reductions take what they read."""
    used = peak(work, tile, platform.vector_alignment, platform.vector_cores if twice else None)
    return used <= platform.ub and not wide_reductions(work, tile, platform)


def wide_reductions(work: Work, tile: Shape, platform: Platform) -> list[str]:
    """Values whose tile is larger than the graph API documents for a reduction.

    pypto 0.2.0 keeps to that along the last axis; along another one it takes more.
    """
    if platform.frontend != "pypto":
        return []
    last = len(work.space) - 1
    sums = [step for step in work.operations if step.kind == "reduction" and last in step.axes]
    read = [work.values[str(step.operands[0])] for step in sums]
    size = {value.name: tile_bytes(value, tile, platform.vector_alignment) for value in read}
    return [name for name, length in size.items() if length > number("reduction_tile_bytes")]


def tiles_of(space: Shape, tile: Shape) -> int:
    """How many tiles cover the space."""
    return product(tuple(-(-extent // length) for length, extent in zip(tile, space, strict=True)))


def _of_rank(work: Work) -> dict[str, Value]:
    """Values as tall as the space; one that no operation has stretched counts with its own last axes."""
    return {name: value for name, value in work.values.items() if len(value.shape) <= len(work.space)}


def _lives(work: Work, size: dict[str, int]) -> list[dict[str, int]]:
    last = {name: place for place, step in enumerate(work.operations) for name in (*_names(step), step.target)}
    live: dict[str, int] = {}
    lives = []
    for place, step in enumerate(work.operations):
        live |= {name: size.get(name, 0) for name in _names(step)}
        ended = [name for name in dict.fromkeys(_names(step)) if last[name] <= place]
        over = (name for name in ended if step.kind in ELEMENTWISE and live[name] >= size.get(step.target, 0))
        reused = next(over, None)
        live = {name: bytes_ for name, bytes_ in live.items() if name != reused} | {
            step.target: size.get(step.target, 0)
        }
        lives.append(dict(live))
        live = {name: bytes_ for name, bytes_ in live.items() if last[name] > place or name in work.outputs}
    return lives


def _names(step: Operation) -> list[str]:
    return [name for name in step.operands if isinstance(name, str)]
