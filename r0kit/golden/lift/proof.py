"""Whether a closed form computes what its loop computes: both are run on small numbers, with tiles of several extents.

Steps are analytic almost everywhere in what goes into them, so forms that agree on made-up numbers, on every element of
every result, are the same; a recurrence that depends on the tiling (a mean of means, a decayed sum) does not agree. Where
a Step has pieces (a maximum, a clamp, a comparison), numbers that stay on one of them prove nothing of the others: such
forms are tried on several draws, among them larger numbers and some that grow from trip to trip.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle, islice
from math import lcm

from r0kit.golden.attributes import symbols_of
from r0kit.golden.builder import Builder
from r0kit.golden.dims import Dim
from r0kit.golden.lift import array as arrays
from r0kit.golden.lift.array import Array
from r0kit.golden.lift.kernels import PIECEWISE
from r0kit.golden.lift.machine import Draw, Machine, Unprovable, agree
from r0kit.golden.lift.trace import Slot, Trace, tensors_in
from r0kit.golden.program import Step
from r0kit.golden.values import TensorValue, Value

MOST_TRIPS = 64  # that a loop is tried with
PARTS = 4  # extent of the axis that is cut into tiles, or number of trips


@dataclass(frozen=True, slots=True)
class Claim:
    """traces: the body as the first trip, those between and the last read it; steps: the closed form.

    results: per changed place what it holds after the loop in the closed form; pieces: per list and item of a trip
    the closed form's value of all trips, and the axis along which the trips follow each other.
    trip, size: symbols of the trip and the tile ("" without tiles); length: extent of the tiled axis, or number of trips;
    tile: the extent that `size` stands for; around: trips of the loops around this one, each tried as its first.
    """

    traces: tuple[Trace, Trace, Trace]
    steps: Sequence[Step]
    results: Sequence[tuple[Slot, TensorValue]]
    trip: str
    size: str
    length: Dim
    pieces: Sequence[tuple[Sequence[TensorValue], TensorValue, int]] = ()
    tile: Dim | None = None
    around: frozenset[str] = frozenset()


def disproved(builder: Builder, claim: Claim) -> set[tuple[int, object]]:
    """Places where the loop and the closed form do not agree; a piece's place is (0, its number).

    Unprovable where they cannot be run.
    """
    failed: Unprovable | None = None
    for numbers in islice(_numbers(builder, claim), _TRIES):
        try:
            return _disproved(builder, claim, numbers, Draw()) | _on_more_draws(builder, claim, numbers)
        except Unprovable as error:  # an axis that must be as long as there are trips, and is not here
            failed = error
    raise failed or Unprovable("no small extents fit what the golden requires")


_TRIES = 6  # choices of extents
_DRAWS_OF_PIECES = (
    *(Draw(1), Draw(2), Draw(3, 0.2, 3.0), Draw(4, 1.0, 3.0)),
    *(Draw(5, 8.0, 1.0), Draw(6, 50.0), Draw(7, 1000.0)),
)


def _on_more_draws(builder: Builder, claim: Claim, numbers: Mapping[str, int]) -> set[tuple[int, object]]:
    """Where they disagree on further numbers, which the extents may be too large or the functions too steep to bear."""
    wrong: set[tuple[int, object]] = set()
    if any(step.op in PIECEWISE for trace in claim.traces for step in trace.steps):
        for draw in _DRAWS_OF_PIECES:
            with suppress(Unprovable):
                wrong |= _disproved(builder, claim, numbers, draw)
    return wrong


def _disproved(builder: Builder, claim: Claim, numbers: Mapping[str, int], draw: Draw) -> set[tuple[int, object]]:
    wrong: set[tuple[int, object]] = set()
    length = claim.length.evaluate(numbers)
    for size in _sizes(length) if claim.size else (1,):
        machine = Machine(builder, numbers, draw)
        machine.afford(_outside(builder, claim))
        looped, pieces = _loop(machine, claim, size, length // size)
        whole = machine.run(_computed(claim.steps), {})
        for slot, value in claim.results:
            left = looped.get(slot.place)  # None: only a loop of one trip sets it
            if left is None or not agree(left, machine.value(value.ref, whole), draw.scale):
                wrong.add(slot.place)
        for number, (parts, (_, value, axis)) in enumerate(zip(pieces, claim.pieces, strict=True)):
            if not agree(arrays.cat(parts, axis), machine.value(value.ref, whole), draw.scale):
                wrong.add((0, number))
    return wrong


def _outside(builder: Builder, claim: Claim) -> set[str]:
    """What the trips read of what stands before the loop."""
    inside = {step.target for trace in claim.traces for step in trace.steps}
    read = {name for trace in claim.traces for step in trace.steps for name in step.tensors} - inside
    return {name for name in read if name in builder.inputs or builder.definition(name) is not None}


def _computed(steps: Sequence[Step]) -> list[Step]:
    """Those to be run: what a trip finds is given, and what nobody can know does not matter where nothing reads it."""
    read = {name for step in steps for name in step.tensors}
    return [step for step in steps if step.op != "carried" and (step.op != "opaque" or step.target in read)]


def _loop(
    machine: Machine, claim: Claim, size: int, trips: int
) -> tuple[dict[tuple[int, object], Array], list[list[Array]]]:
    """What every place holds after the trips, and what each trip appended."""
    state: dict[tuple[int, object], Array] = {}
    pieces: list[list[Array]] = [[] for _ in claim.pieces]
    for trip in range(trips):
        which = 0 if trip == 0 else 2 if trip == trips - 1 else 1
        trace = claim.traces[which]
        found = machine.run(_computed(trace.steps), _found(machine, trace, state), **_bound(claim, trip, size))
        after = {slot.place: _array(machine, slot.after, found) for slot in trace.slots}
        state.update({place: value for place, value in after.items() if value is not None})
        for column, (items, _, _) in zip(pieces, claim.pieces, strict=True):
            part = machine.value(items[which].ref, found)
            column.append(part if claim.size else Array((1, *part.shape), part.data))
    return state, pieces


def _bound(claim: Claim, trip: int, size: int) -> dict[str, int]:
    return {claim.trip: trip, **({claim.size: size} if claim.size else {})}


def _found(machine: Machine, trace: Trace, state: Mapping[tuple[int, object], Array]) -> dict[str, Array]:
    """What the stand-ins of a trip hold as it begins."""
    in_place = id(None)
    values = {str(key): value for (container, key), value in state.items() if container == in_place}
    for slot in (*trace.slots, *trace.kept):
        if slot.before is None:
            continue
        if slot.place in state:
            values[slot.before.ref] = state[slot.place]
        elif isinstance(slot.initial, TensorValue):
            values[slot.before.ref] = machine.value(slot.initial.ref, {})
    return values


def _array(machine: Machine, value: Value, known: Mapping[str, Array]) -> Array | None:
    tensors = list(tensors_in(value))
    return machine.value(tensors[0].ref, known) if isinstance(value, TensorValue) else None


def _sizes(length: int) -> list[int]:
    """Tile extents to try: two that divide the axis into a few tiles."""
    sizes = [length // tiles for tiles in (4, 2, 3, 5, 7, 8, 6) if length % tiles == 0]
    return sizes[:2] or [1]


def _numbers(builder: Builder, claim: Claim) -> Iterator[dict[str, int]]:
    """Small values for every symbol, so that the loop has several trips and every division that must is even.

    Symbols differ where they can, lest one that stands for another goes unnoticed.
    """
    symbols = sorted(set(_symbols(builder, claim)) - {claim.trip, claim.size})
    units = _units(builder, claim)
    seen: list[dict[str, int]] = []
    for drawn in _draws(symbols, claim):
        numbers = {symbol: number * units.get(symbol, 1) for symbol, number in drawn.items()}
        length = claim.length.evaluate(numbers)
        small = length in (_LENGTHS if claim.size else range(2, 11))
        fixed = not claim.length.symbols and length >= 2
        if numbers in seen or not (small or fixed) or not _even(builder, claim, numbers):
            continue
        if not small and not claim.size and length > MOST_TRIPS:
            raise Unprovable("it has too many trips to try it on numbers")
        seen.append(numbers)
        yield numbers


def _units(builder: Builder, claim: Claim) -> dict[str, int]:
    """The numbers by which symbols must be divisible, as a block of 16 that divides K."""
    units: dict[str, int] = {}
    for top, bottom in builder.exact:
        if top.symbol and bottom.const and (top, bottom) != (claim.length, claim.tile):
            units[top.symbol] = lcm(units.get(top.symbol, 1), bottom.const)
    return units


_LENGTHS = (PARTS, 2 * PARTS, 6, 9, 10)  # that can be cut into a few tiles
_DRAWS = 400


def _draws(symbols: Sequence[str], claim: Claim) -> Iterator[dict[str, int]]:
    """Numbers to try: small and different ones first, then draws, in the end all the same but for the axis itself."""
    own = sorted(claim.length.symbols)
    others = [symbol for symbol in symbols if symbol not in own]
    draw = random.Random(0)
    plain = dict(zip(others, cycle((2, 3, 5, 7)), strict=False))
    for attempt in range(_DRAWS):
        numbers = plain if attempt < _DRAWS // 4 else {symbol: draw.choice((2, 3, 4, 5, 6)) for symbol in others}
        lengths = {symbol: draw.choice((4, 2, 8, 3, 6)) for symbol in own} if attempt else dict.fromkeys(own, PARTS)
        yield numbers | lengths | dict.fromkeys(claim.around, 0)
    for value in (PARTS, 2 * PARTS, 2, 3):
        yield dict.fromkeys(others, 2) | dict.fromkeys(own, value) | dict.fromkeys(claim.around, 0)


def _even(builder: Builder, claim: Claim, numbers: Mapping[str, int]) -> bool:
    for top, bottom in builder.exact:
        if (top, bottom) == (claim.length, claim.tile):
            continue  # the tiles tried are smaller ones, which divide the axis
        try:
            if bottom.evaluate(numbers) == 0 or top.evaluate(numbers) % bottom.evaluate(numbers):
                return False
        except KeyError:
            continue
    return True


def _symbols(builder: Builder, claim: Claim) -> Iterable[str]:
    for steps in (claim.steps, *(trace.steps for trace in claim.traces)):
        for step in steps:
            for name in step.tensors:
                if name in builder.inputs or builder.definition(name) is not None:
                    yield from (symbol for extent in builder.value_of(name).shape for symbol in extent.symbols)
            yield from (symbol for extent in step.shape for symbol in extent.symbols)
            yield from step.extents
            yield from symbols_of(tuple(step.attrs.values()))
    yield from claim.length.symbols
