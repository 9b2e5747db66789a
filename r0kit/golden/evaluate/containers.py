"""Tuples, lists and dictionaries: displays, items, unpacking."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from r0kit.golden import ops
from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim
from r0kit.golden.evaluate import filled, modules
from r0kit.golden.evaluate.classes import fields_in_order
from r0kit.golden.evaluate.operations import emitted, opaque
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.evaluate.stretches import has_pieces, of_pieces
from r0kit.golden.ops import layout
from r0kit.golden.scalars import Apply, Constant, Reading
from r0kit.golden.values import (
    DictValue,
    LibraryValue,
    ObjectValue,
    ScalarValue,
    SequenceValue,
    SliceValue,
    TensorValue,
    TripsValue,
    UnknownValue,
    Value,
    constant,
    extent,
)

LONGEST = 4096  # items that a range or a tensor is spelled out to


def display(run: Run, node: ast.Tuple | ast.List | ast.Set, scope: Scope) -> Value:
    """`(a, *b)`, `[a, b]`, `{a, b}`."""
    items: list[Value] = []
    for element in node.elts:
        value = run.value(element, scope)
        items.extend(spread(run, element, value) if isinstance(element, ast.Starred) else [value])
    return SequenceValue(once(items) if isinstance(node, ast.Set) else items, not isinstance(node, ast.Tuple))


def once(items: Sequence[Value]) -> list[Value]:
    """The items of a set: equal constants are one."""
    found: dict[Any, Value] = {}
    for item in items:
        scalar = item.scalar if isinstance(item, ScalarValue) else None
        found.setdefault(scalar.value if isinstance(scalar, Constant) else id(item), item)
    return list(found.values())


def spread(run: Run, node: ast.AST, value: Value) -> list[Value]:
    """The items of something unpacked in place; one unknown item where they are not known."""
    items = list(value.items) if isinstance(value, SequenceValue) else items_of(run, value)
    return (
        [run.unsupported(node, "the number of items here is not known before the golden runs")]
        if items is None
        else items
    )


def dictionary(run: Run, node: ast.Dict, scope: Scope) -> Value:
    """`{"a": x, **other}`."""
    result = DictValue()
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = run.value(value_node, scope)
        if key_node is not None:
            result.items[key(run, run.value(key_node, scope))] = value
        elif isinstance(value, DictValue):
            result.items.update(value.items)
        else:
            run.unsupported(value_node, "only a dictionary can be merged into another")
    return result


def key(run: Run, value: Value) -> Any:
    """A dictionary key as the Python object it is. OperationError where it is not known."""
    if isinstance(value, ScalarValue):
        return run.builder.fold(value, "a dictionary key")
    if isinstance(value, SequenceValue):
        return tuple(key(run, item) for item in value.items)
    if isinstance(value, LibraryValue):
        return value.path
    return getattr(value, "name", None) or id(value)


def items_of(run: Run, value: Value) -> list[Value] | None:
    """The items that iterating gives, where they can be spelled out: sequences, dictionaries, short ranges."""
    if isinstance(value, SequenceValue):
        _looked_at(run, value)
        return None if has_pieces(value) else list(value.items)
    if isinstance(value, DictValue):
        return [constant(name) for name in value.items]
    if isinstance(value, TripsValue):
        return trips(run, value)
    if isinstance(value, ObjectValue):
        return fields_in_order(run, value)
    if isinstance(value, TensorValue) and value.shape:
        count = value.shape[0].const
        if count is not None and count <= LONGEST:
            return [ops.index(run.builder, value, [constant(place)]) for place in range(count)]
    if isinstance(value, ScalarValue) and isinstance(value.scalar, Constant) and isinstance(value.scalar.value, str):
        return [constant(letter) for letter in value.scalar.value]
    return None


def trips(run: Run, value: TripsValue) -> list[Value] | None:
    """The items of a range with a known number of them."""
    count = value.count.const
    if count is None or count > LONGEST:
        return None
    return [value.item(Constant(place)) for place in range(max(count, 0))]


def item(run: Run, node: ast.AST, base: Value, index: Value) -> Value:
    """`base[index]`."""
    if isinstance(base, TensorValue):
        return _of_tensor(run, node, base, index)
    fields = fields_in_order(run, base)
    if isinstance(index, SliceValue) and modules.members(run, base) is not None:
        return modules.sequential(run, (fields or [])[python_slice(run, index)], {}, node)
    if isinstance(base, SequenceValue) or fields:
        return _of_sequence(run, node, base if isinstance(base, SequenceValue) else SequenceValue(fields or []), index)
    if isinstance(base, DictValue):
        return _of_dictionary(run, node, base, index)
    if isinstance(base, TripsValue):
        return _of_trips(run, node, base, index)
    if isinstance(base, UnknownValue):
        return base
    if isinstance(base, ScalarValue) and isinstance(index, ScalarValue):
        return _of_text(run, node, run.builder.fold(base, "the string"), run.builder.integer(index, "an index"))
    if isinstance(base, LibraryValue):  # List[int], Optional[torch.Tensor] outside an annotation
        return base
    return run.unsupported(node, f"`{run.source.written(node)}` takes an item of something that has none")


def _of_text(run: Run, node: ast.AST, text: Any, place: int) -> Value:
    if isinstance(text, str) and -len(text) <= place < len(text):
        return constant(text[place])
    return run.unsupported(node, f"`{run.source.written(node)}`: {text!r} has no item {place}", "check SPEC.md")


def _of_tensor(run: Run, node: ast.AST, base: TensorValue, index: Value) -> Value:
    tensor = run.storage.latest(base)
    parts = [_place(run, run.storage.renew(part)) for part in parts_of(index)]
    if any(isinstance(part, UnknownValue) for part in parts):
        return opaque(run, node, [tensor, *parts])
    return emitted(run, node, [tensor, *parts], lambda: ops.index(run.builder, tensor, parts))


def _place(run: Run, part: Value) -> Value:
    """An index that a tensor's number is, as that tensor: a lookup rather than a place known only at run time."""
    scalar = part.scalar if isinstance(part, ScalarValue) else None
    if isinstance(scalar, Apply) and scalar.function == "int":
        scalar = scalar.arguments[0]
    if not isinstance(scalar, Reading):
        return part
    value = run.builder.value_of(scalar.tensor)
    return layout.reshape(run.builder, value, ())


def parts_of(index: Value) -> Sequence[Value]:
    """The items of an index: `x[a, b]` has two; a list is one (a tensor of positions)."""
    return index.items if isinstance(index, SequenceValue) and not index.is_list else [index]


def _looked_at(run: Run, value: SequenceValue) -> None:
    """Trips that look at a list and fill it find what the trips before have appended."""
    for trial in run.trials:
        trial.looked.add(id(value.items))


def _of_sequence(run: Run, node: ast.AST, base: SequenceValue, index: Value) -> Value:
    _looked_at(run, base)
    if isinstance(index, SliceValue):
        bounds = python_slice(run, index)
        if run.fills and has_pieces(base):
            return filled.stretch(run, node, base, bounds)
        return SequenceValue(base.items[bounds], base.is_list)
    if isinstance(index, UnknownValue | TensorValue):
        return UnknownValue("which item it is depends on data")
    if run.fills and isinstance(index, ScalarValue) and has_pieces(base):
        return filled.item(run, node, base, index)
    place = run.builder.integer(index, "an index")
    if not -len(base.items) <= place < len(base.items):
        return run.unsupported(node, f"item {place} of {len(base.items)} does not exist", "check the index")
    return base.items[place]


def _of_trips(run: Run, node: ast.AST, base: TripsValue, index: Value) -> Value:
    """An item of `range(n)`, or some of the items."""
    if isinstance(index, ScalarValue):
        return _of_place(run, base, index)
    items = trips(run, base) if isinstance(index, SliceValue) else None
    if items is None:
        return run.unsupported(
            node, "which trips these are is not known", "give the range its own start, stop and step"
        )
    return _of_sequence(run, node, SequenceValue(items), index)


def _of_place(run: Run, base: TripsValue, index: ScalarValue) -> Value:
    """An item of a range; a negative index counts from its end."""
    place = run.builder.extent(index, "an index")
    if place.const is not None and place.const < 0:
        place = base.count + place
    known = place.const is not None and base.count.const is not None
    if known and not 0 <= (place.const or 0) < (base.count.const or 0):
        raise OperationError(f"item {place} of {base.count} does not exist", "check the index")
    return base.item(extent(place).scalar)


def python_slice(run: Run, value: SliceValue) -> slice:
    """A slice of Python integers. OperationError where a bound is not known."""
    parts = (value.start, value.stop, value.step)
    bounds = [None if part is None else run.builder.fold(part, "a slice bound") for part in parts]
    if not all(bound is None or isinstance(bound, int) for bound in bounds):
        raise OperationError(f"the bounds of a slice are integers, not {bounds}")
    return slice(*bounds)


def _of_dictionary(run: Run, node: ast.AST, base: DictValue, index: Value) -> Value:
    name = key(run, index)
    if name in base.items:
        return base.items[name]
    return run.unsupported(node, f"the dictionary has no key {name!r}", "add the key, or check its spelling")


def unpack(run: Run, node: ast.AST, value: Value, targets: Sequence[ast.expr]) -> list[Value]:
    """One value for each target of `a, *b, c = value`; unknown ones where the number of items does not fit."""
    starred = next((place for place, target in enumerate(targets) if isinstance(target, ast.Starred)), None)
    items = _spread_out(run, node, value, len(targets) - (starred is not None))
    enough = items is not None and (len(items) == len(targets) if starred is None else len(items) >= len(targets) - 1)
    if items is None or not enough:
        if not isinstance(value, UnknownValue):
            count = "an unknown number of" if items is None else str(len(items))
            run.unsupported(
                node, f"{count} items cannot be unpacked into {len(targets)} names", "check the return value"
            )
        hidden = opaque(run, node, [value])
        return [hidden] * len(targets)
    if starred is None:
        return items
    after = len(targets) - starred - 1
    middle = SequenceValue(items[starred : len(items) - after], is_list=True)
    return [*items[:starred], middle, *items[len(items) - after :]]


def _spread_out(run: Run, node: ast.AST, value: Value, count: int) -> list[Value] | None:
    """Items to unpack; a tensor whose first extent is a symbol has as many as there are names."""
    items = items_of(run, value)
    if items is None and has_pieces(value):
        value = of_pieces(run, value)
    if items is None and isinstance(value, TripsValue):
        return _first_items(run, node, value, count)
    if items is not None or not isinstance(value, TensorValue) or not value.shape:
        return items
    with run.builder.at(run.source.span(node), run.source.written(node)):
        try:
            run.builder.same(value.shape[0], Dim.of(count), "unpacking")
        except OperationError:
            return None
        return [ops.index(run.builder, value, [constant(place)]) for place in range(count)]


def _first_items(run: Run, node: ast.AST, value: TripsValue, count: int) -> list[Value] | None:
    """The items of something with as many of them as there are names."""
    with run.builder.at(run.source.span(node), run.source.written(node)):
        try:
            run.builder.same(value.count, Dim.of(count), "unpacking")
        except OperationError:
            return None
        return [value.item(Constant(place)) for place in range(count)]
