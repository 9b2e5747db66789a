"""The forms of one SPEC into one Spec: an earlier form decides, a later one fills in, and contradictions are findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from r0kit.finding import Finding, Severity
from r0kit.spec.model import Place, Spec, TensorSpec, Tolerance
from r0kit.spec.node import Key, location, place_of


@dataclass(frozen=True, slots=True)
class Form:
    """What one form of the SPEC says, what people call it, and where its items stand."""

    title: str
    spec: Spec
    places: Mapping[Key, Place]


def merge(first: Form, second: Form) -> tuple[Form, tuple[Finding, ...]]:
    """`first` with what only `second` says."""
    taken = [name for name in _names() if not getattr(first.spec, name) and getattr(second.spec, name)]
    spec = replace(first.spec, **{name: getattr(second.spec, name) for name in taken})
    spec = replace(
        spec,
        tolerance=_tolerance(first.spec.tolerance, second.spec.tolerance),
        inputs=tuple(_completed(tensor, second.spec.input(tensor.name)) for tensor in spec.inputs),
        outputs=tuple(_completed(tensor, second.spec.output(tensor.name)) for tensor in spec.outputs),
    )
    moved = {key: place for key, place in second.places.items() if key and key[0] in taken}
    places = {key: place for key, place in first.places.items() if not key or key[0] not in taken}
    return Form(first.title, spec, {**places, **moved}), tuple(_conflicts(first, second))


def _names() -> list[str]:
    return [field.name for field in fields(Spec) if field.name not in ("path", "tolerance")]


def _tolerance(first: Tolerance, second: Tolerance) -> Tolerance:
    """A policy is a whole: bounds of a later form do not mix with it, nor a later policy with bounds."""
    if first.policy or (first.atol is not None and first.rtol is not None):
        return first
    if first.atol is None and first.rtol is None:
        return second
    atol = second.atol if first.atol is None else first.atol
    return replace(first, atol=atol, rtol=second.rtol if first.rtol is None else first.rtol)


def _completed(tensor: TensorSpec, other: TensorSpec | None) -> TensorSpec:
    if other is None:
        return tensor
    shape = other.shape if tensor.shape is None and not tensor.any_rank else tensor.shape
    return replace(
        tensor, shape=shape, dtype=tensor.dtype or other.dtype, value_range=tensor.value_range or other.value_range
    )


def _conflicts(first: Form, second: Form) -> Iterator[Finding]:
    for what, ours, theirs, key in _stated(first.spec, second.spec):
        if ours != theirs and not (ours != ours and theirs != theirs):  # NaN is NaN
            place = place_of(second.places, key)
            message = (
                f"{what} is {_shown(theirs)} in the {second.title}, "
                f"but {_shown(ours)} in the {first.title} (line {place_of(first.places, key).line})"
            )
            hint = f"the {first.title} counts; make both say the same, or keep one"
            yield Finding("spec.conflict", Severity.WARNING, message, location(second.spec.path, place), hint)


def _stated(a: Spec, b: Spec) -> Iterator[tuple[str, Any, Any, Key]]:
    """(what, in a, in b, key) of everything that both state."""
    for key, name in (("op_name", "op_name"), ("supported_dtypes", "supported_dtypes")):
        if getattr(a, name) and getattr(b, name):
            yield name, _unordered(getattr(a, name)), _unordered(getattr(b, name)), (key,)
    for key in ("atol", "rtol"):
        ours, theirs = getattr(a.tolerance, key), getattr(b.tolerance, key)
        if ours is not None and theirs is not None:
            yield key, ours, theirs, (key,)
    for what in ("default_params", "dynamic_axes_ranges"):
        ours, theirs = getattr(a, what), getattr(b, what)
        for name in ours:
            if name in theirs:
                yield f"{what}.{name}", ours[name], theirs[name], (what, name)
    yield from _tensors("inputs", a.inputs, b.inputs)
    yield from _tensors("outputs", a.outputs, b.outputs)


def _tensors(
    what: str, ours: tuple[TensorSpec, ...], theirs: tuple[TensorSpec, ...]
) -> Iterator[tuple[str, Any, Any, Key]]:
    known = {tensor.name: tensor for tensor in ours}
    if ours and theirs and not {tensor.name for tensor in theirs} <= set(known):
        yield what, tuple(known), tuple(tensor.name for tensor in theirs), (what,)
    for index, other in enumerate(theirs):
        tensor = known.get(other.name, other)
        if tensor.shape is not None and other.shape is not None:
            yield f"the shape of {other.name}", tensor.shape, other.shape, (what, index)
        if tensor.dtype and other.dtype:
            yield f"the dtype of {other.name}", tensor.dtype, other.dtype, (what, index)


def _unordered(value: Any) -> Any:
    return tuple(sorted(value)) if isinstance(value, tuple) else value


def _shown(value: Any) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, tuple) else repr(value)
