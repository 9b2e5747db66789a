"""What a loop changes in some of its trips only, and what therefore is not known behind it."""

from __future__ import annotations

from collections.abc import Iterable

from r0kit.finding import Severity
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.trace import Loop
from r0kit.golden.lift.trace import Slot, Trace
from r0kit.golden.values import TensorValue, UnknownValue


def missed(shown: Trace, others: Iterable[Trace]) -> list[Slot]:
    """Places that trips change, but not the one that stands for all of them."""
    said = {slot.place for slot in shown.slots}
    return list({slot.place: slot for trace in others for slot in trace.slots if slot.place not in said}.values())


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
    names = [
        name
        for name, value in loop.scope.names.items()
        if isinstance(value, TensorValue) and run.storage.latest(value).ref == old.ref
    ]
    for name in names:
        run.journal.put(loop.scope.names, name, UnknownValue(f"`{name}` is what some trips leave"))
    with run.builder.at(run.source.span(loop.node), run.source.written(loop.node)):
        run.storage.hide(old)
    what = f"`{names[0]}`" if names else "a tensor"
    message = f"{what} is stored into in some trips of the loop only; its value behind the loop is opaque"
    hint = "store in every trip, and choose what with torch.where"
    run.note(loop.node, "golden.unsupported", message, hint, severity)
