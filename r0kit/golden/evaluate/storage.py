"""In-place changes over values that never change: which tensor a name means after `x[i] = v`, `x += y` or `x.add_(y)`.

A tensor's `ref` stands for its storage: two names with one ref are one tensor. A change makes a new Step and records
that it supersedes the old one; a view (`y = x[0]`) changes its base with it, and is read anew after its base changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from r0kit.golden import ops
from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim
from r0kit.golden.evaluate.leaves import leaves
from r0kit.golden.evaluate.scope import Journal
from r0kit.golden.program import Step
from r0kit.golden.values import SequenceValue, SliceValue, TensorValue, Value, extent


class Storage:
    """superseded: ref -> the value it has become; origins: ref -> (view Step, its base), None for no view at all,
    where the Step that computes it does not say that."""

    def __init__(self, builder: Builder, journal: Journal) -> None:
        self.builder, self.journal = builder, journal
        self.superseded: dict[str, TensorValue] = {}
        self.origins: dict[str, tuple[Step, TensorValue] | None] = {}

    def latest(self, value: TensorValue) -> TensorValue:
        """What the storage of `value` holds now."""
        if not self.superseded:
            return value
        value = self._newest(value)
        view = self._view(value.ref)
        if view is None:
            return value
        step, base = view
        now = self.latest(base)
        if now.ref == base.ref:
            return value
        fresh = self.builder.emit(step.op, [now], value.shape, value.dtype, **step.attrs)
        self._supersede(value, fresh)
        return fresh

    def _newest(self, value: TensorValue) -> TensorValue:
        """The end of the chain of changes; what stands before the last two links is led there directly."""
        passed: list[str] = []
        while (newer := self.superseded.get(value.ref)) is not None:
            passed.append(value.ref)
            value = newer
        for ref in passed[:-1]:
            self.journal.put(self.superseded, ref, value)
        return value

    def renew(self, value: Value) -> Value:
        """`latest` of a tensor or of every tensor in a sequence."""
        if isinstance(value, TensorValue):
            return self.latest(value)
        if isinstance(value, SequenceValue) and self.superseded and any(map(_is_tensor, leaves([value]))):
            return SequenceValue([self.renew(item) for item in value.items], value.is_list)
        return value

    def mutate(self, old: TensorValue, new: TensorValue) -> None:
        """`old` holds `new` from here on, and so does what it is a view of. OperationError where that cannot be said."""
        if old.ref == new.ref:
            return
        view = self._view(old.ref)
        if view is None:
            self._becomes(old, new, None)  # whatever Step made it, it is the storage now
            return
        step, base = view
        now = self.latest(base)
        changed = _written_back(self.builder, step, now, new)
        self.mutate(now, changed)
        self._becomes(old, new, (step, changed))

    def hide(self, value: TensorValue) -> None:
        """Nothing is known but the extents of `value`, nor of what it is a view of: a change of it could not be read."""
        value = self._newest(value)
        view = self._view(value.ref)
        if view is not None:
            self.hide(view[1])
        self._becomes(value, self.builder.emit("opaque", [value], value.shape, value.dtype), None)

    def _becomes(self, old: TensorValue, new: TensorValue, origin: tuple[Step, TensorValue] | None) -> None:
        self._supersede(old, new)
        self.journal.put(self.origins, new.ref, origin)

    def forget(self, refs: Iterable[str]) -> None:
        """Take back every change of these tensors."""
        for ref in refs:
            self.journal.drop(self.superseded, ref)

    def is_packed(self, value: TensorValue) -> bool:
        """Whether `.contiguous()` of it is the tensor itself."""
        step = self.builder.definition(value.ref)
        return step is None or step.op not in _SCATTERED

    def _supersede(self, old: TensorValue, new: TensorValue) -> None:
        self.journal.put(self.superseded, old.ref, new)

    def _view(self, ref: str) -> tuple[Step, TensorValue] | None:
        """The view Step that `ref` is, and its base."""
        if ref in self.origins:
            return self.origins[ref]
        step = self.builder.definition(ref)
        if step is None or step.op not in _WRITE_BACK:
            return None
        base = self.builder.value_of(step.tensors[0])
        before = self.builder.definition(base.ref)
        copies = step.op == "reshape" and before is not None and before.op in _SCATTERED
        return None if copies else (step, base)


def _is_tensor(value: Value) -> bool:
    return isinstance(value, TensorValue)


_SCATTERED = {"permute", "expand", "slice"}

_ALL = SliceValue(None, None, None)


def _at(step: Step, item: Value) -> list[Value]:
    return [*[_ALL] * step.attrs["axis"], item]


def _cut(step: Step) -> Value:
    start, stop, stride = (Dim.of(step.attrs[name]) for name in ("start", "stop", "step"))
    return SliceValue(extent(start), extent(stop), extent(stride))


def _through_select(builder: Builder, step: Step, base: TensorValue, new: TensorValue) -> TensorValue:
    return ops.store(builder, base, _at(step, extent(step.attrs["index"])), new)


def _through_slice(builder: Builder, step: Step, base: TensorValue, new: TensorValue) -> TensorValue:
    return ops.store(builder, base, _at(step, _cut(step)), new)


def _through_reshape(builder: Builder, step: Step, base: TensorValue, new: TensorValue) -> TensorValue:
    return builder.emit("reshape", [new], base.shape, base.dtype, shape=base.shape)


def _through_permute(builder: Builder, step: Step, base: TensorValue, new: TensorValue) -> TensorValue:
    order = step.attrs["order"]
    inverse = tuple(order.index(axis) for axis in range(len(order)))
    return builder.emit("permute", [new], base.shape, base.dtype, order=inverse)


def _through_copies(builder: Builder, step: Step, base: TensorValue, new: TensorValue) -> TensorValue:
    raise OperationError(f"a change of a view by {step.op} may change one place many times", "clone the view first")


def _through_diagonal(builder: Builder, step: Step, base: TensorValue, new: TensorValue) -> TensorValue:
    raise OperationError("a change of a diagonal is a change of its matrix, which is not read", "use torch.where")


_WRITE_BACK: dict[str, Callable[[Builder, Step, TensorValue, TensorValue], TensorValue]] = {
    "select": _through_select,
    "slice": _through_slice,
    "reshape": _through_reshape,
    "unsqueeze": _through_reshape,
    "squeeze": _through_reshape,
    "permute": _through_permute,
    "expand": _through_copies,
    "unfold": _through_copies,
    "diagonal": _through_diagonal,
}


def _written_back(builder: Builder, step: Step, base: TensorValue, new: TensorValue) -> TensorValue:
    """`base` where the part that the view `step` shows holds `new`."""
    return _WRITE_BACK[step.op](builder, step, base, new)
