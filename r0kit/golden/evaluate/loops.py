"""Loops: spelled out trip by trip, joined into one computation, or kept as a region (design.md section 7)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from r0kit.golden.builder import OperationError
from r0kit.golden.evaluate import beginnings, conditions, containers, forgetting, lifting, names, region, trips
from r0kit.golden.evaluate.flow import Break, Continue, Flow, MaybeBreak, Raised, Returned
from r0kit.golden.evaluate.module import bound_names
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.evaluate.stretches import has_pieces
from r0kit.golden.evaluate.trace import Loop, settle
from r0kit.golden.scalars import Constant, Extent
from r0kit.golden.values import SequenceValue, TensorValue, TripsValue, UnknownValue, Value

MOST_TRIPS = 64  # of a loop that is spelled out


def run_for(run: Run, node: ast.For, scope: Scope) -> Flow | None:
    """`for target in iterable: body`."""
    iterable = run.value(node.iter, scope)
    if isinstance(iterable, UnknownValue):
        raise OperationError(f"what the loop iterates over is not known: {iterable.reason}")
    loop = _loop(run, node, iterable, scope)
    reason = "it has too many trips to be spelled out"
    if loop is not None:
        settle(run, loop)
    if loop is not None and _joinable(node, loop):
        reason = lifting.lift(run, loop)
        if not reason:
            _after(run, loop)
            return run.block(node.orelse, scope)
    if _is_short(run, iterable):
        return _spelled_out(run, node, containers.items_of(run, iterable) or [], scope)
    if loop is None:
        raise OperationError("a loop over something whose items r0kit cannot tell apart")
    flow = _kept(run, node, loop, reason)
    if isinstance(flow, Returned | Raised):
        return flow
    _after(run, loop)
    return None if isinstance(flow, Break) else run.block(node.orelse, scope)


def _kept(run: Run, node: ast.For, loop: Loop, reason: str, apart: int = 0) -> Flow | None:
    """Emit the loop as a region; as one computation after all, once its first and last trips are read by themselves.

    apart: how many trips are already.
    """
    with run.loop_symbols(loop.name) as (trip,):
        readings = region.read(run, loop, trip)
        numbers = beginnings.numbers_as_tensors(run, loop, readings.first, trip)
        first, rest = beginnings.apart(run, loop, readings, apart)
        if not numbers and not first and rest is None:
            region.keep_as_read(run, loop, reason, readings, trip)
            return None
    if numbers:
        again = lifting.lift(run, loop)
        return _kept(run, node, loop, again, apart) if again else None
    if first:
        return _first_apart(run, node, loop, apart)
    assert rest is not None
    return _last_apart(run, node, loop, rest, apart)


def _first_apart(run: Run, node: ast.For, loop: Loop, apart: int) -> Flow | None:
    flow, rest = beginnings.first_trip(run, loop)
    if isinstance(flow, MaybeBreak):
        return _leave_unsure(run, node, loop.scope)
    if flow is not None and not isinstance(flow, Continue):
        return flow
    again = lifting.lift(run, rest)
    return _kept(run, node, rest, again, apart + 1) if again else None


def _last_apart(run: Run, node: ast.For, loop: Loop, rest: Loop, apart: int) -> Flow | None:
    again = lifting.lift(run, rest)
    flow = _kept(run, node, rest, again, apart + 1) if again else None
    if flow is not None and not isinstance(flow, Continue):
        return flow
    flow = beginnings.last_trip(run, loop)
    if isinstance(flow, MaybeBreak):
        return _leave_unsure(run, node, loop.scope)
    return None if isinstance(flow, Continue) else flow


def _after(run: Run, loop: Loop) -> None:
    """What the loop's own names hold after it."""
    for name in loop.targets:
        names.assign(run, name, UnknownValue(f"`{name}` is what the last trip leaves"), loop.scope)
    runs = run.builder.known(loop.trips.count) != 0  # else the name keeps what it holds, for these extents alone
    if runs and loop.trips.stride is not None and isinstance(loop.target, ast.Name):
        last = Extent(loop.trips.count - 1) if loop.trips.count.const is None else Constant(loop.trips.count.const - 1)
        with run.builder.at(run.source.span(loop.target), loop.target.id):
            run.assign(loop.target, loop.trips.item(last), loop.scope)


def _is_short(run: Run, iterable: Value) -> bool:
    """Whether a loop over it may be spelled out."""
    if isinstance(iterable, TripsValue):
        return iterable.count.const is not None and iterable.count.const <= MOST_TRIPS
    if isinstance(iterable, TensorValue):
        return bool(iterable.shape) and (iterable.shape[0].const or MOST_TRIPS + 1) <= MOST_TRIPS
    return containers.items_of(run, iterable) is not None


def _loop(run: Run, node: ast.For, iterable: Value, scope: Scope) -> Loop | None:
    """The loop with its items by formula; None where they have none."""
    if not isinstance(iterable, TripsValue | TensorValue) and not has_pieces(iterable):
        return None
    bound = [name for statement in node.body for name in bound_names(statement)]
    loop = Loop(node, node.target, trips.of_value(run, iterable), scope, lambda inner: run.block(node.body, inner), ())
    return replace(loop, bound=tuple(name for name in dict.fromkeys(bound) if name not in loop.targets))


def _joinable(node: ast.For, loop: Loop) -> bool:
    """Whether joining the trips can make sense: there are several, and they differ."""
    if loop.trips.count.const is not None and loop.trips.count.const < 2:
        return False
    read = (inner for statement in node.body for inner in ast.walk(statement) if isinstance(inner, ast.Name))
    return any(inner.id in loop.targets for inner in read)


def _spelled_out(run: Run, node: ast.For, items: Sequence[Value], scope: Scope) -> Flow | None:
    for item in items:
        run.assign(node.target, item, scope)
        flow = run.block(node.body, scope)
        if isinstance(flow, Break):
            return None
        if isinstance(flow, MaybeBreak):
            return _leave_unsure(run, node, scope)
        if isinstance(flow, Returned | Raised):
            return flow
    return run.block(node.orelse, scope)


def _leave_unsure(run: Run, node: ast.For | ast.While, scope: Scope) -> Flow | None:
    message = "data decide after which trip the loop ends; what later trips do is not read"
    run.note(node, "golden.data-dependent-loop", message, "run all trips and choose with torch.where")
    return forgetting.unread(run, node, scope, message)


def run_while(run: Run, node: ast.While, scope: Scope) -> Flow | None:
    """Trip by trip as long as the condition is known; a region where only data can tell."""
    for _ in range(MOST_TRIPS):
        known = conditions.truth_of(run, node.test, scope)
        if known is False:
            return run.block(node.orelse, scope)
        if known is None:
            return _open_while(run, node, scope, "data decide how often it runs")
        flow = run.block(node.body, scope)
        if isinstance(flow, Break):
            return None
        if isinstance(flow, MaybeBreak):
            return _leave_unsure(run, node, scope)
        if isinstance(flow, Returned | Raised):
            return flow
    return _open_while(run, node, scope, f"it runs more than {MOST_TRIPS} times")


def _open_while(run: Run, node: ast.While, scope: Scope, reason: str) -> Flow | None:
    with run.builder.at(run.source.span(node.test), run.source.written(node.test)):
        count = run.builder.fresh("trips", run.source.written(node.test), unread=True)
    endless = TripsValue(count, lambda place: UnknownValue("a `while` loop has no items"))
    bound = tuple(dict.fromkeys(name for statement in node.body for name in bound_names(statement)))
    loop = Loop(node, None, endless, scope, lambda inner: run.block(node.body, inner), bound)
    settle(run, loop)
    with run.loop_symbols(loop.name) as (trip,):
        beginnings.numbers_as_tensors(run, loop, region.read(run, loop, trip).first, trip)
    region.keep(run, loop, reason)
    return None


def collect(run: Run, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, iterable: Value, scope: Scope) -> Value:
    """A comprehension over items known by formula: its items as one tensor."""
    generator = node.generators[0]
    result = SequenceValue([], is_list=True)
    inner = Scope(scope)

    def body(names: Scope) -> Flow | None:
        value = run.value(node.elt, names)
        run.journal.edit(result.items, lambda: result.items.append(value))
        return None

    loop = Loop(node, generator.target, trips.of_value(run, iterable), inner, body, ())
    reason = lifting.lift(run, loop)
    if reason:
        region.keep(run, loop, reason)
    return result
