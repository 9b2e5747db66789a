"""Calls of what the file imports: Python's own functions, then the operation tables; anything else is opaque."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from r0kit.golden import ops
from r0kit.golden.builder import OperationError
from r0kit.golden.dtypes import canonical, is_float
from r0kit.golden.evaluate import arity, classes, modules, pieces, python, trips
from r0kit.golden.evaluate.leaves import leaves
from r0kit.golden.evaluate.operations import opaque, operate
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.evaluate.stretches import has_pieces
from r0kit.golden.ops import layers
from r0kit.golden.scalars import FUNCTIONS, Reading, Scalar, apply, extents_of, readings_of
from r0kit.golden.values import (
    NONE,
    DictValue,
    DtypeValue,
    FunctionValue,
    LayerValue,
    NativeValue,
    ObjectValue,
    ScalarValue,
    SequenceValue,
    TensorValue,
    UnknownValue,
    Value,
    constant,
)

Caller = Callable[[Run, Sequence[Value], Mapping[str, Value], ast.AST], Value]


# Functions of lists that need not know how many items there are.
_OF_ANY_LIST = frozenset(f"builtins.{name}" for name in ("len", "list", "tuple", "zip", "enumerate", "reversed"))


def call_path(run: Run, path: str, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    """A call of the library function `path`."""
    if args and has_pieces(args[0]) and path not in _OF_ANY_LIST:
        return pieces.call(run, path, args, kwargs, node)
    set_up = modules.initialised(run, path, args)
    if set_up is not None:
        return set_up
    known = python.FUNCTIONS.get(path) or FUNCTIONS_OF_LIBRARIES.get(path)
    if known is not None:
        arity.check(path, len(args))
        return known(run, args, kwargs, node)
    if path.startswith("math."):
        args = [_read_out(run, value) for value in args]
    has_tensor = any(isinstance(value, TensorValue) for value in leaves([*args, *kwargs.values()]))
    if not has_tensor and args and all(isinstance(value, ScalarValue) for value in args):
        number = _on_numbers(run, path, args, node)
        if number is not None:
            return number
    if path.startswith("torch.nn.") and not path.startswith("torch.nn.functional.") and _is_layer(path):
        return modules.layer_of(run, path, args, kwargs)
    if ops.find(path) is not None:
        return operate(run, node, path, args, kwargs)
    return _not_known(run, path, args, kwargs, node)


def _read_out(run: Run, value: Value) -> Value:
    """What `math` makes of a tensor: the one number that it holds."""
    return ScalarValue(Reading(run.storage.latest(value).ref), float) if isinstance(value, TensorValue) else value


def _is_layer(path: str) -> bool:
    return path.rpartition(".")[2][:1].isupper()


def _not_known(run: Run, path: str, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    unknown = next((value for value in args if isinstance(value, UnknownValue)), None)
    if unknown is not None and path.startswith("math."):
        return unknown
    kind = "an operation that r0kit does not know" if path.startswith("torch") else "defined in another file"
    message = f"`{path.removeprefix('builtins.')}` is {kind}; its result is opaque"
    hint = "write it with operations of torch that r0kit knows, in this file"
    hidden = run.unsupported(node, message, hint, "golden.unknown-operation")
    result = opaque(run, node, [*args, *kwargs.values()])
    return hidden if isinstance(result, UnknownValue) else result


def _on_numbers(run: Run, path: str, args: Sequence[Value], node: ast.AST) -> Value | None:
    """`math.sqrt(D)` and numpy's functions on plain numbers stay symbolic where `scalars` knows them."""
    package, _, name = path.rpartition(".")
    if package not in ("math", "numpy", "operator"):
        return None
    scalars = [value.scalar for value in args if isinstance(value, ScalarValue)]
    function = f"math.{name}"
    try:
        if function in FUNCTIONS:
            return ScalarValue(apply(function, *scalars), _INTEGRAL.get(name, float))
        python_function = getattr(math, name, None)
        if callable(python_function) and all(map(_is_fixed, scalars)):
            numbers = [run.builder.fold(value, name) for value in args]
            if name in _GROWING and any(number > _MOST_FACTORS for number in numbers):
                raise ValueError("the result is too large")
            return constant(python_function(*numbers))
    except (ArithmeticError, TypeError, ValueError) as error:
        return run.unsupported(node, f"`{run.source.written(node)}` cannot be computed: {error}")
    return None


def _is_fixed(scalar: Scalar) -> bool:
    """Whether neither data nor an extent goes into it, so that SPEC's parameters say what it is."""
    return not extents_of(scalar) and not readings_of(scalar)


_GROWING = frozenset({"factorial", "comb", "perm"})  # of small numbers already a long number, and a long time
_MOST_FACTORS = 1000

_INTEGRAL: dict[str, type] = {"ceil": int, "floor": int, "gcd": int}


def call_layer(run: Run, layer: LayerValue, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    """`nn.Softmax(dim=-1)(x)`: the operation of the layer with the arguments that it was built with."""
    mode = {"training": constant(run.state.training)} if layer.path in layers.BY_PATH else {}
    return operate(run, node, layer.path, [*args, *layer.args], {**mode, **layer.kwargs, **kwargs})


# Calls that look at the syntax of their arguments


def _no_output(run: Run, node: ast.Call, scope: Scope) -> Value:
    return NONE


BEFORE_ARGUMENTS: dict[str, Callable[[Run, ast.Call, Scope], Value]] = {
    "builtins.range": python.range_call,
    "builtins.super": modules.super_call,
    "builtins.print": _no_output,
    "warnings.warn": _no_output,
    "logging.info": _no_output,
    "logging.debug": _no_output,
    "torch.manual_seed": _no_output,
    "torch.set_printoptions": _no_output,
    "torch.set_num_threads": _no_output,
    "torch.cuda.synchronize": _no_output,
    "gc.collect": _no_output,
}


# Functions of libraries that compute no tensor


def _partial(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    if args and isinstance(args[0], FunctionValue):
        first = args[0]
        keywords = {**first.bound_keywords, **kwargs}
        return replace(first, bound=(*first.bound, *args[1:]), bound_keywords=keywords)
    if args:
        inner = args[0]
        return NativeValue(lambda more, named: run.call(inner, [*args[1:], *more], {**kwargs, **named}, node))
    return UnknownValue("functools.partial without a function")


def _reduce(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    items = python.spelled_out(run, node, args[1])
    rest = [*args[2:], *items]
    if not rest:
        raise OperationError("`reduce` of nothing, without a value to begin with", "give it one")
    value = rest[0]
    for item in rest[1:]:
        value = run.call(args[0], [value, item], {}, node)
    return value


def _math_prod(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    value: Value = constant(1)
    for item in python.spelled_out(run, node, args[0]):
        value = run.binary(node, ast.Mult, value, item)
    return value


def _split(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    """`torch.split(x, size, dim)`: pieces by formula where their number is not known by form."""
    return trips.split(run, args, kwargs) or operate(run, node, "torch.split", args, kwargs)


def _is_tensor(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    return constant(isinstance(args[0], TensorValue))


def _is_floating(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    value = args[0]
    return constant(is_float(value.dtype)) if isinstance(value, TensorValue) else UnknownValue("no tensor")


def _false(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    return constant(False)


def _device(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    return constant("cpu")


def _size(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    return SequenceValue(python.spelled_out(run, node, args[0])) if args else SequenceValue([])


def _same(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    return args[0] if args else next(iter(kwargs.values()), NONE)


def _copied(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    """copy.copy, copy.deepcopy."""
    value = args[0]
    if isinstance(value, SequenceValue):
        return SequenceValue([_copied(run, [item], {}, node) for item in value.items], value.is_list)
    if isinstance(value, DictValue):
        return DictValue({name: _copied(run, [item], {}, node) for name, item in value.items.items()})
    return operate(run, node, "torch.Tensor.clone", [value], {}) if isinstance(value, TensorValue) else value


# dtype -> (eps, largest, smallest normal, bits); IEEE 754 and the definition of bfloat16.
_FLOATS = {
    "float16": (2.0**-10, 65504.0, 2.0**-14, 16),
    "bfloat16": (2.0**-7, float.fromhex("0x1.fep127"), 2.0**-126, 16),
    "float32": (2.0**-23, float.fromhex("0x1.fffffep127"), 2.0**-126, 32),
    "float64": (2.0**-52, float.fromhex("0x1.fffffffffffffp1023"), 2.0**-1022, 64),
    "float8_e4m3fn": (2.0**-3, 448.0, 2.0**-6, 8),
    "float8_e5m2": (2.0**-2, 57344.0, 2.0**-14, 8),
}


def _dtype_of(args: Sequence[Value]) -> str:
    value = args[0] if args else DtypeValue("float32")
    if isinstance(value, DtypeValue):
        return value.name
    return value.dtype if isinstance(value, TensorValue) else ""


def _finfo(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    known = _FLOATS.get(_dtype_of(args or list(kwargs.values())))
    if known is None:
        return run.unsupported(node, f"`{run.source.written(node)}`: no such float dtype")
    eps, largest, tiny, bits = known
    numbers = {"eps": eps, "max": largest, "min": -largest, "tiny": tiny, "smallest_normal": tiny, "bits": bits}
    return ObjectValue("finfo", {name: constant(number) for name, number in numbers.items()})


def _iinfo(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    name = _dtype_of(args or list(kwargs.values()))
    bits = int(canonical(name).lstrip("uint") or 0) if name.lstrip("uint").isdigit() else 0
    if not bits:
        return run.unsupported(node, f"`{run.source.written(node)}`: no such integer dtype")
    signed = not name.startswith("u")
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    numbers = {"min": low, "max": high, "bits": bits}
    return ObjectValue("iinfo", {key: constant(number) for key, number in numbers.items()})


FUNCTIONS_OF_LIBRARIES: dict[str, Caller] = {
    "collections.namedtuple": classes.namedtuple,
    "collections.OrderedDict": python.FUNCTIONS["builtins.dict"],
    "functools.partial": _partial,
    "functools.reduce": _reduce,
    "math.prod": _math_prod,
    "numpy.prod": _math_prod,
    "torch.split": _split,
    "torch.is_tensor": _is_tensor,
    "torch.is_floating_point": _is_floating,
    "torch.cuda.is_available": _false,
    "torch.npu.is_available": _false,
    "torch.is_grad_enabled": _false,
    "torch.is_complex": _false,
    "torch.device": _device,
    "torch.Size": _size,
    "torch.finfo": _finfo,
    "torch.iinfo": _iinfo,
    "typing.cast": lambda run, args, kwargs, node: args[1],
    **modules.CONSTRUCTORS,
    "torch.autograd.Variable": _same,
    "copy.copy": _copied,
    "copy.deepcopy": _copied,
    "torch.compile": _same,
    "torch.jit.script": _same,
}
