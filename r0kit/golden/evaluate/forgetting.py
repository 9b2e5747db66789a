"""What is not known behind a loop that changes it in some trips only, or behind a statement that cannot be read."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from r0kit.finding import Severity
from r0kit.golden.evaluate import names
from r0kit.golden.evaluate.flow import Flow, Returned
from r0kit.golden.evaluate.module import bound_names, changed_names
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.evaluate.trace import Loop
from r0kit.golden.lift.trace import Slot, Trace
from r0kit.golden.values import DictValue, SequenceValue, TensorValue, UnknownValue


def missed(shown: Trace, others: Iterable[Trace]) -> list[Slot]:
    """Places that trips change, but not the one that stands for all of them."""
    said = {slot.place for slot in shown.slots}
    return list({slot.place: slot for trace in others for slot in trace.slots if slot.place not in said}.values())


def unread(run: Run, statement: ast.stmt, scope: Scope, reason: str) -> Flow | None:
    """Behind a statement that is not read, what it sets is not known, nor what it may change in place."""
    for name in changed_names(statement):
        home = scope.find(name)
        value = home.names[name] if home is not None else None
        if isinstance(value, TensorValue):
            with run.builder.at(run.source.span(statement), run.source.written(statement)):
                run.storage.hide(run.storage.latest(value))
        elif isinstance(value, SequenceValue | DictValue):
            names.assign(run, name, UnknownValue(reason), scope)
    for name in bound_names(statement):
        names.assign(run, name, UnknownValue(reason), scope)
    inside = ast.walk(statement) if isinstance(statement, ast.For | ast.While | ast.With | ast.Try) else ()
    return Returned(UnknownValue(reason)) if any(isinstance(inner, ast.Return) for inner in inside) else None


def forget(run: Run, loop: Loop, slots: Iterable[Slot], severity: Severity = Severity.WARNING) -> None:
    """Let these places be unknown; a tensor that some trips store into gets a finding of its own.

    severity: a note where the loop itself is read, and such a tensor as a rule is of no use behind it.
    """
    for slot in slots:
        if slot.container is not None:
            reason = f"`{slot.key}` is what some trips leave"
            run.journal.put(slot.container, slot.key, UnknownValue(reason))
        elif slot.before is not None:
            _forget_tensor(run, loop, run.storage.latest(slot.before), severity)


def _forget_tensor(run: Run, loop: Loop, old: TensorValue, severity: Severity) -> None:
    known = [
        name
        for name, value in loop.scope.names.items()
        if isinstance(value, TensorValue) and run.storage.latest(value).ref == old.ref
    ]
    for name in known:
        run.journal.put(loop.scope.names, name, UnknownValue(f"`{name}` is what some trips leave"))
    with run.builder.at(run.source.span(loop.node), run.source.written(loop.node)):
        run.storage.hide(old)
    what = f"`{known[0]}`" if known else "a tensor"
    message = f"{what} is stored into in some trips of the loop only; its value behind the loop is opaque"
    hint = "store in every trip, and choose what with torch.where"
    run.note(loop.node, "golden.unsupported", message, hint, severity)
