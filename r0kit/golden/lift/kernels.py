"""Steps on small arrays: one function per operation, so that two ways to compute something can be compared."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from r0kit.golden.attributes import Point
from r0kit.golden.dtypes import category
from r0kit.golden.lift import array as arrays
from r0kit.golden.lift.array import Array, Extents

Attrs = Mapping[str, Any]
Kernel = Callable[[Sequence[Any], Attrs, Extents, str], Array]

INFINITY = float("inf")


def _guarded(function: Callable[..., Any], otherwise: float = math.nan) -> Callable[..., Any]:
    """A function of math that gives what torch gives where Python raises."""

    def call(*numbers: Any) -> Any:
        try:
            return function(*numbers)
        except OverflowError:
            return INFINITY
        except (ValueError, ZeroDivisionError):
            return otherwise

    return call


def _divide(a: Any, b: Any) -> Any:
    if b:
        return a / b
    return math.nan if not a or math.isnan(a) else math.copysign(INFINITY, a)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -INFINITY if x == 0 else math.nan


def _logaddexp(a: float, b: float) -> float:
    top = max(a, b)
    return top if math.isinf(top) else top + math.log(math.exp(a - top) + math.exp(b - top))


def _larger(a: Any, b: Any) -> Any:
    return a if a != a or a > b else b


def _smaller(a: Any, b: Any) -> Any:
    return a if a != a or a < b else b


def _clamp(x: Any, low: Any, high: Any) -> Any:
    x = x if low is None else _larger(x, low)
    return x if high is None else _smaller(x, high)


def _gelu(x: float) -> float:
    return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))


POINTWISE: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": _divide,
    "neg": operator.neg,
    "abs": abs,
    "square": lambda x: x * x,
    "pow": _guarded(operator.pow),
    "exp": _guarded(math.exp),
    "exp2": _guarded(lambda x: 2.0**x),
    "expm1": _guarded(math.expm1),
    "log": _log,
    "log2": lambda x: _log(x) / math.log(2),
    "log10": lambda x: _log(x) / math.log(10),
    "log1p": lambda x: _log(1 + x),
    "sqrt": _guarded(math.sqrt),
    "rsqrt": _guarded(lambda x: 1 / math.sqrt(x), INFINITY),
    "reciprocal": lambda x: _divide(1.0, x),
    "sin": math.sin,
    "cos": math.cos,
    "tanh": math.tanh,
    "erf": math.erf,
    "sigmoid": _sigmoid,
    "silu": lambda x: x * _sigmoid(x),
    "gelu": _gelu,
    "relu": lambda x: _larger(x, 0.0),
    "softplus": lambda x, *more: math.log1p(math.exp(-abs(x))) + max(x, 0.0),
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "round": round,
    "sign": lambda x: (x > 0) - (x < 0),
    "floor_divide": _guarded(operator.floordiv),
    "remainder": _guarded(operator.mod),
    "maximum": _larger,
    "minimum": _smaller,
    "fmax": _larger,
    "fmin": _smaller,
    "logaddexp": _logaddexp,
    "clamp": _clamp,
    "where": lambda condition, a, b: a if condition else b,
    "masked_fill": lambda x, mask, number: number if mask else x,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "logical_not": operator.not_,
    "logical_and": lambda a, b: bool(a and b),
    "logical_or": lambda a, b: bool(a or b),
    "logical_xor": lambda a, b: bool(a) is not bool(b),
    "bitwise_not": lambda x: not x if isinstance(x, bool) else ~x,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "isinf": lambda x: math.isinf(x),
    "isnan": lambda x: x != x,
    "isfinite": lambda x: math.isfinite(x),
    "isneginf": lambda x: x == -INFINITY,
    "isposinf": lambda x: x == INFINITY,
    "lerp": lambda a, b, weight: a + weight * (b - a),
    "full_like": lambda x, number: number,
}

REDUCING: dict[str, Callable[[list[Any]], Any]] = {
    "sum": math.fsum,
    "mean": lambda items: math.fsum(items) / len(items),
    "amax": lambda items: _fold(_larger, items),
    "amin": lambda items: _fold(_smaller, items),
    "prod": math.prod,
    "any": any,
    "all": all,
    "argmax": lambda items: items.index(max(items)),
    "argmin": lambda items: items.index(min(items)),
    "count_nonzero": lambda items: sum(item != 0 for item in items),
}
# What follows another formula elsewhere: numbers on one side of a bound say nothing of the other.
PIECEWISE = frozenset(
    (
        *("abs", "relu", "floor", "ceil", "trunc", "round", "sign", "floor_divide", "remainder"),
        *("maximum", "minimum", "fmax", "fmin", "clamp", "where", "masked_fill"),
        *("eq", "ne", "lt", "le", "gt", "ge", "isinf", "isnan", "isfinite", "isneginf", "isposinf"),
        *("amax", "amin", "any", "all", "argmax", "argmin", "count_nonzero", "cummax", "cummin"),
    )
)


def _fold(function: Callable[[Any, Any], Any], items: list[Any]) -> Any:
    result = items[0]
    for item in items[1:]:
        result = function(result, item)
    return result


def _cast(operands: Sequence[Any], attrs: Attrs, shape: Extents, dtype: str) -> Array:
    """Integers are cut off; floats keep all their digits, for the identity to compare is one of real numbers."""
    convert: Callable[[Any], Any] = (bool, _to_integer, float)[category(dtype)]
    return Array(operands[0].shape, list(map(convert, operands[0].data)))


def _to_integer(number: Any) -> int:
    return int(number) if math.isfinite(number) else 0


def _slice_store(operands: Sequence[Any], attrs: Attrs, shape: Extents, dtype: str) -> Array:
    base, stored = operands
    start, strides, extents = 0, [], []
    for part, extent, stride in zip(attrs["region"], base.shape, base.strides, strict=True):
        if isinstance(part, Point):
            start += part.at % extent * stride
            continue
        first, stop, step = part
        start += first * stride
        strides.append(stride * step)
        extents.append(len(range(first, min(stop, extent), step)))
    part_shape = tuple(extents)
    source = arrays.expand(stored, part_shape).data if isinstance(stored, Array) else None
    data = list(base.data)
    for number, place in enumerate(arrays.offsets(part_shape, strides, start)):
        data[place] = stored if source is None else source[number]
    return Array(base.shape, data)


def _triangle(lower: bool) -> Kernel:
    def run(operands: Sequence[Any], attrs: Attrs, shape: Extents, dtype: str) -> Array:
        source, diagonal = operands[0], attrs["diagonal"]
        rows, columns = source.shape[-2:]
        keep = [
            (column - row <= diagonal if lower else column - row >= diagonal)
            for row in range(rows)
            for column in range(columns)
        ]
        return Array(source.shape, [x if keep[place % len(keep)] else 0 for place, x in enumerate(source.data)])

    return run


def _arange(operands: Sequence[Any], attrs: Attrs, shape: Extents, dtype: str) -> Array:
    start, _, step = operands
    return Array(shape, [start + place * step for place in range(shape[0])])


def _scan(function: Callable[[Any, Any], Any]) -> Kernel:
    def run(operands: Sequence[Any], attrs: Attrs, shape: Extents, dtype: str) -> Array:
        source, axis = operands[0], attrs["axis"]
        rows = [arrays.select(source, axis, place) for place in range(source.shape[axis])]
        for place in range(1, len(rows)):
            rows[place] = arrays.elementwise(function, [rows[place - 1], rows[place]])
        one = (*source.shape[:axis], 1, *source.shape[axis + 1 :])
        return arrays.cat([Array(one, row.data) for row in rows], axis)

    return run


def _reshaped(operands: Sequence[Any], attrs: Attrs, shape: Extents, dtype: str) -> Array:
    if arrays.size_of(shape) != len(operands[0].data):
        raise ValueError("a reshape to another number of elements")
    return Array(shape, operands[0].data)


def _stack(operands: Sequence[Any], attrs: Attrs, shape: Extents, dtype: str) -> Array:
    axis = attrs["axis"]
    return arrays.cat([Array((*a.shape[:axis], 1, *a.shape[axis:]), a.data) for a in operands], axis)


def _flip(operands: Sequence[Any], attrs: Attrs, shape: Extents, dtype: str) -> Array:
    result: Array = operands[0]
    strides, start = list(result.strides), 0
    for axis in attrs["axes"]:
        start += (result.shape[axis] - 1) * strides[axis]
        strides[axis] *= -1
    return arrays.view(result, result.shape, strides, start)


def _unfold(operands: Sequence[Any], attrs: Attrs, shape: Extents, dtype: str) -> Array:
    source, axis = operands[0], attrs["axis"]
    strides = list(source.strides)
    stride = strides[axis]
    strides[axis] = stride * attrs["step"]
    count = (source.shape[axis] - attrs["size"]) // attrs["step"] + 1
    return arrays.view(
        source, (*source.shape[:axis], count, *source.shape[axis + 1 :], attrs["size"]), [*strides, stride]
    )


def _contract(operands: Sequence[Any], attrs: Attrs, shape: Extents, dtype: str) -> Array:
    *names, result = attrs["labels"]
    return arrays.contract(operands, names, result)


def _pointwise(function: Callable[..., Any]) -> Kernel:
    return lambda operands, attrs, shape, dtype: arrays.elementwise(function, operands)


def _reducing(function: Callable[[list[Any]], Any]) -> Kernel:
    return lambda operands, attrs, shape, dtype: arrays.reduce(
        operands[0], attrs["axes"], attrs.get("keepdim", False), function
    )


def _filled(number: Any) -> Kernel:
    return lambda operands, attrs, shape, dtype: arrays.full(shape, number)


KERNELS: dict[str, Kernel] = {
    **{op: _pointwise(function) for op, function in POINTWISE.items()},
    **{op: _reducing(function) for op, function in REDUCING.items()},
    "cast": _cast,
    "clone": lambda operands, attrs, shape, dtype: operands[0],
    "reshape": _reshaped,
    "unsqueeze": _reshaped,
    "squeeze": _reshaped,
    "permute": lambda operands, attrs, shape, dtype: arrays.permute(operands[0], attrs["order"]),
    "expand": lambda operands, attrs, shape, dtype: arrays.expand(operands[0], shape),
    "slice": lambda operands, attrs, shape, dtype: arrays.cut(
        operands[0], attrs["axis"], attrs["start"], attrs["stop"], attrs["step"]
    ),
    "select": lambda operands, attrs, shape, dtype: arrays.select(operands[0], attrs["axis"], attrs["index"]),
    "cat": lambda operands, attrs, shape, dtype: arrays.cat(operands, attrs["axis"]),
    "stack": _stack,
    "flip": _flip,
    "unfold": _unfold,
    "slice_store": _slice_store,
    "tril": _triangle(True),
    "triu": _triangle(False),
    "matmul": _contract,
    "einsum": _contract,
    "zeros": _filled(0.0),
    "ones": _filled(1.0),
    "empty": _filled(0.0),
    "full": lambda operands, attrs, shape, dtype: arrays.full(shape, operands[0]),
    "scalar_tensor": lambda operands, attrs, shape, dtype: arrays.full(shape, operands[0]),
    "eye": lambda operands, attrs, shape, dtype: Array(
        shape, [float(row == column) for row in range(shape[0]) for column in range(shape[1])]
    ),
    "arange": _arange,
    "cumsum": _scan(operator.add),
    "cumprod": _scan(operator.mul),
    "cummax": _scan(_larger),
    "cummin": _scan(_smaller),
}
