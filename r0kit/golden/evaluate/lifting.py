"""Loops read as one computation over all trips: over the whole tiled axis, or with the trips as a batch axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from r0kit.finding import Severity
from r0kit.golden.attributes import symbols_of
from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim, Shape
from r0kit.golden.evaluate.forgetting import forget, missed
from r0kit.golden.evaluate.leaves import leaves
from r0kit.golden.evaluate.readings import NotLifted, Reader, Readings
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.trace import Loop
from r0kit.golden.evaluate.trial import Reach, Trial
from r0kit.golden.lift.batching import lanes_of
from r0kit.golden.lift.lanes import MONOIDS, Lanes
from r0kit.golden.lift.machine import Unprovable
from r0kit.golden.lift.proof import Claim, disproved
from r0kit.golden.lift.replay import Replay
from r0kit.golden.lift.tiles import Tile, length_in, mixing
from r0kit.golden.lift.trace import Slot, Trace, tensors_in
from r0kit.golden.scalars import substituted
from r0kit.golden.values import (
    PiecesValue,
    ScalarValue,
    SequenceValue,
    TensorValue,
    UnknownValue,
    Value,
)

_CRASHES = (ArithmeticError, TypeError, ValueError, LookupError, AttributeError)


def lift(run: Run, loop: Loop) -> str:
    """Emit the loop as a closed form or a batched computation; "" or the reason why it has none."""
    run.budget.look()  # a comparison on numbers takes time that the count of nodes does not show
    reasons: list[str] = []
    with run.loop_symbols(loop.name, "tile") as (trip, size):
        shared = True
        for reach in Reach:
            if not shared and reach in (Reach.OUTER, Reach.TURNS):
                continue  # the same as INNER
            reader = Reader(run, loop, trip, size, reach)
            reason = _lifted(run, loop, reader)
            if not reason:
                return ""
            reasons.append(reason)
            if not reader.loose:
                break
            shared = reader.shared
    return reasons[0]


def _lifted(run: Run, loop: Loop, reader: Reader) -> str:
    mark = run.builder.mark()
    try:
        readings = reader.read()
    except NotLifted as reason:
        return str(reason)
    reasons: list[str] = []
    for form in (_as_tiles, _as_lanes):
        try:
            form(run, loop, readings)
        except (NotLifted, OperationError, Unprovable, ArithmeticError) as reason:  # the last: of folded constants
            reasons.append(str(reason))
            run.builder.rewind(mark)
        else:
            run.builder.keep(readings.only.findings)
            return ""
    return "; ".join(dict.fromkeys(filter(None, reasons)))


# Over the whole axis


def _as_tiles(run: Run, loop: Loop, readings: Readings) -> None:
    """The body once, with the whole axis as its tile and the states as the loop finds them."""
    trial, trace = readings.only.trial, readings.only.trace
    if trial.tile is None:
        raise NotLifted("")
    tile = Tile(trial.trip, trial.tile_symbol)
    length = _length(run, loop, trace, tile)
    _covered(run, loop, trial, length)
    for chosen, other in trial.bounds:
        if chosen.substitute(tile.whole(length)) != other.substitute(tile.whole(length)):
            raise NotLifted(f"the bound {other} does not end the axis of {length}")
    mark = run.builder.mark()
    _require(run, trace, tile.whole(length), tile.symbols)
    replay = Replay(run.builder, tile.whole(length), _initial(trace))
    replay.run(trace.steps)
    shapes = _shapes(run, trace)
    handed = {slot.place for each in readings.traces for slot in each.handed_on(tile.symbols)}
    exact = readings.same and not handed and not any(mixing(step, tile, shapes) for step in trace.steps)
    needed = {slot.place for slot in trace.slots if slot.container is None} | handed
    results = [(slot, replay.of(slot.after)) for slot in trace.slots if isinstance(slot.after, TensorValue)]
    pieces = [(items, replay.of(items[0]), _axis_of(items[0], tile)) for items in _appended(readings)]
    steps = run.builder.steps[mark.lengths[0] :]
    claim = Claim(readings.traces, steps, results, tile.trip, tile.size, length, pieces, trial.tile)
    wrong = _wrong(run, claim, exact, needed)
    varying = _dependent(trace, tile.symbols) if exact else set[str]()

    def lifted(slot: Slot) -> Value:
        tensor = isinstance(slot.after, TensorValue)
        differs = slot.place in wrong or (slot.container is not None and _names(slot.after) & varying)
        if (tensor and differs) or _tells_tiles(slot.after, tile):
            return UnknownValue(f"`{slot.key}` is what the last trip leaves")
        return _mapped(slot.after, replay.of, tile.whole(length))

    whole = [PiecesValue(value, loop.trips.count, axis, trial.tile) for _, value, axis in pieces]
    _commit(run, trace, lifted, whole)
    forget(run, loop, missed(trace, readings.traces), Severity.NOTE)  # the form of one trip does not say what they hold
    _say(run, loop, trace, "over tiles" if exact else "with a running state")


def _length(run: Run, loop: Loop, trace: Trace, tile: Tile) -> Dim:
    if loop.trips.length is not None and loop.trips.stride != Dim.of(1):
        return loop.trips.length
    length = length_in(trace.steps, tile, _shapes(run, trace))
    if length is None or length.symbols & tile.symbols:
        raise NotLifted("its slices do not say which axis the tiles cover")
    return length


def _covered(run: Run, loop: Loop, trial: Trial, length: Dim) -> None:
    """NotLifted unless the trips cover the axis; that a tile divides it is recorded where the golden relies on it."""
    builder, count, size = run.builder, loop.trips.count, trial.tile
    assert size is not None
    if count == length.ceil_div(size) or count * size == length:
        return
    numbers = [builder.known(dim) for dim in (count, size, length)]
    if count == length // size:
        builder.divides(length, size, "tiles")
        return
    trips, step, total = numbers
    if trips is None or step is None or total is None or not (trips - 1) * step < total <= trips * step:
        raise NotLifted(f"{count} tiles of {size} need not cover {length}")


def _axis_of(value: TensorValue, tile: Tile) -> int:
    axes = [axis for axis, extent in enumerate(value.shape) if tile.size in extent.symbols]
    if len(axes) != 1:
        raise NotLifted("what it appends in each trip is no part of one axis")
    return axes[0]


def _dependent(trace: Trace, symbols: frozenset[str]) -> set[str]:
    """Values of the body that differ from trip to trip."""
    found = {slot.before.ref for slot in trace.slots if slot.before is not None and slot.container is not None}
    for step in trace.steps:
        mentions = any(extent.symbols & symbols for extent in step.shape) or step.extents & symbols
        if mentions or set(step.tensors) & found or symbols_of(tuple(step.attrs.values())) & symbols:
            found.add(step.target)
    return found


def _names(value: Value) -> set[str]:
    return {tensor.ref for tensor in tensors_in(value)}


def _tells_tiles(value: Value, tile: Tile) -> bool:
    """Whether numbers differ after the last of two tiles and after one of twice the extent: `start`, `stop - start`."""
    size = Dim.of(tile.size)
    numbers = [leaf.scalar for leaf in leaves([value]) if isinstance(leaf, ScalarValue)]
    one, two = tile.whole(size * 2), {tile.trip: Dim.of(1)}
    return any(substituted(number, one) != substituted(number, two) for number in numbers)


# With the trips as a batch axis


def _as_lanes(run: Run, loop: Loop, readings: Readings) -> None:
    """Every value that differs from trip to trip gets the trips as its first axis."""
    if not readings.same:
        raise NotLifted("what a trip does depends on which one it is")
    trace, trip, count = readings.only.trace, readings.only.trial.trip, loop.trips.count
    if readings.only.trial.tile is not None:
        tile = readings.only.trial.tile
        trace = trace.substituted({readings.only.trial.tile_symbol: tile})
        if loop.trips.stride == tile and loop.trips.length is not None and count * tile != loop.trips.length:
            count = run.builder.divides(loop.trips.length, tile, "tiles")
    handed = trace.handed_on(frozenset({trip}))
    needed = {slot.place for slot in trace.slots if slot.container is None} | {slot.place for slot in handed}
    mark = run.builder.mark()
    _require(run, trace, {}, frozenset({trip}))
    lanes = lanes_of(run.builder, trip, count, _initial(trace), _gathering(trace, handed))
    lanes.run(trace.steps)
    carried = {slot.place for slot in handed}
    results = [(slot, _final(lanes, slot, slot.place in carried)) for slot in trace.slots if _is_tensor(slot.after)]
    pieces = [
        (items, _piece(run, lanes, items[0]), 0)
        for items in _appended(Readings(*[replace(readings.only, trace=trace)] * 4))
    ]
    steps = run.builder.steps[mark.lengths[0] :]
    claim = Claim((trace, trace, trace), steps, results, trip, "", count, pieces)
    wrong = _wrong(run, claim, not handed, needed)
    known = {slot.place: value for slot, value in results}

    def lifted(slot: Slot) -> Value:
        if slot.place in wrong:
            return UnknownValue(f"`{slot.key}` is what the last trip leaves")
        if slot.place in known:
            return known[slot.place]
        return _mapped(slot.after, lanes.last, {trip: count - 1})

    _commit(run, trace, lifted, [PiecesValue(value, count) for _, value, _ in pieces])
    _say(run, loop, trace, "with a state that all trips add to" if handed else "over independent trips")


def _is_tensor(value: Value) -> bool:
    return isinstance(value, TensorValue)


def _final(lanes: Lanes, slot: Slot, carried: bool) -> TensorValue:
    assert isinstance(slot.after, TensorValue)
    if lanes.of(slot.after)[1] and (carried or slot.container is None):
        raise NotLifted(f"each trip needs `{slot.key}` of the trip before")
    return lanes.last(slot.after)


def _piece(run: Run, lanes: Lanes, value: TensorValue) -> TensorValue:
    now, varies = lanes.of(value)
    if varies:
        return now
    raise NotLifted("it appends the same value in each trip")


def _gathering(trace: Trace, handed: Sequence[Slot]) -> frozenset[str]:
    """Steps at which a trip adds to a state: those that compute what it hands on, behind casts and layout."""
    steps = {step.target: step for step in trace.steps}
    found: set[str] = set()
    for slot in handed:
        pending = [tensor.ref for tensor in tensors_in(slot.after)]
        while pending:
            step = steps.get(pending.pop())
            if step is None:
                continue
            if step.op in MONOIDS and step.target not in found:
                found.add(step.target)
                pending.extend(step.tensors if step.op in ("add", "sub") else ())
            elif step.op in ("cast", "reshape", "unsqueeze", "squeeze", "clone", "slice_store"):
                pending.extend(step.tensors[-1:])
    return frozenset(found & _state_steps(trace, handed))


def _state_steps(trace: Trace, handed: Sequence[Slot]) -> set[str]:
    """Steps with one operand that the state of the trip before goes into."""
    states = {slot.before.ref for slot in handed if slot.before is not None}
    result: set[str] = set()
    for step in trace.steps:
        from_state = [name in states for name in step.tensors]
        if any(from_state):
            states.add(step.target)
            if len(step.operands) == 2:
                result.add(step.target)
    return result


# What both forms share


def _initial(trace: Trace) -> dict[str, TensorValue]:
    """What the stand-ins of the body stand for in the first trip."""
    found: dict[str, TensorValue] = {}
    for slot in (*trace.slots, *trace.kept):
        if slot.before is not None and isinstance(slot.initial, TensorValue):
            found[slot.before.ref] = slot.initial
    return found


def _shapes(run: Run, trace: Trace) -> dict[str, Shape]:
    """Shape of every value that the body reads or computes."""
    known = {step.target: step.shape for step in trace.steps}
    for step in trace.steps:
        for name in step.tensors:
            if name not in known:
                known[name] = run.builder.value_of(name).shape
    return known


def _require(run: Run, trace: Trace, whole: Mapping[str, Dim], symbols: frozenset[str]) -> None:
    """What the body requires of extents, for the loop as a whole. NotLifted where it requires something of a tile."""
    for numerator, denominator in trace.exact:
        if (numerator.symbols | denominator.symbols) & symbols:
            raise NotLifted(f"a trip divides {numerator} by {denominator}")
        run.builder.divides(numerator, denominator, "an even division in a loop")
    for constraint in trace.constraints:
        left, right = constraint.left.substitute(whole), constraint.right.substitute(whole)
        if left == right:
            continue
        if (constraint.left.symbols | constraint.right.symbols) & symbols:
            raise NotLifted(f"{constraint.reason}: {constraint.left} is {constraint.right} only in some trips")
        run.builder.require(left, right, constraint.reason, constraint.assumed)


def _appended(readings: Readings) -> list[tuple[TensorValue, TensorValue, TensorValue]]:
    """What the first, a middle and the last trip append, item by item. NotLifted where that is no tensor."""
    columns = []
    for position, (_, items) in enumerate(readings.only.trace.appended):
        if any(len(trace.appended) != len(readings.only.trace.appended) for trace in readings.traces):
            raise NotLifted("which list it appends to depends on the trip")
        others = [trace.appended[position][1] for trace in readings.traces]
        if any(len(other) != 1 for other in (items, *others)):
            raise NotLifted("it appends several items in each trip")
        chosen = [other[0] for other in others]
        if not all(isinstance(item, TensorValue) for item in chosen):
            raise NotLifted("it appends something that is no tensor")
        columns.append(tuple(chosen))
    return columns  # type: ignore[return-value]


def _wrong(run: Run, claim: Claim, exact: bool, needed: set[tuple[int, Any]]) -> set[tuple[int, Any]]:
    """Names whose value after the loop the form does not give. NotLifted where it is wrong about one that is needed."""
    if exact:
        return set()
    claim = replace(claim, around=frozenset(trial.trip for trial in run.trials))
    try:
        wrong = disproved(run.builder, claim)
    except _CRASHES as error:
        raise NotLifted(f"it cannot be tried on numbers: {error}") from error
    if wrong & needed or any(place[0] == 0 for place in wrong):
        raise NotLifted("what a trip computes depends on the trips before it, so that the order of the trips counts")
    return wrong


def _mapped(value: Value, of: Any, replacements: Mapping[str, Dim]) -> Value:
    """A value of the body as it is after the loop."""
    if isinstance(value, TensorValue):
        result: Value = of(value)
        return result
    if isinstance(value, ScalarValue):
        return replace(value, scalar=substituted(value.scalar, replacements))
    if isinstance(value, SequenceValue):
        return SequenceValue([_mapped(item, of, replacements) for item in value.items], value.is_list)
    return value


def _commit(run: Run, trace: Trace, lifted: Any, pieces: Iterable[PiecesValue]) -> None:
    """Let names, tensors and lists hold what the loop leaves."""
    for slot in trace.slots:
        value = lifted(slot)
        if slot.container is None:
            assert slot.before is not None
            own = run.builder.emit("clone", [value], value.shape, value.dtype)  # the loop may store a tensor as it is
            run.storage.mutate(slot.before, own)
        else:
            run.builder.bind(value, str(slot.key))
            run.journal.put(slot.container, slot.key, value)
    for (target, _), whole in zip(trace.appended, pieces, strict=True):
        run.journal.refill(target, [*target, whole])
        run.fills = True


def _say(run: Run, loop: Loop, trace: Trace, how: str) -> None:
    span = run.source.span(loop.node)
    where = f"line {span.line}" if span.line == span.end_line else f"lines {span.line} to {span.end_line}"
    if any(step.op in ("exp", "exp2") for step in trace.steps) and any(
        step.op in ("maximum", "logaddexp") for step in trace.steps
    ):
        rule, what = "golden.recurrence-lifted", "a running maximum"
    else:
        rule, what = "golden.loop-lifted", "a loop"
    message = f"{what} {how} ({where}) is read as one computation over all trips"
    run.note(loop.node, rule, message, "the tiling and the order of the trips are left to the design", Severity.NOTE)
