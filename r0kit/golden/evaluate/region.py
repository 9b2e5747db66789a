"""Loops that stay loops: one Step that holds the Steps of a trip, and one for each value that it leaves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from typing import NamedTuple

from r0kit.finding import Finding
from r0kit.golden.dims import Dim
from r0kit.golden.evaluate.alike import alike
from r0kit.golden.evaluate.forgetting import forget, missed
from r0kit.golden.evaluate.operations import KINDS
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.trace import FILLS_WHAT_IT_READS, Loop, Reading, read_once
from r0kit.golden.evaluate.trial import Position, Trial
from r0kit.golden.lift.tiles import cuts
from r0kit.golden.lift.trace import Slot, Trace, tensors_in
from r0kit.golden.program import Kind, Operand, Ref, Step
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


class Trips(NamedTuple):
    """The body as the first trip, one in the middle and the last one read it; all one where they do the same."""

    first: Reading
    middle: Reading
    last: Reading

    @property
    def first_differs(self) -> bool:
        return self.first.trial.asked and not alike(self.first.trace, self.middle.trace)

    @property
    def last_differs(self) -> bool:
        return self.last is not self.middle and not alike(self.last.trace, self.middle.trace)

    @property
    def findings(self) -> list[Finding]:
        """Those of the trip in the middle; of the others where they find something at places of their own."""
        said = {(finding.rule, finding.location) for finding in self.middle.findings}
        others = (finding for one in (self.first, self.last) if one is not self.middle for finding in one.findings)
        return [*self.middle.findings, *(finding for finding in others if (finding.rule, finding.location) not in said)]


def keep(run: Run, loop: Loop, reason: str) -> None:
    """Emit the loop as one region, with a finding that says why it is one."""
    with run.loop_symbols(loop.name) as (trip,):
        keep_as_read(run, loop, reason, read(run, loop, trip), trip)


def keep_as_read(run: Run, loop: Loop, reason: str, readings: Trips, trip: str) -> None:
    """The same from what its trips do."""
    reading, trace = readings.middle, readings.middle.trace
    run.builder.keep(readings.findings)
    run.builder.symbols.extend(reading.symbols)
    if readings.first_differs or readings.last_differs:
        message = "its first or last trip does something else than the others; what the loop leaves is opaque"
        hint = "let each trip do the same, or write those trips outside of the loop"
        trace = _hidden(run, loop, trace, message, hint)
    elif trace.obstacle == FILLS_WHAT_IT_READS:
        trace = _hidden(
            run, loop, trace, f"{trace.obstacle}; what the loop leaves is opaque", "keep it in a name as well"
        )
    elif (other := _shorter(run, reading)) is not None:
        message = f"its last trip ends at {other}, which is not the end of what it cuts; what the loop leaves is opaque"
        trace = _hidden(run, loop, trace, message, f"cut the tensor to {other} before the loop")
    _emit(run, loop, trace, trip, _ragged(run, loop, trace, trip))
    forget(run, loop, missed(trace, (readings.first.trace, readings.last.trace)))
    sections = {step.section for step in trace.steps if step.kind not in (Kind.LAYOUT, Kind.CREATION)}
    mixed = "; it mixes cube and vector Steps" if len(sections) > 1 else ""
    written = run.source.written(loop.node)[:60]
    run.note(
        loop.node,
        "golden.loop-region",
        f"the loop `{written}` stays a loop: {reason}{mixed}",
        "write it over whole axes, or as the usual running maximum and sum, where its trips allow that",
    )


def read(run: Run, loop: Loop, trip: str) -> Trips:
    """What its trips do; what the first trip brings is known from reading that one."""
    first = read_once(run, loop, Trial(run.builder, trip, loop.trips.count, Position.FIRST))
    states = _states(first)
    if not states and not first.trial.asked:
        return Trips(first, first, first)
    middle = read_once(run, loop, Trial(run.builder, trip, loop.trips.count, Position.MIDDLE), states)
    if not first.trial.asked and not middle.trial.asked:
        return Trips(first, middle, middle)
    return Trips(first, middle, read_once(run, loop, Trial(run.builder, trip, loop.trips.count, Position.LAST), states))


class _Cut(NamedTuple):
    """What a trip cuts from an axis: `start:stop` of so many places."""

    start: Dim
    stop: Dim
    length: Dim


def _cuts(run: Run, trace: Trace) -> Iterator[_Cut]:
    shapes = {step.target: step.shape for step in trace.steps}
    for step in trace.steps:
        for axis, start, stop in cuts(step):
            known = shapes.get(step.tensors[0]) or run.builder.value_of(step.tensors[0]).shape
            yield _Cut(start, stop, known[axis])


def _shorter(run: Run, reading: Reading) -> Dim | None:
    """The bound `N` of a `min(stop, N)` that is not the extent of what is cut at `stop`: the cut alone does not end there."""
    for cut in _cuts(run, reading.trace):
        for chosen, other in reading.trial.bounds:
            if chosen == cut.stop and other != cut.length:
                return other
    return None


def _ragged(run: Run, loop: Loop, trace: Trace, trip: str) -> set[Dim]:
    """Extents of tiles of which the last one is shorter, as far as extents or the first p0 case say so."""
    found: set[Dim] = set()
    for cut in _cuts(run, trace):
        form, size = cut.start.affine(trip), cut.stop - cut.start
        if form is not None and form[0] == size:
            covered = size * loop.trips.count + form[1]
            numbers = run.builder.known(covered), run.builder.known(cut.length)
            if covered != cut.length and (None in numbers or numbers[0] != numbers[1]):
                found.add(size)
    return found


def _hidden(run: Run, loop: Loop, trace: Trace, message: str, hint: str) -> Trace:
    """The trace with what it leaves opaque, for other trips leave something else."""
    run.note(loop.node, "golden.unsupported", message, hint)
    steps, span = list(trace.steps), run.source.span(loop.node)

    def hide(value: Value) -> Value:
        if not isinstance(value, TensorValue):
            return value
        target = f"%hidden{len(steps)}"
        steps.append(_opaque(target, (Ref(value.ref),), value, span, ""))
        return replace(value, ref=target)

    slots = [replace(slot, after=hide(slot.after)) for slot in trace.slots]
    appended = [(target, [hide(item) for item in items]) for target, items in trace.appended]
    return replace(trace, steps=steps, slots=slots, appended=appended)


def _opaque(target: str, operands: tuple[Operand, ...], like: TensorValue | Step, span: Span, name: str) -> Step:
    return Step(target, "opaque", operands, like.shape, like.dtype, *KINDS["opaque"], span, name=name)


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


def _emit(run: Run, loop: Loop, trace: Trace, trip: str, ragged: Set[Dim]) -> None:
    """ragged: extents that the last trip's tile may not have, so that what trips append are no items of one tensor."""
    builder = run.builder
    run.regions += 1
    inside = {step.target: f"{run.regions}:{step.target}" for step in trace.steps}
    inside |= {slot.before.ref: f"{run.regions}:{slot.before.ref}" for slot in trace.slots if slot.before is not None}
    inside |= {before.ref: initial.ref for before, initial in _staying(trace)}
    kept = [slot for slot in trace.slots if isinstance(slot.after, TensorValue)]
    items = [item for _, appended in trace.appended for item in appended if isinstance(item, TensorValue)]
    results = [slot.after for slot in kept if isinstance(slot.after, TensorValue)] + items
    if not results:
        return
    body = _body(run, loop, trace, inside)
    with builder.at(run.source.span(loop.node), run.source.written(loop.node)):
        refs = tuple(Ref(inside.get(value.ref, value.ref)) for value in results)
        operands = [builder.value_of(name) for name in outside(body, refs)]
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
        _fill_lists(run, loop, trace, region, len(kept), ragged)


def _body(run: Run, loop: Loop, trace: Trace, inside: Mapping[str, str]) -> tuple[Step, ...]:
    """The Steps of a trip under their names there, with Steps before them for what the trip finds of values."""
    read = {name for step in trace.steps for name in step.tensors}
    left = [*(slot.after for slot in trace.slots), *(item for _, items in trace.appended for item in items)]
    read |= {tensor.ref for value in left for tensor in tensors_in(value)}
    changed = {slot.before.ref: slot for slot in trace.slots if slot.before is not None}
    states = [_state(run, loop, slot, inside) for ref, slot in changed.items() if ref in read]
    known = {*changed, *(before.ref for before, _ in _staying(trace))}
    lost = [step for step in trace.steps if step.op == "carried" and step.target in read - known]
    states += [_unknown(run, loop, inside[step.target], (), step, step.name) for step in lost]
    rest = [step for step in trace.steps if step.op != "carried"]
    return (*states, *(replace(renamed(step, inside), target=inside[step.target]) for step in rest))


def _staying(trace: Trace) -> Iterator[tuple[TensorValue, TensorValue]]:
    """What stands in the body for tensors that the trips find and leave as they are, and those tensors."""
    for slot in trace.kept:
        if slot.before is not None and isinstance(slot.initial, TensorValue):
            yield slot.before, slot.initial


def _state(run: Run, loop: Loop, slot: Slot, inside: Mapping[str, str]) -> Step:
    """`carried(initial, after)`: what a trip finds is `initial` in the first one, `after` of the one before later.

    Where either is no tensor, what a trip finds cannot be read.
    """
    before, after = slot.before, slot.after
    assert before is not None
    head, name = inside[before.ref], str(slot.key if isinstance(slot.key, str) and slot.container is not None else "")
    initial = tuple([Ref(slot.initial.ref)] if isinstance(slot.initial, TensorValue) else [])
    if not isinstance(after, TensorValue) or not initial:
        return _unknown(run, loop, head, initial, before, name)
    operands = (*initial, Ref(inside.get(after.ref, after.ref)))
    span = run.source.span(loop.node)
    return Step(head, "carried", operands, before.shape, before.dtype, *KINDS["carried"], span, name=name)


def _unknown(run: Run, loop: Loop, target: str, initial: tuple[Ref, ...], like: TensorValue | Step, name: str) -> Step:
    """An opaque Step for what a trip finds, with a finding that says so."""
    what = f"`{name}`" if name else "what trips hand on"
    why = "is no tensor after some trip" if initial else "is no tensor before the loop"
    run.note(
        loop.node,
        "golden.unsupported",
        f"{what} {why}; what its trips find there is opaque",
        "let the same names hold tensors before the loop and after each trip",
    )
    return _opaque(target, initial, like, run.source.span(loop.node), name)


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


def _fill_lists(run: Run, loop: Loop, trace: Trace, region: TensorValue, number: int, ragged: Set[Dim]) -> None:
    """What every trip appends, side by side; `number` counts the region's results."""
    for target, appended in trace.appended:
        for item in appended:
            whole: Value = UnknownValue("what each trip appends is not known")
            if isinstance(item, TensorValue) and ragged & set(item.shape):
                message = "the last of its tiles may be shorter, so that the items of the list differ"
                run.note(loop.node, "golden.unsupported", message, "store each tile into its part of a tensor")
                number += 1
            elif isinstance(item, TensorValue):
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
