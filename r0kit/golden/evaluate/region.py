"""Loops that stay loops: one Step that holds the Steps of a trip, and one for each value that it leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.trace import Loop, Reading, read_once
from r0kit.golden.evaluate.trial import Position, Trial
from r0kit.golden.lift.trace import Slot
from r0kit.golden.program import Kind, Operand, Ref, Step
from r0kit.golden.rename import renamed
from r0kit.golden.values import (
    PiecesValue,
    ScalarValue,
    TensorValue,
    UnknownValue,
    Value,
)


def keep(run: Run, loop: Loop, name: str, reason: str) -> None:
    """Emit the loop as one region, with a finding that says why it is one."""
    trip = run.fresh_symbol(name)
    states = dict[str, Value]()
    reading = read_once(run, loop, Trial(run.builder, trip, loop.trips.count, Position.FIRST))
    states = {str(slot.key): slot.after for slot in reading.trace.slots if _begins(slot)}
    unsteady = {
        str(slot.key): UnknownValue(f"`{slot.key}` changes from trip to trip")
        for slot in reading.trace.slots
        if _is_number(slot)
    }
    if states or unsteady or reading.trial.asked:
        trial = Trial(run.builder, trip, loop.trips.count, Position.MIDDLE)
        reading = read_once(run, loop, trial, {**states, **unsteady})
    run.builder.findings.extend(finding for finding in reading.findings if finding not in run.builder.findings)
    run.builder.symbols.extend(reading.symbols)
    _emit(run, loop, reading, trip)
    sections = {step.section for step in reading.trace.steps if step.kind not in (Kind.LAYOUT, Kind.CREATION)}
    mixed = "; it mixes cube and vector Steps" if len(sections) > 1 else ""
    written = run.source.written(loop.node)[:60]
    run.note(
        loop.node,
        "golden.loop-region",
        f"the loop `{written}` stays a loop: {reason}{mixed}",
        "write it over whole axes, or as the usual running maximum and sum, where its trips allow that",
    )


def _begins(slot: Slot) -> bool:
    return slot.before is None and isinstance(slot.after, TensorValue)


def _is_number(slot: Slot) -> bool:
    return isinstance(slot.initial, ScalarValue) and isinstance(slot.after, ScalarValue) and slot.after != slot.initial


def _emit(run: Run, loop: Loop, reading: Reading, trip: str) -> None:
    builder, trace = run.builder, reading.trace
    inside = {step.target: f"{trip}:{step.target}" for step in trace.steps}
    begin = {slot.before.ref: slot for slot in trace.slots if slot.before is not None and slot.container is not None}
    kept = [slot for slot in trace.slots if isinstance(slot.after, TensorValue)]
    items = [item for _, appended in trace.appended for item in appended if isinstance(item, TensorValue)]
    results = [slot.after for slot in kept if isinstance(slot.after, TensorValue)] + items
    if not results:
        return
    body = tuple(_inner(step, inside, begin) for step in trace.steps)
    changing = [slot for slot in kept if slot.container is None]
    operands = [builder.value_of(name) for name in _outside(body, changing)]
    with builder.at(run.source.span(loop.node), run.source.written(loop.node)):
        attrs = {"trip": trip, "count": loop.trips.count}
        refs = tuple(Ref(inside.get(value.ref, value.ref)) for value in results)
        carried = tuple(inside[name] for name in begin if name in inside)
        region = builder.region(operands, results[0].shape, results[0].dtype, body, carried, results=refs, **attrs)
        values = [_projected(run, region, value, number) for number, value in enumerate(results)]
        for slot, value in zip(kept, values, strict=False):
            _leave(run, slot, value)
        for slot in trace.slots:
            if slot not in kept:
                run.journal.put(slot.container, slot.key, _after(slot))
        _fill_lists(run, loop, reading, values[len(kept) :])


def _inner(step: Step, inside: Mapping[str, str], begin: Mapping[str, Slot]) -> Step:
    """A Step of the body under its name there; a stand-in names what it holds in the first trip and in later ones."""
    slot = begin.get(step.target)
    if slot is not None and isinstance(slot.initial, TensorValue) and isinstance(slot.after, TensorValue):
        operands: tuple[Operand, ...] = (Ref(slot.initial.ref), Ref(inside.get(slot.after.ref, slot.after.ref)))
        return replace(step, target=inside[step.target], operands=operands)
    return replace(renamed(step, inside), target=inside[step.target])


def _outside(body: Iterable[Step], changing: Iterable[Slot]) -> list[str]:
    """Values from outside that the body needs, each once."""
    inside = {step.target for step in body}
    names = [name for step in body for name in step.tensors if name not in inside]
    names += [slot.before.ref for slot in changing if slot.before is not None]
    return list(dict.fromkeys(names))


def _projected(run: Run, region: TensorValue, value: TensorValue, number: int) -> TensorValue:
    return run.builder.emit("project", [region], value.shape, value.dtype, index=number)


def _leave(run: Run, slot: Slot, value: TensorValue) -> None:
    if slot.container is None:
        assert slot.before is not None
        run.storage.mutate(slot.before, value)
        return
    run.builder.bind(value, str(slot.key))
    run.journal.put(slot.container, slot.key, value)


def _after(slot: Slot) -> Value:
    if isinstance(slot.after, ScalarValue) and slot.after == slot.initial:
        return slot.after
    return UnknownValue(f"`{slot.key}` is what the last trip leaves")


def _fill_lists(run: Run, loop: Loop, reading: Reading, values: list[TensorValue]) -> None:
    """What every trip appends, side by side."""
    rest = iter(values)
    for target, appended in reading.trace.appended:
        for item in appended:
            if isinstance(item, TensorValue):
                value = next(rest)
                shape = (loop.trips.count, *value.shape)
                operands = [run.builder.value_of(run.builder.definition(value.ref).tensors[0])]  # type: ignore[union-attr]
                step = run.builder.definition(value.ref)
                assert step is not None
                stacked = run.builder.emit("project", operands, shape, value.dtype, **{**step.attrs, "stacked": True})
                whole: Value = PiecesValue(stacked, loop.trips.count)
            else:
                whole = UnknownValue("what each trip appends is not known")
            run.journal.refill(target, [*target, whole])
