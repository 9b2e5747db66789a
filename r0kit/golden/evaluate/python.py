"""Python's builtin functions over abstract values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from r0kit.golden import ops
from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim
from r0kit.golden.evaluate import arity, containers, filled, trial, trips
from r0kit.golden.evaluate.attributes import attribute, find_attribute, library_of
from r0kit.golden.evaluate.conditions import decide
from r0kit.golden.evaluate.operations import opaque, operate
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.evaluate.stretches import has_pieces, of_pieces
from r0kit.golden.scalars import Constant, Reading, apply
from r0kit.golden.values import (
    NONE,
    DictValue,
    DtypeValue,
    FunctionValue,
    LayerValue,
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
    is_none,
)

Arguments = Sequence[Value]
Keywords = Mapping[str, Value]
Caller = Callable[[Run, Arguments, Keywords, ast.AST], Value]


def spelled_out(run: Run, node: ast.AST, value: Value) -> list[Value]:
    """Items of an iterable. OperationError where their number is not known."""
    items = containers.items_of(run, value)
    if items is None:
        raise OperationError("the number of items is not known before the golden runs")
    return items


def _len(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    value = args[0]
    if isinstance(value, TensorValue) and value.shape:
        return extent(value.shape[0])
    if isinstance(value, TripsValue):
        return extent(value.count)
    if has_pieces(value):
        return extent(of_pieces(run, value).count)
    if isinstance(value, UnknownValue):
        return value
    return constant(len(spelled_out(run, node, value)))


def _range(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    arity.check("builtins.range", len(args))
    if any(isinstance(value, UnknownValue) for value in args):
        return UnknownValue("its bounds are not known")
    bounds = [run.builder.extent(value, "a bound of range") for value in args]
    start, stop, step = (Dim.of(0), bounds[0], Dim.of(1)) if len(bounds) == 1 else (*bounds, Dim.of(1))[:3]
    return trips.of_range(start, stop, step)


def range_call(run: Run, node: ast.Call, scope: Scope) -> Value:
    """`range(...)`: its step is the extent of the loop's own tiles, whatever tiles the loops around have."""
    args = [_bound(run, argument, scope) for argument in node.args[:2]]
    if len(node.args) > 2:
        with run.own_numbers():
            args.append(run.value(node.args[2], scope))
    value = _range(run, args, {}, node)
    said = node.args[2:] or node.args
    names = frozenset(inner.id for part in said for inner in ast.walk(part) if isinstance(inner, ast.Name))
    return replace(value, names=names) if isinstance(value, TripsValue) else value


def _bound(run: Run, node: ast.expr, scope: Scope) -> Value:
    """A bound of a range; what it is divided by is the extent of the loop's own tiles too."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.FloorDiv):
        return run.value(node, scope)
    left = run.value(node.left, scope)
    with run.own_numbers():
        right = run.value(node.right, scope)
    return run.binary(node, ast.FloorDiv, left, right)


def _enumerate(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    start = args[1] if len(args) > 1 else kwargs.get("start", constant(0))
    items = containers.items_of(run, args[0])
    if items is None:
        return trips.enumerated(trips.of_value(run, args[0]), start)
    numbers = [run.binary(node, ast.Add, start, constant(place)) for place in range(len(items))]
    return SequenceValue([SequenceValue([a, b]) for a, b in zip(numbers, items, strict=True)])


def _zip(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    columns = [containers.items_of(run, value) for value in args]
    if any(column is None for column in columns):
        return trips.zipped([trips.of_value(run, value) for value in args])
    return SequenceValue([SequenceValue(list(row)) for row in zip(*(column or [] for column in columns), strict=False)])


def _reversed(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    items = containers.items_of(run, args[0])
    if items is None and isinstance(args[0], SequenceValue):
        return filled.stretch(run, node, args[0], slice(None, None, -1))
    if items is None:
        return trips.backwards(trips.of_value(run, args[0]))
    return SequenceValue(items[::-1], is_list=True)


def _sorted(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    items = spelled_out(run, node, args[0])
    keys = [run.call(kwargs["key"], [item], {}, node) if "key" in kwargs else item for item in items]
    numbers = [run.builder.fold(value, "a sort key") for value in keys]
    falling = decide(run, kwargs.get("reverse", constant(False)), node) is True
    order = sorted(range(len(items)), key=lambda place: numbers[place], reverse=falling)
    return SequenceValue([items[place] for place in order], is_list=True)


def _extremum(name: str) -> Caller:
    def call(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
        if len(args) == 1 and isinstance(args[0], TensorValue):
            return operate(run, node, f"torch.{name}", args, {})
        items = spelled_out(run, node, args[0]) if len(args) == 1 else list(args)
        if not items and "default" in kwargs:
            return kwargs["default"]
        if not items:
            raise OperationError(f"`{name}` of nothing", "give it a default")
        value = items[0]
        for item in items[1:]:
            value = _of_two(run, name, value, item, node)
        return value

    return call


def _of_two(run: Run, name: str, left: Value, right: Value, node: ast.AST) -> Value:
    """`min(a, b)` of two numbers: one of them where algebra or the trip of a loop says which."""
    if not isinstance(left, ScalarValue) or not isinstance(right, ScalarValue):
        return opaque(run, node, [left, right])
    if run.trials:
        sized = trial.beside(run.trials, left, right) or left, trial.beside(run.trials, right, left) or right
        end = trial.bound(run.trials, name, *(one for one in sized if isinstance(one, ScalarValue)))
        if end is not None:
            return end
    less = decide(run, run.compare(node, ast.LtE, left, right), node)
    if less is not None:
        return left if less is (name == "min") else right
    kind = int if left.type is int and right.type is int else None
    return _checked(run, node, lambda: ScalarValue(apply(name, left.scalar, right.scalar), kind))


def _sum(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    items = spelled_out(run, node, args[0])
    start = args[1] if len(args) > 1 else kwargs.get("start")
    rest = items if start is None else [start, *items]
    if not rest:
        return constant(0)
    value = rest[0]
    for item in rest[1:]:
        value = run.binary(node, ast.Add, value, item)
    return value


def _number(name: str, kind: type) -> Caller:
    """int, float, bool: of a number it stays symbolic, of a tensor it reads the one number it holds."""

    def call(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
        if not args:
            return constant(kind())
        value = args[0]
        if isinstance(value, TensorValue):
            return ScalarValue(apply(name, Reading(run.storage.latest(value).ref)), kind)
        if not isinstance(value, ScalarValue):
            return UnknownValue(f"{name}() of something that is not known")
        if value.type is kind:
            return value
        return _checked(run, node, lambda: ScalarValue(apply(name, value.scalar), kind))

    return call


def _checked(run: Run, node: ast.AST, compute: Callable[[], Value]) -> Value:
    try:
        return compute()
    except (ArithmeticError, TypeError, ValueError) as error:
        return run.unsupported(node, f"`{run.source.written(node)}` cannot be computed: {error}")


def _scalar_function(name: str, path: str) -> Caller:
    def call(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
        scalars = [value.scalar for value in args if isinstance(value, ScalarValue)]
        if len(scalars) != len(args) or not args:
            return operate(run, node, path, args, kwargs)
        kind = args[0].type if isinstance(args[0], ScalarValue) else None
        return _checked(run, node, lambda: ScalarValue(apply(name, *scalars), int if name == "round" else kind))

    return call


def _divmod(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    return SequenceValue([run.binary(node, kind, args[0], args[1]) for kind in (ast.FloorDiv, ast.Mod)])


def _power(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    return run.binary(node, ast.Pow, args[0], args[1])


def _sequence(is_list: bool) -> Caller:
    def call(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
        if not args:
            return SequenceValue([], is_list)
        items = containers.items_of(run, args[0])
        return args[0] if items is None else SequenceValue(items, is_list)

    return call


def _set(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    items = containers.items_of(run, args[0]) if args else []
    return args[0] if items is None else SequenceValue(containers.once(items), is_list=True)


def _dict(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    result = DictValue()
    if args and isinstance(args[0], DictValue):
        result.items.update(args[0].items)
    elif args:
        for pair in spelled_out(run, node, args[0]):
            parts = spelled_out(run, node, pair)
            if len(parts) != 2:
                raise OperationError(f"a dictionary is made from pairs, not from {len(parts)} items")
            name, value = parts
            result.items[containers.key(run, name)] = value
    result.items.update(kwargs)
    return result


def _repeat(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    """`itertools.repeat(x, n)`."""
    times = args[1] if len(args) > 1 else kwargs.get("times", NONE)
    count = run.builder.integer(times, "how often it is repeated")
    if count > containers.LONGEST:
        raise OperationError(f"more than {containers.LONGEST} repetitions", "use a tensor")
    return SequenceValue([args[0]] * count)


def _map(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    rows = zip(*(spelled_out(run, node, value) for value in args[1:]), strict=False)
    return SequenceValue([run.call(args[0], list(row), {}, node) for row in rows], is_list=True)


def _filter(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    kept: list[Value] = []
    for item in spelled_out(run, node, args[1]):
        known = decide(run, item if is_none(args[0]) else run.call(args[0], [item], {}, node), node)
        if known is None:
            raise OperationError("which items stay depends on data")
        kept.extend([item] if known else [])
    return SequenceValue(kept, is_list=True)


def _quantified(wanted: bool) -> Caller:
    """any, all."""

    def call(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
        if isinstance(args[0], TensorValue):
            return operate(run, node, f"torch.{'any' if wanted else 'all'}", args, {})
        known = [decide(run, item, node) for item in spelled_out(run, node, args[0])]
        if wanted in known:
            return constant(wanted)
        return UnknownValue("it depends on data") if None in known else constant(not wanted)

    return call


# Python types that a value belongs to.
_SCALAR_TYPES: dict[type, set[str]] = {
    bool: {"bool", "int"},
    int: {"int"},
    float: {"float"},
    str: {"str"},
}


def _types_of(value: Value) -> set[str] | None:
    """Paths of the classes that a value is an instance of; None where that is not known."""
    if isinstance(value, TensorValue):
        return {"torch.Tensor", "torch.FloatTensor"}
    if isinstance(value, SequenceValue):
        return {"builtins.list"} if value.is_list else {"builtins.tuple", "torch.Size"}
    if isinstance(value, DictValue):
        return {"builtins.dict"}
    if isinstance(value, DtypeValue):
        return {"torch.dtype"}
    if isinstance(value, LayerValue):
        return {value.path, "torch.nn.Module"}
    if isinstance(value, ScalarValue):
        if is_none(value):
            return {"types.NoneType"}
        return None if value.type is None else {f"builtins.{name}" for name in _SCALAR_TYPES.get(value.type, set())}
    return None if isinstance(value, UnknownValue) else set()


def _isinstance(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    classes = args[1].items if isinstance(args[1], SequenceValue) else [args[1]]
    if isinstance(args[0], ObjectValue):
        return constant(any(_inherits(args[0], one) or _derives(args[0], one) for one in classes))
    known = _types_of(args[0])
    if known is None:
        return UnknownValue("its type is not known")
    wanted = {one.path for one in classes if isinstance(one, LibraryValue)}
    short = {path.rpartition(".")[2] for path in wanted}
    abstract = {"numbers.Number", "numbers.Real"} & wanted and known & {"builtins.int", "builtins.float"}
    several = {"Sequence", "Iterable", "Collection"} & short and known & {"builtins.list", "builtins.tuple"}
    return constant(bool(known & wanted or abstract or several))


def _inherits(value: ObjectValue, wanted: Value) -> bool:
    parent = value.parent
    while parent is not None and parent is not wanted:
        parent = parent.parent
    return parent is not None


def _derives(value: ObjectValue, wanted: Value) -> bool:
    """Whether its class derives from a module of torch."""
    path = library_of(value) or ("torch.nn.Sequential" if value.name == "Sequential" else "")
    return bool(path) and isinstance(wanted, LibraryValue) and wanted.path in (path, "torch.nn.Module")


def _hasattr(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    value, name = args[0], str(run.builder.fold(args[1], "the name of an attribute"))
    if isinstance(value, TensorValue):
        known = ops.attribute(run.builder, value, name) is not None or ops.find(f"torch.Tensor.{name}") is not None
        return constant(known)
    if isinstance(value, ObjectValue):
        return constant(find_attribute(run, value, name) is not None)
    if isinstance(value, LibraryValue):
        return constant(ops.find(f"{value.path}.{name}") is not None)
    return UnknownValue("its attributes are not known") if isinstance(value, UnknownValue) else constant(False)


def _getattr(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    known = _hasattr(run, args, kwargs, node)
    if len(args) > 2 and known == constant(False):
        return args[2]
    return attribute(run, node, args[0], str(run.builder.fold(args[1], "the name of an attribute")))


def _setattr(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    if isinstance(args[0], ObjectValue):
        run.journal.put(args[0].attributes, str(run.builder.fold(args[1], "the name of an attribute")), args[2])
    return NONE


def _text(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    known = args and isinstance(args[0], ScalarValue) and isinstance(args[0].scalar, Constant)
    return constant(str(run.builder.fold(args[0], "a text"))) if known else constant("")


def _type(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    known = _types_of(args[0])
    return LibraryValue(sorted(known)[0]) if known else UnknownValue("its type is not known")


def _slice(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    parts: list[Any] = [None if is_none(value) else value for value in args]
    return SliceValue(None, parts[0], None) if len(parts) == 1 else SliceValue(*[*parts, None][:3])


def _callable(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    return constant(isinstance(args[0], FunctionValue | LibraryValue))


def _next(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    items = spelled_out(run, node, args[0])
    if not items and len(args) == 1:
        raise OperationError("`next` of nothing", "give it a default")
    return items[0] if items else args[1]


FUNCTIONS: dict[str, Caller] = {
    "builtins.len": _len,
    "builtins.range": _range,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.reversed": _reversed,
    "builtins.sorted": _sorted,
    "builtins.min": _extremum("min"),
    "builtins.max": _extremum("max"),
    "builtins.sum": _sum,
    "builtins.int": _number("int", int),
    "builtins.float": _number("float", float),
    "builtins.bool": _number("bool", bool),
    "builtins.abs": _scalar_function("abs", "builtins.abs"),
    "builtins.round": _scalar_function("round", "torch.round"),
    "builtins.divmod": _divmod,
    "builtins.pow": _power,
    "builtins.list": _sequence(True),
    "builtins.set": _set,
    "builtins.frozenset": _set,
    "builtins.iter": _sequence(True),
    "builtins.tuple": _sequence(False),
    "builtins.dict": _dict,
    "builtins.map": _map,
    "builtins.filter": _filter,
    "builtins.any": _quantified(True),
    "builtins.all": _quantified(False),
    "builtins.isinstance": _isinstance,
    "builtins.hasattr": _hasattr,
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "builtins.str": _text,
    "builtins.repr": _text,
    "builtins.type": _type,
    "builtins.slice": _slice,
    "builtins.callable": _callable,
    "builtins.next": _next,
    "itertools.repeat": _repeat,
    "itertools.product": lambda run, args, kwargs, node: trips.product(run, args, node),
}
