"""Whether two readings of a loop body say that the two trips do the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from r0kit.golden.builder import NOWHERE
from r0kit.golden.lift.trace import Trace
from r0kit.golden.program import Step
from r0kit.golden.rename import named
from r0kit.golden.values import DictValue, SequenceValue, TensorValue, Value


def alike(one: Trace, other: Trace) -> bool:
    """Whether both have the same Steps, and leave the same in the same places; what they are called does not count."""
    return _form(one) == _form(other)


def _form(trace: Trace) -> tuple[Any, ...]:
    """The Steps, what is left where, and what is appended, under names that any reading would give."""
    names = {slot.before.ref: f"before {slot.key}" for slot in (*trace.slots, *trace.kept) if slot.before is not None}
    steps = [step for step in trace.steps if step.op != "carried"]
    names |= {step.target: str(number) for number, step in enumerate(_every(steps))}
    left = {str(slot.key): _left(slot.after, names) for slot in trace.slots}
    appended = [[_left(item, names) for item in items] for _, items in trace.appended]
    return [_bare(named(step, names)) for step in steps], left, appended


def _every(steps: Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from _every(step.body)


def _bare(step: Step) -> Step:
    """The Step without what only says where it stands."""
    return replace(step, span=NOWHERE, text="", name="", origin="", body=tuple(map(_bare, step.body)))


def _left(value: Value, names: Mapping[str, str]) -> Any:
    if isinstance(value, TensorValue):
        return names.get(value.ref, value.ref), value.shape, value.dtype
    if isinstance(value, SequenceValue):
        return [_left(item, names) for item in value.items]
    if isinstance(value, DictValue):
        return {key: _left(item, names) for key, item in value.items.items()}
    return value
