"""Stores: `x[i] = v` gives the tensor a new value; lists and dictionaries change as in Python."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from r0kit.golden import ops
from r0kit.golden.builder import OperationError
from r0kit.golden.evaluate import containers, filled
from r0kit.golden.evaluate.arithmetic import BINARY
from r0kit.golden.evaluate.operations import changed, rewritten, unknown
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.evaluate.stretches import has_pieces
from r0kit.golden.scalars import Constant
from r0kit.golden.values import (
    DictValue,
    ScalarValue,
    SequenceValue,
    SliceValue,
    TensorValue,
    UnknownValue,
    Value,
)


def store(run: Run, target: ast.Subscript, value: Value, scope: Scope) -> None:
    """`base[index] = value`."""
    base, index = run.value(target.value, scope), run.value(target.slice, scope)
    if isinstance(base, TensorValue):
        _into_tensor(run, target, base, containers.parts_of(index), value)
    elif isinstance(base, DictValue):
        run.journal.put(base.items, containers.key(run, index), value)
    elif isinstance(base, SequenceValue):
        _into_list(run, target, base, index, value)
    elif not isinstance(base, UnknownValue):
        run.unsupported(target, f"`{run.source.written(target)}` cannot be assigned to")


def _into_list(run: Run, target: ast.AST, base: SequenceValue, index: Value, value: Value) -> None:
    if has_pieces(base) and not (isinstance(index, ScalarValue) and isinstance(index.scalar, Constant)):
        raise OperationError("some items of a list that a loop fills", "fill it with what it is to hold")
    if isinstance(index, SliceValue):
        items = containers.spread(run, target, value)
        where = containers.python_slice(run, index)
        run.journal.edit(base.items, lambda: base.items.__setitem__(where, items))
        return
    if isinstance(index, UnknownValue | TensorValue):
        run.unsupported(target, "which item of the list it changes depends on data")
        return
    place = run.builder.integer(index, "an index")
    if has_pieces(base):
        filled.changed(run, target, base, place, [value], 1)
    elif -len(base.items) <= place < len(base.items):
        run.journal.edit(base.items, lambda: base.items.__setitem__(place, value))
    else:
        run.unsupported(target, f"item {place} of {len(base.items)} does not exist", "check the index")


def _into_tensor(run: Run, node: ast.AST, base: TensorValue, index: Sequence[Value], value: Value) -> None:
    """The tensor holds a new value from here on, and so do the views it shares storage with."""
    tensor, parts = run.storage.latest(base), [run.storage.renew(part) for part in index]
    value = run.storage.renew(value)
    steps = len(run.builder.steps)

    def compute() -> Value:
        if unknown([*parts, value]):
            raise OperationError(f"`{run.source.written(node)}` stores something that is not known")
        new = ops.store(run.builder, tensor, parts, value)
        run.builder.bind(new, _name_of(node))
        return changed(run, tensor, new, steps)

    rewritten(run, node, tensor, [tensor, *parts, value], compute)


def _name_of(node: ast.AST) -> str:
    """The name whose item is stored: `x` of `x[i][j]`."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def augment(run: Run, target: ast.Subscript, node: ast.AugAssign, scope: Scope) -> None:
    """`base[index] += value`."""
    base, index = run.value(target.value, scope), run.value(target.slice, scope)
    before = containers.item(run, target, base, index)
    right = run.value(node.value, scope)
    after = run.binary(node, type(node.op), before, right)
    if isinstance(base, TensorValue):
        _into_tensor(run, target, base, containers.parts_of(index), after)
    elif isinstance(base, DictValue):
        if isinstance(before, TensorValue):
            after = augmented_tensor(run, node, before, right)
        run.journal.put(base.items, containers.key(run, index), after)
    elif isinstance(base, SequenceValue):
        if isinstance(before, TensorValue):
            after = augmented_tensor(run, node, before, right)
        _into_list(run, target, base, index, after)


def augmented_tensor(run: Run, node: ast.AugAssign, before: TensorValue, right: Value) -> Value:
    """`x += y` of a tensor: every name of it sees the change; its dtype stays."""
    tensor = run.storage.latest(before)
    right = run.storage.renew(right)
    path, steps = BINARY[type(node.op)][1], len(run.builder.steps)

    def compute() -> Value:
        if isinstance(right, UnknownValue):
            raise OperationError(f"`{run.source.written(node)}` uses something that is not known")
        result = ops.call(run.builder, path, [tensor, right], {})
        if isinstance(node.target, ast.Name):
            run.builder.bind(result, node.target.id)
        return changed(run, tensor, result, steps)

    return rewritten(run, node, tensor, [tensor, right], compute)


def delete_item(run: Run, target: ast.Subscript, scope: Scope) -> None:
    """`del d[k]`, `del l[i]`."""
    base, index = run.value(target.value, scope), run.value(target.slice, scope)
    if isinstance(base, DictValue):
        run.journal.drop(base.items, containers.key(run, index))
    elif isinstance(base, SequenceValue):
        place = run.builder.integer(index, "an index")
        if has_pieces(base):
            filled.changed(run, target, base, place, [], 1)
        else:
            run.journal.edit(base.items, lambda: base.items.pop(place))
