"""Loops that stay loops: one Step that holds the Steps of a trip, and one for each value that it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from r0kit.golden.evaluate.forgetting import forget, missed
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.trace import Loop, Reading, read_once
from r0kit.golden.evaluate.trial import Position, Trial
from r0kit.golden.lift.trace import Slot, Trace, tensors_in
from r0kit.golden.program import Kind, Ref, Section, Step
from r0kit.golden.rename import outside, renamed
from r0kit.golden.span import Span
from r0kit.golden.values import (
    PiecesValue,
    ScalarValue,
    SequenceValue,
    TensorValue,
    UnknownValue,
    Value,
)


def keep(run: Run, loop: Loop, reason: str) -> None:
    """Emit the loop as one region, with a finding that says why it is one."""
    with run.loop_symbols(loop.name) as (trip,):
        first, reading = read(run, loop, trip)
        keep_as_read(run, loop, reason, (first, reading), trip)


def keep_as_read(run: Run, loop: Loop, reason: str, readings: tuple[Reading, Reading], trip: str) -> None:
    """The same from what the first trip and one in the middle do."""
    first, reading = readings
    others = [first.trace]
    if first.trial.asked or reading.trial.asked:
        last = read_once(run, loop, Trial(run.builder, trip, loop.trips.count, Position.LAST), _states(first))
        others.append(last.trace)
    run.builder.keep(reading.findings)
    run.builder.symbols.extend(reading.symbols)
    _emit(run, loop, reading, trip)
    forget(run, loop, missed(reading.trace, others))
    sections = {step.section for step in reading.trace.steps if step.kind not in (Kind.LAYOUT, Kind.CREATION)}
    mixed = "; it mixes cube and vector Steps" if len(sections) > 1 else ""
    written = run.source.written(loop.node)[:60]
    run.note(
        loop.node,
        "golden.loop-region",
        f"the loop `{written}` stays a loop: {reason}{mixed}",
        "write it over whole axes, or as the usual running maximum and sum, where its trips allow that",
    )


def read(run: Run, loop: Loop, trip: str) -> tuple[Reading, Reading]:
    """The first trip, and one in the middle of the loop; what the first trip brings is known from reading that one."""
    first = read_once(run, loop, Trial(run.builder, trip, loop.trips.count, Position.FIRST))
    states = _states(first)
    if not states and not first.trial.asked:
        return first, first
    return first, read_once(run, loop, Trial(run.builder, trip, loop.trips.count, Position.MIDDLE), states)


def _states(first: Reading) -> dict[str, Value]:
    """What names hold when a later trip begins, as far as it is something else than what the first one finds."""
    states: dict[str, Value] = {str(slot.key): slot.after for slot in first.trace.slots if _begins(slot)}
    unsteady = {
        str(slot.key): UnknownValue(f"`{slot.key}` changes from trip to trip")
        for slot in first.trace.slots
        if _is_number(slot)
    }
    return {**states, **unsteady}


def _begins(slot: Slot) -> bool:
    return slot.before is None and isinstance(slot.after, TensorValue)


def _is_number(slot: Slot) -> bool:
    return isinstance(slot.initial, ScalarValue) and isinstance(slot.after, ScalarValue) and slot.after != slot.initial


def _emit(run: Run, loop: Loop, reading: Reading, trip: str) -> None:
    builder, trace = run.builder, reading.trace
    run.regions += 1
    inside = {step.target: f"{run.regions}:{step.target}" for step in trace.steps}
    inside |= {slot.before.ref: f"{run.regions}:{slot.before.ref}" for slot in trace.slots if slot.before is not None}
    kept = [slot for slot in trace.slots if isinstance(slot.after, TensorValue)]
    items = [item for _, appended in trace.appended for item in appended if isinstance(item, TensorValue)]
    results = [slot.after for slot in kept if isinstance(slot.after, TensorValue)] + items
    if not results:
        return
    body = _body(trace, inside, run.source.span(loop.node))
    with builder.at(run.source.span(loop.node), run.source.written(loop.node)):
        refs = tuple(Ref(inside.get(value.ref, value.ref)) for value in results)
        operands = [builder.value_of(name) for name in outside(body)]
        carried = tuple(step.target for step in body if step.op == "carried")
        attrs = {"trip": trip, "count": loop.trips.count, "results": refs}
        region = builder.region(operands, results[0].shape, results[0].dtype, body, carried, **attrs)
        left: dict[str, TensorValue] = {}
        for number, (slot, value) in enumerate(zip(kept, results, strict=False)):
            left[value.ref] = builder.emit("project", [region], value.shape, value.dtype, index=number)
            _leave(run, slot, left[value.ref])
        for slot in trace.slots:
            if slot not in kept:
                run.journal.put(slot.container, slot.key, _after(slot, left))
        _fill_lists(run, loop, reading, region, len(kept))


def _body(trace: Trace, inside: Mapping[str, str], span: Span) -> tuple[Step, ...]:
    """The Steps of a trip under their names there; a `carried` Step stands for what the trip finds of a value."""
    read = {name for step in trace.steps for name in step.tensors}
    read |= {tensor.ref for slot in trace.slots for tensor in tensors_in(slot.after)}
    states = [_state(slot, inside, span) for slot in trace.slots if slot.before is not None and slot.before.ref in read]
    stand_ins = {inside[slot.before.ref] for slot in trace.slots if slot.before is not None}
    rest = [step for step in trace.steps if inside[step.target] not in stand_ins]
    return (*states, *(replace(renamed(step, inside), target=inside[step.target]) for step in rest))


def _state(slot: Slot, inside: Mapping[str, str], span: Span) -> Step:
    """`carried(initial, after)`: what a trip finds is `initial` in the first one, `after` of the one before later.

    Where a trip leaves something else than a tensor, what the next one finds cannot be read.
    """
    before, after = slot.before, slot.after
    assert before is not None
    initial = tuple([Ref(slot.initial.ref)] if isinstance(slot.initial, TensorValue) else [])
    name = str(slot.key if isinstance(slot.key, str) and slot.container is not None else "")
    head, kind = inside[before.ref], (Kind.LAYOUT, Section.VECTOR)
    if not isinstance(after, TensorValue):
        return Step(head, "opaque", initial, before.shape, before.dtype, Kind.OPAQUE, Section.VECTOR, span, name=name)
    operands = (*initial, Ref(inside.get(after.ref, after.ref)))
    return Step(head, "carried", operands, before.shape, before.dtype, *kind, span, name=name)


def _leave(run: Run, slot: Slot, value: TensorValue) -> None:
    if slot.container is None:
        assert slot.before is not None
        run.storage.mutate(slot.before, value)
        return
    run.builder.bind(value, str(slot.key))
    run.journal.put(slot.container, slot.key, value)


def _after(slot: Slot, left: Mapping[str, TensorValue]) -> Value:
    """What a name that holds no tensor holds after the loop: a tuple of what its tensors are, a number that stays."""
    if isinstance(slot.after, SequenceValue):
        items: list[Value] = []
        for item in slot.after.items:
            known = left.get(item.ref) if isinstance(item, TensorValue) else item
            items.append(known or UnknownValue(f"an item of `{slot.key}` is what the last trip leaves"))
        return SequenceValue(items, slot.after.is_list)
    if isinstance(slot.after, ScalarValue) and slot.after == slot.initial:
        return slot.after
    return UnknownValue(f"`{slot.key}` is what the last trip leaves")


def _fill_lists(run: Run, loop: Loop, reading: Reading, region: TensorValue, number: int) -> None:
    """What every trip appends, side by side; `number` counts the region's results."""
    for target, appended in reading.trace.appended:
        for item in appended:
            whole: Value = UnknownValue("what each trip appends is not known")
            if isinstance(item, TensorValue):
                shape = (loop.trips.count, *item.shape)
                all_of_them = run.builder.emit("project", [region], shape, item.dtype, index=number, stacked=True)
                run.builder.bind(all_of_them, _name_of(loop, target))
                whole = PiecesValue(all_of_them, loop.trips.count)
                number += 1
            run.journal.refill(target, [*target, whole])
            run.fills = True


def _name_of(loop: Loop, items: list[Value]) -> str:
    """What the golden calls the list of these items; "" where no name of the loop's scope is it."""
    named = (
        name for name, value in loop.scope.names.items() if isinstance(value, SequenceValue) and value.items is items
    )
    return next(named, "")
