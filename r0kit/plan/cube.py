"""Candidate tiles of a cube Module: what L0A, L0B, L0C and L1 hold, with a second buffer for what moves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product as every

from r0kit.plan.advice import number
from r0kit.plan.contraction import Product
from r0kit.plan.cost import cube_cycles
from r0kit.plan.live import aligned
from r0kit.plan.model import Candidate, Phase, Space
from r0kit.platform import Platform

MOST = 8
Levels = tuple[int, int, int, int, int, int]  # mL0, mL1, kL0, kL1, nL0, nL1
LENGTHS = (32, 64, 128, 256)  # shorter ones leave the matrix unit idle
MULTIPLES = (1, 2, 4, 8)  # of kL0 in L1


def cube_phase(made: Product, platform: Platform) -> Phase:
    """The candidates of one product, best first by the cost model: for each block its longest K."""
    fits = [tile for tile in _tiles(made) if _holds(made, tile, platform)]
    ranked = sorted(fits, key=lambda tile: (cube_cycles(made, tile, platform.cube_cores), *_smaller(tile)))
    best: dict[tuple[int, int], Levels] = {}
    for tile in ranked:
        best.setdefault((tile[0], tile[4]), tile)
    candidates = tuple(_candidate(made, tile, platform) for tile in list(best.values())[:MOST])
    notes = tuple(_notes(made))
    if not candidates:
        notes = (*notes, "no tile fits L0A, L0B, L0C and L1")
    return Phase(("M", "K", "N"), (made.m, made.k, made.n), ("K",), candidates, notes)


def _smaller(tile: Levels) -> tuple[int, ...]:
    """Order of tiles of equal cost: square blocks first, large ones before small ones, then the longest K in L0."""
    m0, _, k0, _, n0, _ = tile
    return abs(m0 - n0), -m0 * n0, -k0, m0


def _tiles(made: Product) -> Iterator[Levels]:
    """Multiples of the fractal, no longer than the axis rounded up to it; K in L1 a multiple of K in L0."""
    m_unit, k_unit, n_unit = units(made)
    for m, n, k, times in every(
        _lengths(made.m, m_unit), _lengths(made.n, n_unit), _lengths(made.k, k_unit), MULTIPLES
    ):
        if times == 1 or k * times <= aligned(made.k, k_unit):
            yield m, m, k, k * times, n, n


def units(made: Product) -> tuple[int, int, int]:
    """Elements to which M, K and N of a tile are aligned: the fractal, and 32 bytes of either operand."""
    fractal = number("fractal")
    unit = max(fractal, 2 * fractal if min(made.left_size, made.right_size) == 1 else fractal)
    return unit, unit, unit


def _lengths(extent: int, unit: int) -> list[int]:
    whole = aligned(extent, unit)
    found = {length for length in LENGTHS if length <= whole}
    return sorted(found | {whole}) if whole <= LENGTHS[-1] else sorted(found)


def spaces(made: Product, tile: Levels, platform: Platform) -> tuple[Space, ...]:
    """Bytes of each buffer: of what moves on while K has further parts, twice where the buffer has room for it."""
    m0, _, k0, k1, n0, _ = tile
    found = [
        _ahead("L0A", m0 * k0 * made.left_size, platform.l0a, made.k > k0),
        _ahead("L0B", n0 * k0 * made.right_size, platform.l0b, made.k > k0),
        Space("L0C", m0 * n0 * 4, platform.l0c),
        _ahead("L1", k1 * _row(made, tile), platform.l1, made.k > k1),
    ]
    if made.bias:
        found.append(Space("BT", n0 * 4, platform.bias_table))
    return tuple(found)


def _ahead(name: str, once: int, size: int, more: bool) -> Space:
    return Space(name, 2 * once if more and 2 * once <= size else once, size)


def _waiting(made: Product, tile: Levels, held: tuple[Space, ...]) -> tuple[str, ...]:
    """Buffers without room for a second set while K has further parts."""
    m0, _, k0, k1, n0, _ = tile
    once = {"L0A": m0 * k0 * made.left_size, "L0B": n0 * k0 * made.right_size, "L1": k1 * _row(made, tile)}
    more = {"L0A": made.k > k0, "L0B": made.k > k0, "L1": made.k > k1}
    return tuple(space.name for space in held if more.get(space.name) and space.used == once[space.name])


def _holds(made: Product, tile: Levels, platform: Platform) -> bool:
    return all(space.used <= space.size for space in spaces(made, tile, platform))


def _candidate(made: Product, tile: Levels, platform: Platform) -> Candidate:
    m0, _, k0, k1, n0, _ = tile
    blocks = made.batch * -(-made.m // m0) * -(-made.n // n0)
    busy = min(blocks, platform.cube_cores)
    inner = (m0 if made.left_swapped else k1) * made.left_size
    held = spaces(made, tile, platform)
    waiting = _waiting(made, tile, held)
    reasons = (
        f"{blocks} blocks of ({m0}, {n0}) on {busy} of {platform.cube_cores} cube cores",
        "K whole in L1" if k1 >= made.k else f"K in {-(-made.k // k1)} parts of {k1} in L1, of {k0} in L0",
        f"{_row(made, tile) * made.k * blocks} bytes from GM",
        *([f"{' and '.join(waiting)} without a second set, so moves into it wait"] if waiting else []),
    )
    return Candidate(tile, blocks, inner, held, reasons, cube_cycles(made, tile, platform.cube_cores))


def _row(made: Product, tile: Levels) -> int:
    """Bytes that a block reads of both operands for one element of K."""
    return tile[1] * made.left_size + tile[5] * made.right_size


def _notes(made: Product) -> Iterator[str]:
    most = number("inner_axis")
    inner = {"left": made.m if made.left_swapped else made.k, "right": made.k if made.right_swapped else made.n}
    for side, extent in inner.items():
        if extent > most:
            yield f"the inner axis of the {side} operand is {extent}, above {most}: transpose it, or split it"
    if made.left != made.right:
        yield f"operands are {made.left} and {made.right}: one is cast before"
