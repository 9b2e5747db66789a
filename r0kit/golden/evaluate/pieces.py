"""What the trips of a loop have appended to a list, used as one tensor: stack, cat, sum."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from r0kit.golden import ops
from r0kit.golden.builder import OperationError
from r0kit.golden.dims import product
from r0kit.golden.evaluate.operations import emitted
from r0kit.golden.evaluate.run import Run
from r0kit.golden.ops import layout
from r0kit.golden.values import PiecesValue, SequenceValue, TensorValue, Value, constant

Arguments = Sequence[Value]
Keywords = Mapping[str, Value]


def call(run: Run, path: str, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    """`torch.cat`, `torch.stack` and `sum` of a list that a loop has filled."""
    name = path.rpartition(".")[2]
    use = _USES.get(name)
    assert isinstance(args[0], SequenceValue)
    items = [run.storage.renew(item) for item in args[0].items]
    tensors = [item.whole if isinstance(item, PiecesValue) else item for item in items]
    if use is None:
        return run.unsupported(
            node, f"`{name}` of a list that a loop fills is not read", "use torch.stack or torch.cat"
        )
    wanted = args[1] if len(args) > 1 else kwargs.get("dim", kwargs.get("axis", constant(0)))

    def compute() -> Value:
        value = use(run, items, run.builder.integer(wanted, "dim"))
        if run.changes_tensors and isinstance(value, TensorValue):
            return run.builder.emit("clone", [value], value.shape, value.dtype)  # a tensor of its own
        return value

    return emitted(run, node, tensors, compute)


def _stack(run: Run, items: Arguments, axis: int) -> Value:
    parts = [_stacked(run, item, axis) for item in items]
    return parts[0] if len(parts) == 1 else _joined(run, parts, axis)


def _stacked(run: Run, item: Value, axis: int) -> TensorValue:
    """The items side by side along a new axis."""
    if isinstance(item, TensorValue):
        return layout.unsqueeze(run.builder, item, (axis % (item.rank + 1),))
    if not isinstance(item, PiecesValue):
        raise OperationError("the list holds something that is no tensor")
    side = _first_axis(run, item)
    place = axis % side.rank
    order = [*range(1, place + 1), 0, *range(place + 1, side.rank)]
    return layout.permute(run.builder, side, order)


def _first_axis(run: Run, item: PiecesValue) -> TensorValue:
    """The items side by side along a first axis; pieces of one axis must be of equal extent for that."""
    axis, size, whole = item.axis, item.size, item.whole
    if axis is None or size is None:
        return whole
    count = run.builder.divides(whole.shape[axis], size, "pieces side by side")
    side = layout.reshape(run.builder, whole, (*whole.shape[:axis], count, size, *whole.shape[axis + 1 :]))
    return layout.permute(run.builder, side, [axis, *range(axis), *range(axis + 1, side.rank)])


def _cat(run: Run, items: Arguments, axis: int) -> Value:
    parts = [_in_line(run, item, axis) for item in items]
    return parts[0] if len(parts) == 1 else _joined(run, parts, axis)


def _in_line(run: Run, item: Value, axis: int) -> TensorValue:
    """The items one after another along an axis."""
    if isinstance(item, TensorValue):
        return item
    if not isinstance(item, PiecesValue):
        raise OperationError("the list holds something that is no tensor")
    if item.axis is None or axis % item.whole.rank != item.axis:
        side = _stacked(run, item, axis if axis >= 0 else axis - 1)
        place = axis % (side.rank - 1)
        merged = product(side.shape[place : place + 2])
        return layout.reshape(run.builder, side, (*side.shape[:place], merged, *side.shape[place + 2 :]))
    return item.whole


def _joined(run: Run, parts: Sequence[TensorValue], axis: int) -> Value:
    return layout.cat(run.builder, parts, axis)


def _sum(run: Run, items: Arguments, axis: int) -> Value:
    """Python's `sum`."""
    total: Value | None = None
    for item in items:
        part: Value = item
        if isinstance(item, PiecesValue):
            part = ops.call(run.builder, "torch.sum", [_first_axis(run, item)], {"dim": constant(0)})
        total = part if total is None else ops.call(run.builder, "operator.add", [total, part], {})
    assert total is not None
    return total


_USES: dict[str, Callable[[Run, Arguments, int], Value]] = {
    "stack": _stack,
    "cat": _cat,
    "concat": _cat,
    "concatenate": _cat,
    "sum": _sum,
}
