"""Methods: of tensors they are operations, of lists, dictionaries and strings they are Python's."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from r0kit.golden import ops
from r0kit.golden.builder import OperationError
from r0kit.golden.dims import product
from r0kit.golden.dtypes import BYTES, category, is_float
from r0kit.golden.evaluate import arity, containers, filled, modules, trips
from r0kit.golden.evaluate.operations import opaque, operate
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.stretches import has_pieces
from r0kit.golden.scalars import Constant, Reading
from r0kit.golden.values import (
    NONE,
    DictValue,
    LayerValue,
    MethodValue,
    ObjectValue,
    ScalarValue,
    SequenceValue,
    SuperValue,
    TensorValue,
    UnknownValue,
    Value,
    constant,
    extent,
    sequence,
)

Arguments = Sequence[Value]
Keywords = Mapping[str, Value]


def call_method(run: Run, method: MethodValue, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    """`base.name(*args, **kwargs)`."""
    base, name = method.base, method.name
    if isinstance(base, TensorValue):
        return _of_tensor(run, base, name, args, kwargs, node)
    table = _TABLES.get(type(base), {})
    known = table.get(name)
    if known is not None:
        arity.check(f"{_PYTHON_NAMES.get(type(base), '')}.{name}", len(args))
        return known(run, base, args, kwargs, node)
    return run.unsupported(node, f"the method `{name}` of this value is not read", "", "golden.unknown-operation")


def _of_tensor(run: Run, base: TensorValue, name: str, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    if modules.sets_weight(run, base, name):
        return base
    tensor = run.storage.latest(base)
    fact = TENSOR_FACTS.get(name)
    if fact is not None:
        return fact(run, tensor, args, node)
    path = f"torch.Tensor.{name}"
    pieces = trips.split(run, [tensor, *args], kwargs) if name == "split" else None
    if pieces is not None:
        return pieces
    if ops.find(path) is None and name not in ("copy_", "fill_", "zero_"):
        message = f"`{name}` is a tensor method that r0kit does not know; its result is opaque"
        run.note(node, "golden.unknown-operation", message, "write it with operations that r0kit knows")
        return opaque(run, node, [tensor, *args, *kwargs.values()])
    return operate(run, node, path, [tensor, *args], kwargs)


# Facts about a tensor: no Step


def _size(run: Run, tensor: TensorValue, args: Arguments, node: ast.AST) -> Value:
    if not args:
        return sequence(*map(extent, tensor.shape))
    return containers.item(run, node, sequence(*map(extent, tensor.shape)), args[0])


def _item(run: Run, tensor: TensorValue, args: Arguments, node: ast.AST) -> Value:
    """The one number that it holds, known when the golden runs."""
    kind = (bool, int, float)[category(tensor.dtype)]
    return ScalarValue(Reading(tensor.ref), kind)


def _tolist(run: Run, tensor: TensorValue, args: Arguments, node: ast.AST) -> Value:
    if not tensor.shape:
        return _item(run, tensor, args, node)
    message = "`.tolist()` turns a tensor into Python numbers, which only running the golden can tell"
    return run.unsupported(node, message, "keep the computation in tensors", "golden.data-read")


TENSOR_FACTS: dict[str, Callable[[Run, TensorValue, Arguments, ast.AST], Value]] = {
    "size": _size,
    "dim": lambda run, tensor, args, node: constant(tensor.rank),
    "ndimension": lambda run, tensor, args, node: constant(tensor.rank),
    "numel": lambda run, tensor, args, node: extent(product(tensor.shape)),
    "nelement": lambda run, tensor, args, node: extent(product(tensor.shape)),
    "element_size": lambda run, tensor, args, node: constant(BYTES[tensor.dtype]),
    "is_floating_point": lambda run, tensor, args, node: constant(is_float(tensor.dtype)),
    "is_complex": lambda run, tensor, args, node: constant(False),
    "is_contiguous": lambda run, tensor, args, node: constant(run.storage.is_packed(tensor)),
    "item": _item,
    "tolist": _tolist,
    "requires_grad_": lambda run, tensor, args, node: tensor,
    "retain_grad": lambda run, tensor, args, node: NONE,
    "numpy": lambda run, tensor, args, node: tensor,
}


# Lists and tuples


def _append(run: Run, base: SequenceValue, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    run.journal.edit(base.items, lambda: base.items.append(args[0]))
    return NONE


def _extend(run: Run, base: SequenceValue, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    more = containers.spread(run, node, args[0])
    run.journal.edit(base.items, lambda: base.items.extend(more))
    return NONE


def _insert(run: Run, base: SequenceValue, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    place = run.builder.integer(args[0], "a position")
    if has_pieces(base):
        filled.changed(run, node, base, place, [args[1]], 0)
    else:
        run.journal.edit(base.items, lambda: base.items.insert(place, args[1]))
    return NONE


def _pop(run: Run, base: SequenceValue, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    place = run.builder.integer(args[0], "a position") if args else -1
    if has_pieces(base):
        return filled.pop(run, node, base, place)
    if not base.items:
        return run.unsupported(node, "there is nothing left to pop")
    if not -len(base.items) <= place < len(base.items):
        return run.unsupported(node, f"item {place} of {len(base.items)} does not exist", "check the position")
    popped: Value = run.journal.edit(base.items, lambda: base.items.pop(place))
    return popped


def _clear(run: Run, base: SequenceValue, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    run.journal.edit(base.items, base.items.clear)
    return NONE


def _reverse(run: Run, base: SequenceValue, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    if has_pieces(base):
        filled.reverse(run, node, base)
    else:
        run.journal.edit(base.items, base.items.reverse)
    return NONE


def _copy(run: Run, base: SequenceValue, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    return SequenceValue(list(base.items), base.is_list)


def _numel(run: Run, base: SequenceValue, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    return extent(product(run.builder.extent(item, "an extent") for item in base.items))


def _index(run: Run, base: SequenceValue, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    wanted = containers.key(run, args[0])
    places = [place for place, item in enumerate(base.items) if containers.key(run, item) == wanted]
    return constant(places[0]) if places else run.unsupported(node, f"{wanted!r} is not in the list")


_SEQUENCE: dict[str, Callable[..., Value]] = {
    "append": _append,
    "add": _append,
    "extend": _extend,
    "insert": _insert,
    "pop": _pop,
    "clear": _clear,
    "reverse": _reverse,
    "copy": _copy,
    "numel": _numel,
    "index": _index,
}


# Dictionaries


def _get(run: Run, base: DictValue, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    default = args[1] if len(args) > 1 else kwargs.get("default", NONE)
    return base.items.get(containers.key(run, args[0]), default)


def _set_default(run: Run, base: DictValue, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    name = containers.key(run, args[0])
    if name not in base.items:
        run.journal.put(base.items, name, args[1] if len(args) > 1 else NONE)
    return base.items[name]


def _pop_key(run: Run, base: DictValue, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    name = containers.key(run, args[0])
    value = base.items.get(name, args[1] if len(args) > 1 else UnknownValue("no such key"))
    run.journal.drop(base.items, name)
    return value


def _update(run: Run, base: DictValue, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    more = args[0].items if args and isinstance(args[0], DictValue) else {}
    for name, value in {**more, **kwargs}.items():
        run.journal.put(base.items, name, value)
    return NONE


def _items(run: Run, base: DictValue, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    return SequenceValue([sequence(constant(name), value) for name, value in base.items.items()], is_list=True)


_DICT: dict[str, Callable[..., Value]] = {
    "get": _get,
    "setdefault": _set_default,
    "pop": _pop_key,
    "update": _update,
    "items": _items,
    "keys": lambda run, base, args, kwargs, node: SequenceValue([constant(name) for name in base.items], True),
    "values": lambda run, base, args, kwargs, node: SequenceValue(list(base.items.values()), True),
    "copy": lambda run, base, args, kwargs, node: DictValue(dict(base.items)),
}


# Strings

_STRING_METHODS = (
    *("upper", "lower", "strip", "lstrip", "rstrip", "startswith", "endswith"),
    *("replace", "split", "join", "format", "title", "find", "count", "isdigit"),
)


def _of_string(name: str) -> Callable[..., Value]:
    def call(run: Run, base: ScalarValue, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
        if not isinstance(base.scalar, Constant) or not isinstance(base.scalar.value, str) or name == "format":
            return constant("")
        given = [containers.key(run, value) for value in args]
        try:
            result = getattr(base.scalar.value, name)(*given)
        except (TypeError, ValueError) as error:
            raise OperationError(f"`{name}` of this text: {error}") from None
        return SequenceValue(list(map(constant, result)), True) if isinstance(result, list) else constant(result)

    return call


def _is_integer(run: Run, base: ScalarValue, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    number = run.builder.fold(base, "it")
    if not isinstance(number, (int, float)):
        raise OperationError(f"{number!r} is no number")
    return constant(float(number).is_integer())


_SCALAR: dict[str, Callable[..., Value]] = {
    **{name: _of_string(name) for name in _STRING_METHODS},
    "item": lambda run, base, args, kwargs, node: base,
    "bit_length": lambda run, base, args, kwargs, node: constant(run.builder.integer(base, "it").bit_length()),
    "is_integer": _is_integer,
}

_TABLES: dict[type, dict[str, Callable[..., Value]]] = {
    SequenceValue: _SEQUENCE,
    DictValue: _DICT,
    ScalarValue: _SCALAR,
    ObjectValue: modules.METHODS,
    LayerValue: modules.METHODS,
    SuperValue: {"__init__": modules.begin},
}
_PYTHON_NAMES: dict[type, str] = {SequenceValue: "list", DictValue: "dict"}
