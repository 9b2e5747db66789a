"""Loops whose first or last trip does something else than the others, or finds a number, or None, where they find a tensor."""

from __future__ import annotations

from dataclasses import replace

from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim
from r0kit.golden.evaluate.flow import Flow
from r0kit.golden.evaluate.region import Trips
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.trace import Loop, Reading, settle
from r0kit.golden.lift.trace import Slot, tensors_in
from r0kit.golden.ops.creation import full
from r0kit.golden.scalars import Constant, Extent, Scalar, apply
from r0kit.golden.values import ScalarValue, TensorValue, TripsValue, Value


def numbers_as_tensors(run: Run, loop: Loop, first: Reading, trip: str) -> bool:
    """Let names that hold a number before the loop, and a tensor after a trip, hold a tensor full of that number."""
    begun = [slot for slot in first.trace.slots if _begins_as_number(slot, trip)]
    for slot in begun:
        assert isinstance(slot.after, TensorValue) and slot.initial is not None
        with run.builder.at(run.source.span(loop.node), run.source.written(loop.node)):
            try:
                tensor = full(run.builder, slot.after.shape, slot.initial, slot.after.dtype)
            except OperationError:
                return False
        run.builder.bind(tensor, str(slot.key))
        run.journal.put(slot.container, slot.key, tensor)
    return bool(begun)


def _begins_as_number(slot: Slot, trip: str) -> bool:
    if slot.before is not None or slot.container is None or not isinstance(slot.after, TensorValue):
        return False
    inner = any(trip in extent.symbols for extent in slot.after.shape)
    initial = slot.initial.scalar if isinstance(slot.initial, ScalarValue) else None
    return not inner and isinstance(initial, Constant) and type(initial.value) in (int, float)


_MOST_APART = 4  # trips that are read by themselves


def apart(run: Run, loop: Loop, readings: Trips, already: int) -> tuple[bool, Loop | None]:
    """Whether the first trip is to be read by itself; the loop of the others where only the last one is."""
    if already == _MOST_APART or loop.target is None:
        return False, None
    if already == 0 and _finds_no_tensor(readings.middle):
        return True, None
    if readings.middle.trial.undecided:
        return False, None  # trips in the middle do not do the same either
    return readings.first_differs, _without_last(run, loop) if readings.last_differs else None


def _finds_no_tensor(middle: Reading) -> bool:
    """Whether a trip in the middle reads of a name a tensor that the first trip does not find there."""
    slots = (*middle.trace.slots, *middle.trace.kept)
    read = {name for step in middle.trace.steps if step.op != "carried" for name in step.tensors}
    for slot in slots:
        read |= {t.ref for t in tensors_in(slot.after) if slot.before is None or t.ref != slot.before.ref}
    return any(
        slot.before is not None and slot.before.ref in read and not isinstance(slot.initial, TensorValue)
        for slot in slots
    )


def first_trip(run: Run, loop: Loop) -> tuple[Flow | None, Loop]:
    """Read the first trip by itself; how it ends, and the loop of the others."""
    assert loop.target is not None
    run.assign(loop.target, loop.trips.item(Constant(0)), loop.scope)
    flow = loop.body(loop.scope)
    rest = replace(loop, trips=_without_first(loop.trips))
    settle(run, rest)
    return flow, rest


def _without_first(trips: TripsValue) -> TripsValue:
    def item(place: Scalar) -> Value:
        return trips.item(apply("+", place, Constant(1)))

    return TripsValue(trips.count - Dim.of(1), item)


def _without_last(run: Run, loop: Loop) -> Loop | None:
    """The loop of the trips but the last; None where nothing says that there are several."""
    count = loop.trips.count - Dim.of(1)
    known = run.builder.known(count)
    if known is None or known < 1:
        return None
    return replace(loop, trips=TripsValue(count, loop.trips.item))


def last_trip(run: Run, loop: Loop) -> Flow | None:
    """Read the last trip by itself; how it ends."""
    assert loop.target is not None
    run.assign(loop.target, loop.trips.item(Extent(loop.trips.count - 1)), loop.scope)
    return loop.body(loop.scope)
