"""A loop body read for each kind of trip: the first, those between, the last, and the only one of a loop over one tile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from r0kit.golden.dims import Dim
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.trace import Loop, Reading, read_once
from r0kit.golden.evaluate.trial import Position, Reach, Trial, extent_of
from r0kit.golden.lift.tiles import tile_in
from r0kit.golden.lift.trace import Slot, Trace
from r0kit.golden.values import ScalarValue, TensorValue, Value, extent, is_none


class NotLifted(Exception):
    """Why the trips of a loop are not joined."""


@dataclass(frozen=True, slots=True)
class Readings:
    """The body as each kind of trip reads it; `only` as the one trip of a loop over one tile."""

    only: Reading
    first: Reading
    middle: Reading
    last: Reading

    @property
    def same(self) -> bool:
        """Whether all trips do the same."""
        return self.only is self.middle

    @property
    def traces(self) -> tuple[Trace, Trace, Trace]:
        return self.first.trace, self.middle.trace, self.last.trace


class Reader:
    """Reads the body as often as it takes to know what its trips do.

    loose: numbers only taken for the tile; shared: whether they could be that of another loop's.
    """

    def __init__(self, run: Run, loop: Loop, trip: str, size: str, reach: Reach) -> None:
        self.run, self.loop, self.trip, self.size, self.reach = run, loop, trip, size, reach
        self.loose, self.shared = 0, False
        self.tile = loop.trips.stride if loop.trips.stride not in (None, Dim.of(1)) else None
        self.states: dict[str, Value] = {}

    def read(self) -> Readings:
        only = self._read(Position.ONLY, self.states)
        if self.tile is None:  # what stands in the way may be gone once the tile has a symbol
            self.tile = tile_in(only.trace.steps, self.trip)
            only = self._read(Position.ONLY, self.states) if self.tile is not None else only
        _check(only)
        numbers = self._numbers(only.trace)
        if numbers:
            self.states.update(numbers)
            only = self._checked(Position.ONLY)
        if not only.trial.asked and not any(_begins_otherwise(slot) for slot in only.trace.slots):
            return Readings(only, only, only, only)
        first = self._checked(Position.FIRST)
        begun = [slot for slot in (*only.trace.slots, *first.trace.slots) if _begins(slot)]
        later = {**{str(slot.key): slot.after for slot in begun}, **self.states}
        return Readings(only, first, self._checked(Position.MIDDLE, later), self._checked(Position.LAST, later))

    def _checked(self, position: Position, states: Mapping[str, Value] | None = None) -> Reading:
        return _check(self._read(position, self.states if states is None else states))

    def _read(self, position: Position, states: Mapping[str, Value]) -> Reading:
        trial = Trial(self.run.builder, self.trip, self.loop.trips.count, position, self.tile)
        trial.tile_symbol = self.size if self.tile is not None else ""
        trial.names, trial.reach = self.loop.trips.names, self.reach
        reading = read_once(self.run, self.loop, trial, states)
        self.loose += trial.loose
        self.shared |= trial.shared
        return reading

    def _numbers(self, trace: Trace) -> dict[str, Value]:
        """Python numbers that grow by the same amount in each trip, as functions of the trip."""
        found: dict[str, Value] = {}
        for slot in trace.slots:
            if not isinstance(slot.initial, ScalarValue) or is_none(slot.initial):
                continue
            if slot.initial == slot.after or isinstance(slot.after, TensorValue):
                continue
            found[str(slot.key)] = self._growing(slot)
        return found

    def _growing(self, slot: Slot) -> Value:
        if not isinstance(slot.after, ScalarValue) or not isinstance(slot.initial, ScalarValue):
            raise NotLifted(f"`{slot.key}` changes from trip to trip")
        start, after = extent_of(slot.initial.scalar), extent_of(slot.after.scalar)
        if start is None or after is None or self.trip in (after - start).symbols:
            raise NotLifted(f"`{slot.key}` changes from trip to trip")
        return extent(start + (after - start) * Dim.of(self.trip))


def _check(reading: Reading) -> Reading:
    """The reading. NotLifted where something stands against joining the trips."""
    if reading.trace.obstacle:
        raise NotLifted(reading.trace.obstacle)
    return reading


def _begins(slot: Slot) -> bool:
    """Whether the first trip is the one that gives the name a tensor."""
    return slot.before is None and isinstance(slot.after, TensorValue)


def _begins_otherwise(slot: Slot) -> bool:
    """Whether the first trip finds None or a number where later ones find a tensor."""
    return _begins(slot) and slot.initial is not None
