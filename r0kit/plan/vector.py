"""Candidate tiles of a vector Module: what fits, in the order of the documented advice and of the cost model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product as every

from r0kit.plan.advice import number, numbers
from r0kit.plan.cost import vector_cycles
from r0kit.plan.extents import Shape, product
from r0kit.plan.live import aligned, holds, peak, tiles_of
from r0kit.plan.model import Candidate, Phase, Space
from r0kit.plan.work import Work
from r0kit.platform import Platform

MOST = 8  # candidates
BY_ADVICE = 4  # of them; the others are those that the cost model prefers
SHORTEST = 32  # elements of the last axis of a tile that only the cost model asks for
ENUMERATED = 4_000  # tiles that are looked at


@dataclass(frozen=True, slots=True)
class Fit:
    """A tile that the buffers hold, and what is said of it. key: its place by the advice, smaller first."""

    tile: Shape
    tiles: int
    contiguous: int
    used: int
    estimate: int
    key: tuple[float, ...]


def vector_phase(work: Work, platform: Platform) -> Phase:
    """The candidates of one phase, best first by the advice; those that only the cost model asks for come last."""
    fits, notes = _fitting(work, platform)
    chosen = _chosen(fits, _beyond(work, platform) if fits else [])
    candidates = tuple(_candidate(work, fit, at, chosen, platform) for at, fit in enumerate(chosen))
    names = tuple(work.axes[axis] for axis in work.reduced)
    if not candidates:
        notes = (*notes, f"no tile fits UB: {_smallest(work, platform)}")
    return Phase(work.axes, work.space, names, candidates, notes)


def _fitting(work: Work, platform: Platform) -> tuple[list[Fit], tuple[str, ...]]:
    """Tiles within the advice; where none is, the step that is given up is said."""
    tiles = list(_tiles(work, platform))
    for budget in numbers("elements"):
        fits = [_fit(work, tile, platform) for tile in tiles if product(tile) <= budget and holds(work, tile, platform)]
        within = [fit for fit in fits if _few(work, fit.tiles)]
        if within:
            start = numbers("elements")[0]
            held = any(budget // 2 < product(fit.tile) <= budget for fit in within)
            if held or budget == numbers("elements")[-1] or product(work.space) <= budget // 2:
                return within, () if budget == start else (f"UB does not hold {start} elements: {budget} are taken",)
    fits = [_fit(work, tile, platform) for tile in tiles if holds(work, tile, platform)]
    if not fits:
        return _single(work, tiles, platform)
    few = [fit for fit in fits if _few(work, fit.tiles)]
    limit = f"{number('tiles')} tiles, or tiles x (1 + inputs) below {number('expressions')}"
    if few:
        return few, (f"more than {numbers('elements')[0]} elements, to stay within {limit}",)
    return fits, (f"no tile stays within {limit}: loop over blocks and view them",)


def _single(work: Work, tiles: list[Shape], platform: Platform) -> tuple[list[Fit], tuple[str, ...]]:
    """Tiles that UB holds once only."""
    fits = [_fit(work, tile, platform) for tile in tiles if holds(work, tile, platform, twice=False)]
    used = [replace(fit, used=peak(work, fit.tile, platform.vector_alignment)) for fit in fits]
    return used, (
        "UB holds no tile with a second buffer for what moves: moves do not overlap with work",
    ) if used else ()


def _beyond(work: Work, platform: Platform) -> list[Fit]:
    """All that UB holds, more elements than the advice begins with among them."""
    tiles = (tile for tile in _tiles(work, platform) if holds(work, tile, platform))
    fits = [_fit(work, tile, platform) for tile in tiles if tile[-1] >= min(SHORTEST, work.space[-1])]
    return [fit for fit in fits if _few(work, fit.tiles)]


def _few(work: Work, tiles: int) -> bool:
    return tiles <= number("tiles") and tiles * (1 + len(work.inputs)) < number("expressions")


def _tiles(work: Work, platform: Platform) -> Iterator[Shape]:
    """Powers of two and whole axes; the last axis in units of the alignment; axes that are needed whole, whole."""
    unit = max(1, platform.vector_alignment // work.element)
    lengths = [
        [extent] if axis in work.whole else _lengths(extent, unit if axis == len(work.space) - 1 else 1)
        for axis, extent in enumerate(work.space)
    ]
    short = [[length for length in some if length <= platform.ub] or some[:1] for some in lengths]
    while product(tuple(map(len, short))) > ENUMERATED:
        longest = max(range(len(short)), key=lambda axis: len(short[axis]))
        short[longest] = short[longest][::2]
    yield from every(*short)


def _lengths(extent: int, unit: int) -> list[int]:
    """Multiples of `unit` by powers of two below the extent, its halves and quarters where they are such, itself."""
    found = {unit << power for power in range(extent.bit_length()) if unit << power < extent}
    found |= {extent // part for part in (2, 3, 4, 8) if extent % (part * unit) == 0}
    return sorted(found | {extent})


def _fit(work: Work, tile: Shape, platform: Platform) -> Fit:
    tiles = tiles_of(work.space, tile)
    contiguous = _contiguous(work, tile)
    used = peak(work, tile, platform.vector_alignment, platform.vector_cores)
    estimate = vector_cycles(work, tile, platform.vector_cores)
    return Fit(tile, tiles, contiguous, used, estimate, _key(work, tile, contiguous))


def _contiguous(work: Work, tile: Shape) -> int:
    """Bytes of one contiguous move: the tile's last axis, and the axes before it as far as the ones behind are whole."""
    length = 1
    for own, extent in zip(reversed(tile), reversed(work.space), strict=True):
        length *= own
        if own < extent:
            break
    return length * work.element


def _key(work: Work, tile: Shape, contiguous: int) -> tuple[float, ...]:
    """Place by the advice: contiguous moves first, then the reduction axis, then as many elements as are allowed.

    A reduction along the last axis wants all of it in the tile. Along another axis nothing is spent on the remaining
    axes, and the lengths of the advice come in its order.
    """
    last = len(tile) - 1
    enough = contiguous >= number("contiguous_bytes") or product(tile) == product(work.space)
    inner = [axis for axis in work.reduced if axis != last]
    parts = product(tuple(-(-work.space[axis] // tile[axis]) for axis in work.reduced if axis == last))
    tried = [_tried(tile[axis], work.space[axis]) for axis in inner]
    rest = product(tuple(own for axis, own in enumerate(tile) if axis not in work.reduced and axis != last))
    amount = [rest, *tried] if inner and last not in work.reduced else [*tried, -product(tile)]
    if product(tile) == product(work.space) and contiguous < number("contiguous_bytes"):
        return (0, 0, 0, 0)
    return (0 if enough else 1, -min(tile[last], _threshold(work)), parts, *amount, -tile[last])


def _threshold(work: Work) -> int:
    return -(-number("contiguous_bytes") // work.element)


def _tried(length: int, extent: int) -> float:
    """Place of a length of a reduction axis among those to try; others behind them, the nearest first."""
    wanted = [min(value, extent) for value in numbers("reduction")]
    return wanted.index(length) if length in wanted else len(wanted) + abs(length - wanted[0]) / max(extent, 1)


def _chosen(fits: list[Fit], beyond: list[Fit]) -> list[Fit]:
    by_advice = sorted(fits, key=lambda fit: (fit.key, fit.estimate, fit.tile))
    wider = beyond or fits
    by_model = sorted(wider, key=lambda fit: (fit.estimate, fit.key, fit.tile))
    found: list[Fit] = by_advice[:BY_ADVICE]
    for fit in by_model:
        if len(found) >= MOST:
            break
        if fit not in found:
            found.append(fit)
    return found


def _candidate(work: Work, fit: Fit, place: int, chosen: Iterable[Fit], platform: Platform) -> Candidate:
    reasons = tuple(_reasons(work, fit, place, platform))
    live = (Space("UB", fit.used, platform.ub),)
    return Candidate(fit.tile, fit.tiles, fit.contiguous, live, reasons, fit.estimate)


def _reasons(work: Work, fit: Fit, place: int, platform: Platform) -> Iterator[str]:
    threshold = number("contiguous_bytes")
    if fit.contiguous >= threshold:
        yield f"contiguous moves of {fit.contiguous} bytes reach {threshold}"
    else:
        yield f"contiguous moves of {fit.contiguous} bytes, below {threshold}"
    for axis in work.reduced:
        parts = -(-work.space[axis] // fit.tile[axis])
        name = work.axes[axis]
        needed = ", as the Module needs it" if axis in work.whole else ""
        yield f"{name} whole in one tile{needed}" if parts == 1 else f"{name} in {parts} parts of {fit.tile[axis]}"
    for axis in set(work.whole) - set(work.reduced):
        yield f"{work.axes[axis]} whole in one tile, as the Module needs it"
    busy = min(fit.tiles, platform.vector_cores)
    yield f"{product(fit.tile)} elements, {counted(fit.tiles, 'tile')} on {busy} of {platform.vector_cores} vector cores"
    yield "what moves is buffered twice" if fit.tiles > busy else "one tile a core: nothing is buffered twice"
    unit = platform.vector_alignment // work.element
    if unit and fit.tile[-1] % unit:
        padded = aligned(fit.tile[-1], unit)
        yield f"rows padded from {fit.tile[-1]} to {padded} elements, {platform.vector_alignment} bytes"
    if product(fit.tile) > numbers("elements")[0]:
        yield f"more than the {numbers('elements')[0]} elements that the advice begins with: the compiler may refuse it"
    if place >= BY_ADVICE:
        yield "the cost model prefers it to those of the advice"


def counted(count: int, word: str) -> str:
    """`1 tile`, `2 tiles`."""
    return f"{count} {word}{'s' * (count != 1)}"


def _smallest(work: Work, platform: Platform) -> str:
    least = tuple(extent if axis in work.whole else 1 for axis, extent in enumerate(work.space))
    used = peak(work, least, platform.vector_alignment)
    return f"even {list(least)} takes {used} of {platform.ub} bytes"
