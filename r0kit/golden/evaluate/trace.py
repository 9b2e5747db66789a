"""One reading of a loop body with a symbolic trip: its Steps, and what it leaves behind for the next trip."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from r0kit.finding import Finding, Severity
from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim
from r0kit.golden.evaluate.flow import Continue, Flow
from r0kit.golden.evaluate.outcome import Outcome, collect
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import ABSENT, Scope
from r0kit.golden.evaluate.trial import Trial
from r0kit.golden.lift.trace import Slot, Trace
from r0kit.golden.program import RuntimeSymbol
from r0kit.golden.scalars import Extent
from r0kit.golden.values import SequenceValue, TensorValue, TripsValue, Value

FILLS_WHAT_IT_READS = "a trip reads the list that trips fill"


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop to be read: where it stands, what it iterates over, and its body as a function of the scope.

    bound: names that the body binds, without those of the target.
    """

    node: ast.AST
    target: ast.expr | None
    trips: TripsValue
    scope: Scope
    body: Callable[[Scope], Flow | None]
    bound: tuple[str, ...]

    @property
    def name(self) -> str:
        """What the golden calls the number or item of a trip."""
        return self.target.id if isinstance(self.target, ast.Name) else "trip"

    @property
    def targets(self) -> list[str]:
        """Names that hold the item of a trip."""
        return [] if self.target is None else [n.id for n in ast.walk(self.target) if isinstance(n, ast.Name)]


@dataclass(frozen=True, slots=True)
class Reading:
    """A Trace with what reading it noted: findings and symbols that are lost unless someone keeps them."""

    trace: Trace
    trial: Trial
    findings: tuple[Finding, ...]
    symbols: tuple[RuntimeSymbol, ...]


def settle(run: Run, loop: Loop) -> None:
    """Let the names that the body binds hold what their tensors hold now: views changed before the loop are read there.

    Inside of a reading their Steps would be forgotten with it, while what the first trip finds still names them.
    """
    for name in loop.bound:
        names = loop.scope.home(name).names
        if name in names and names is not run.module.scope.names:
            run.journal.put(names, name, run.storage.renew(names[name]))


def read_once(run: Run, loop: Loop, trial: Trial, states: Mapping[str, Value] | None = None) -> Reading:
    """The body read for one trip; nothing stays changed. states: what names hold when the trip begins, else as they are."""
    builder = run.builder
    mark = builder.mark()
    run.trials.append(trial)
    if trial.tile_symbol and trial.tile is not None:
        builder.case[trial.tile_symbol] = builder.known(trial.tile) or 8
    try:
        with run.journal.trial() as start:
            stand_ins = _stand_ins(run, loop, states or {})
            flow = _one_trip(run, loop, trial)
            trace = Trace([])
            outcome = Outcome(flow)
            collect(run, outcome, run.journal.changes[start:], mark.lengths[0])
            problem = _fill(run, trace, outcome, stand_ins, loop.targets)
            trace.steps = list(builder.steps[mark.lengths[0] :])  # what changed views show now took Steps of its own
            trace.constraints = builder.constraints[mark.lengths[2] :]
            trace.exact = builder.exact[mark.lengths[4] :]
            findings, symbols = builder.findings[mark.lengths[1] :], builder.symbols[mark.lengths[3] :]
            run.journal.undo(start)
    finally:
        run.trials.pop()
        builder.case.pop(trial.tile_symbol, None)
        builder.rewind(mark)
    trace.obstacle = trace.obstacle or problem or _obstacle(flow, findings, symbols)
    if any(id(target) in trial.looked for target, _ in trace.appended):
        trace.obstacle = FILLS_WHAT_IT_READS
    return Reading(trace, trial, tuple(findings), tuple(symbols))


def _one_trip(run: Run, loop: Loop, trial: Trial) -> Flow | None:
    if loop.target is not None:
        with run.builder.at(run.source.span(loop.target), run.source.written(loop.target)):
            try:
                item = _strided(loop.trips, trial).item(Extent(Dim.of(trial.trip)))
            except OperationError as error:
                item = run.unsupported(loop.target, error.message, error.hint)
        run.assign(loop.target, item, loop.scope)
    return loop.body(loop.scope)


def _strided(trips: TripsValue, trial: Trial) -> TripsValue:
    """The items with the tile's symbol for their extent."""
    if trips.restride is None or trial.tile is None or trips.stride != trial.tile:
        return trips
    return trips.restride(Dim.of(trial.tile_symbol))


def _obstacle(flow: Flow | None, findings: Iterable[Finding], symbols: Iterable[RuntimeSymbol]) -> str:
    if flow is not None and not isinstance(flow, Continue):
        return "a trip may leave the loop"
    for symbol in symbols:
        return f"the extent {symbol.name} inside of it is known only at run time"
    serious = [finding.message for finding in findings if finding.severity is not Severity.NOTE]
    return serious[0] if serious else ""


# What trips hand on


@dataclass(frozen=True, slots=True)
class _StandIn:
    initial: Value | None
    before: Value


Place = tuple[int, Any]


def _stand_ins(run: Run, loop: Loop, states: Mapping[str, Value]) -> dict[Place, _StandIn]:
    """Names that the body binds anew and that exist before the trip, with stand-ins for what they hold."""
    found: dict[Place, _StandIn] = {}
    for name in loop.bound:
        names = loop.scope.home(name).names
        initial = names.get(name)
        if names is run.module.scope.names or (initial is None and name not in states):
            continue
        kept = run.storage.renew(initial) if initial is not None else None
        before = _stand_in(run, name, states.get(name, kept))
        run.journal.put(names, name, before)
        found[id(names), name] = _StandIn(kept, before)
    return found


def _stand_in(run: Run, name: str, value: Value | None) -> Value:
    """A value like `value` of which only shape, dtype or structure is known."""
    if isinstance(value, TensorValue):
        stand_in = run.builder.emit("carried", [], value.shape, value.dtype)
        run.builder.bind(stand_in, name)
        return stand_in
    if isinstance(value, SequenceValue) and any(isinstance(item, TensorValue) for item in value.items):
        return SequenceValue([_stand_in(run, name, item) for item in value.items], value.is_list)
    assert value is not None
    return value


def _fill(
    run: Run, trace: Trace, outcome: Outcome, stand_ins: Mapping[Place, _StandIn], targets: Collection[str]
) -> str:
    """The slots and lists of a trace; what it changes that cannot be followed, or ""."""
    problem = ""
    for place, value in outcome.entries.items():
        container = outcome.containers[place]
        if container is run.module.scope.names or place[1] in targets:
            continue
        stand_in = stand_ins.get(place)
        if stand_in is None and outcome.before[place] is not ABSENT:
            problem = f"it changes `{place[1]}`, which a dictionary or another function holds"
        elif value is ABSENT:
            problem = f"it deletes `{place[1]}`"
        else:
            _add_slot(trace, container, place[1], stand_in, run.storage.renew(value))
    for ref, tensor in outcome.tensors.items():
        before = run.builder.value_of(ref)
        trace.slots.append(Slot(None, ref, before, before, tensor))
    for place, items in outcome.lists.items():
        old: list[Value] = outcome.before[place]
        if len(items) > len(old) and all(a is b for a, b in zip(items, old, strict=False)):
            trace.appended.append((outcome.containers[place], [run.storage.renew(item) for item in items[len(old) :]]))
        elif items != old:
            problem = "it changes items of a list that exists before the loop"
    return problem


def _add_slot(trace: Trace, container: Any, name: Any, stand_in: _StandIn | None, after: Value) -> None:
    if stand_in is None:
        trace.slots.append(Slot(container, name, None, None, after))
        return
    if isinstance(stand_in.before, SequenceValue):
        _add_parts(trace, stand_in, after)
    before = stand_in.before if isinstance(stand_in.before, TensorValue) else None
    slots = trace.kept if after is stand_in.before else trace.slots
    slots.append(Slot(container, name, before, stand_in.initial, after))


def _add_parts(trace: Trace, stand_in: _StandIn, after: Value) -> None:
    """One slot for each tensor of a tuple that trips hand on; the tuple itself is put together again from them."""
    parts: dict[int, Value] = {}
    before, initial = stand_in.before, stand_in.initial
    assert isinstance(before, SequenceValue)
    left = after.items if isinstance(after, SequenceValue) and len(after.items) == len(before.items) else []
    first = initial.items if isinstance(initial, SequenceValue) and len(initial.items) == len(before.items) else []
    for place, item in enumerate(before.items):
        now = left[place] if left else None
        if not isinstance(item, TensorValue):
            continue
        if isinstance(now, TensorValue):
            slots = trace.kept if now is item else trace.slots
            slots.append(Slot(parts, place, item, first[place] if first else None, now))
        else:
            trace.obstacle = "a tuple that trips hand on changes its structure"
