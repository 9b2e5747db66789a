"""All rows by spelling, and the call of one: what the evaluator asks of the operation tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import shape_text
from r0kit.golden.dtypes import category
from r0kit.golden.ops import (
    arrangement,
    attention,
    composite,
    contraction,
    conv,
    creation,
    einops,
    einsum,
    elementwise,
    gather,
    layers,
    layout_rows,
    linear_algebra,
    loss,
    more,
    norm,
    ordering,
    pointwise,
    pool,
    reduction,
    refused,
    splitting,
    vision,
)
from r0kit.golden.ops.elementwise import cast
from r0kit.golden.ops.ranks import applied
from r0kit.golden.ops.row import Call, Operation, bind
from r0kit.golden.values import TensorValue, Value, constant

FUNCTIONAL: tuple[Operation, ...] = (
    *elementwise.ROWS,
    *pointwise.ROWS,
    *reduction.ROWS,
    *contraction.ROWS,
    *layout_rows.ROWS,
    *splitting.ROWS,
    *creation.ROWS,
    *composite.ROWS,
    *einsum.ROWS,
    *conv.ROWS,
    *pool.ROWS,
    *arrangement.ROWS,
    *gather.ROWS,
    *ordering.ROWS,
    *norm.ROWS,
    *attention.ROWS,
    *loss.ROWS,
    *vision.ROWS,
    *linear_algebra.ROWS,
    *einops.ROWS,
    *more.ROWS,
    *refused.ROWS,
)


def _by_spelling(operations: Sequence[Operation]) -> dict[str, Operation]:
    known: dict[str, Operation] = {}
    for operation in operations:
        for spelling in operation.spellings:
            if spelling in known:
                raise ValueError(f"{spelling} is a spelling of two rows: {known[spelling].name}, {operation.name}")
            known[spelling] = operation
    return known


ROWS: tuple[Operation, ...] = (*FUNCTIONAL, *layers.rows(_by_spelling(FUNCTIONAL)))
BY_SPELLING: Mapping[str, Operation] = _by_spelling(ROWS)


# `x += y` on a tensor writes into x.
IN_PLACE_OPERATORS = {
    f"operator.i{name}": f"operator.{name}"
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift", "xor")
} | {"operator.iand": "operator.and_", "operator.ior": "operator.or_"}
# Rows whose in-place methods change the shape.
RESHAPING = frozenset({"unsqueeze", "squeeze", "transpose"})


@cache
def find(path: str) -> Operation | None:
    """The row that a full spelling means; an in-place spelling (`torch.Tensor.add_`) means the row without `_`."""
    known = BY_SPELLING.get(IN_PLACE_OPERATORS.get(path, path))
    if known is None and is_in_place(path):
        return BY_SPELLING.get(path[:-1])
    return known


def is_in_place(path: str) -> bool:
    """Whether a spelling changes its first operand: `add_`, `relu_`, `operator.iadd`."""
    return path in IN_PLACE_OPERATORS or (path.startswith("torch.") and path.endswith("_"))


def says_in_place(builder: Builder, path: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> bool:
    """Whether a call is given `inplace=True`, by name or by place: `F.relu(x, inplace=True)`, `nn.ELU(1.0, True)(x)`."""
    operation = find(path)
    if operation is None or ("inplace" not in kwargs and "inplace" not in operation.signature):
        return False
    try:
        flag = bind(operation.signature, path, args, kwargs).get("inplace", constant(False))
        return bool(builder.fold(flag, "inplace"))
    except OperationError:
        return False


def call(builder: Builder, path: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The value of `path(*args, **kwargs)`, with its Steps emitted.

    An in-place spelling keeps the dtype and the shape of its first operand. OperationError where no row knows the path,
    the arguments do not fit, or torch would refuse.
    """
    operation = find(path)
    if operation is None:
        raise OperationError(f"{path} is not in r0kit's tables", "write it with operations that are, or keep it opaque")
    result = applied(operation, Call(builder, path, bind(operation.signature, path, args, kwargs)))
    keeps = is_in_place(path) and operation.name not in RESHAPING
    return _kept(builder, path, args[0], result) if keeps and args else result


def _kept(builder: Builder, path: str, first: Value, result: Value) -> Value:
    if not isinstance(first, TensorValue) or not isinstance(result, TensorValue):
        return result
    if len(result.shape) > first.rank:
        raise OperationError(
            f"{path.rpartition('.')[2]} cannot grow {shape_text(first.shape)} to {shape_text(result.shape)}"
        )
    if category(result.dtype) > category(first.dtype):
        raise OperationError(f"a {result.dtype} result cannot be stored into {first.dtype} in place")
    return cast(builder, result, first.dtype)
