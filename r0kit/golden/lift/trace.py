"""What reading a loop body once has found: the Steps of one trip, and what trips hand on to each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from r0kit.golden.attributes import Part, Point, mapped
from r0kit.golden.dims import Dim
from r0kit.golden.program import Constraint, Ref, Step
from r0kit.golden.scalars import substituted
from r0kit.golden.values import ScalarValue, SequenceValue, TensorValue, Value


@dataclass(slots=True)
class Slot:
    """A place that a trip changes: a name, or a tensor that changes in place (`container` None, `key` its ref).

    before: what stands in the body for the tensor that a trip finds there, None where it is no tensor; initial: what the
    first trip finds; after: what a trip leaves.
    """

    container: Any
    key: Any
    before: TensorValue | None
    initial: Value | None
    after: Value

    @property
    def place(self) -> tuple[int, Any]:
        return id(self.container), self.key


@dataclass(slots=True)
class Trace:
    """steps: of one trip; slots: places that it changes; kept: those that other trips change, but this one does not.

    appended: (list, new items) for lists that exist before.

    constraints, exact: what the Steps require of extents. obstacle: why the trips cannot be joined, "" where nothing
    stands against it.
    """

    steps: list[Step]
    slots: list[Slot] = field(default_factory=list)
    kept: list[Slot] = field(default_factory=list)
    appended: list[tuple[list[Value], list[Value]]] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
    exact: list[tuple[Dim, Dim]] = field(default_factory=list)
    obstacle: str = ""

    def substituted(self, known: Mapping[str, Dim]) -> Trace:
        """The same with symbols replaced in every extent."""
        steps = [_step_with(step, known) for step in self.steps]
        slots = [replace(slot, after=_value_with(slot.after, known)) for slot in self.slots]
        appended = [(target, [_value_with(item, known) for item in items]) for target, items in self.appended]
        return replace(self, steps=steps, slots=slots, appended=appended)

    def handed_on(self, symbols: frozenset[str]) -> list[Slot]:
        """Slots whose tensor a later trip reads, other than at a place of its own; `symbols` tell trips apart."""
        return [slot for slot in self.slots if slot.before is not None and self._reads(slot, symbols)]

    def _reads(self, slot: Slot, symbols: frozenset[str]) -> bool:
        assert slot.before is not None
        chain, places, read = {slot.before.ref}, set[tuple[Any, ...]](), False
        for step in self.steps:
            touched = chain & set(step.tensors)
            if not touched:
                continue
            place = _own_place(step) if step.tensors[0] in chain and not chain & set(step.tensors[1:]) else None
            if place is None:
                return True
            places.add(place)
            if step.op == "slice_store":
                chain.add(step.target)
            else:
                read = True
        others = [other for other in self.slots if other is not slot and other.before is not slot.before]
        elsewhere = any(tensor.ref in chain for other in others for tensor in tensors_in(other.after))
        own = all(any(bound.symbols & symbols for bound in place[1:]) for place in places)
        return elsewhere or (read and not (own and len(places) == 1))


def _own_place(step: Step) -> tuple[Any, ...] | None:
    """Axis and bounds of the one place that a store, a slice or a selection touches in a trip; None for other Steps."""
    if step.op == "slice_store":
        return next(((axis, *part[:2]) for axis, part in enumerate(step.attrs["region"]) if _moves(part)), ())
    if step.op == "slice" and step.attrs["start"].symbols:
        return step.attrs["axis"], step.attrs["start"], step.attrs["stop"]
    return (step.attrs["axis"], step.attrs["index"]) if step.op == "select" else None


def _moves(part: Part) -> bool:
    """Whether a part of a region is less than an axis that is taken whole in every trip."""
    return isinstance(part, Point) or bool(part.start.terms)


def _step_with(step: Step, known: Mapping[str, Dim]) -> Step:
    attrs = {name: _dims_with(value, known) for name, value in step.attrs.items()}
    operands = tuple(o if isinstance(o, Ref) else substituted(o, known) for o in step.operands)
    return replace(step, shape=_dims_with(step.shape, known), attrs=attrs, operands=operands)


def _dims_with(value: Any, known: Mapping[str, Dim]) -> Any:
    return mapped(value, lambda item: item.substitute(known) if isinstance(item, Dim) else item)


def _value_with(value: Value, known: Mapping[str, Dim]) -> Value:
    if isinstance(value, TensorValue):
        return replace(value, shape=_dims_with(value.shape, known))
    if isinstance(value, ScalarValue):
        return replace(value, scalar=substituted(value.scalar, known))
    if isinstance(value, SequenceValue):
        return SequenceValue([_value_with(item, known) for item in value.items], value.is_list)
    return value


def tensors_in(value: Value) -> Iterator[TensorValue]:
    """Tensors of a value, those in sequences included."""
    if isinstance(value, TensorValue):
        yield value
    elif isinstance(value, SequenceValue):
        for item in value.items:
            yield from tensors_in(item)
