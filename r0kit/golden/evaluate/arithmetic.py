"""Operators: on numbers they stay symbolic, on sequences and strings they are Python's, on tensors they are Steps."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim
from r0kit.golden.evaluate.operations import operate
from r0kit.golden.evaluate.run import Run
from r0kit.golden.scalars import Apply, Constant, Extent, Parameter, Scalar, apply, extents_of
from r0kit.golden.values import (
    DictValue,
    DtypeValue,
    LibraryValue,
    ScalarValue,
    SequenceValue,
    TensorValue,
    UnknownValue,
    Value,
    constant,
    elsewhere,
    is_none,
)

# Syntax -> function of `scalars.FUNCTIONS` ("" where numbers have none), path of the operation, Python's own function.
_Row = tuple[str, str, Callable[..., Any]]
BINARY: dict[type[ast.AST], _Row] = {
    ast.Add: ("+", "operator.add", operator.add),
    ast.Sub: ("-", "operator.sub", operator.sub),
    ast.Mult: ("*", "operator.mul", operator.mul),
    ast.Div: ("/", "operator.truediv", operator.truediv),
    ast.FloorDiv: ("//", "operator.floordiv", operator.floordiv),
    ast.Mod: ("%", "operator.mod", operator.mod),
    ast.Pow: ("**", "operator.pow", operator.pow),
    ast.MatMult: ("", "operator.matmul", operator.matmul),
    ast.BitAnd: ("&", "operator.and_", operator.and_),
    ast.BitOr: ("|", "operator.or_", operator.or_),
    ast.BitXor: ("^", "operator.xor", operator.xor),
    ast.LShift: ("<<", "operator.lshift", operator.lshift),
    ast.RShift: (">>", "operator.rshift", operator.rshift),
}
COMPARE: dict[type[ast.AST], _Row] = {
    ast.Lt: ("<", "operator.lt", operator.lt),
    ast.LtE: ("<=", "operator.le", operator.le),
    ast.Gt: (">", "operator.gt", operator.gt),
    ast.GtE: (">=", "operator.ge", operator.ge),
    ast.Eq: ("==", "operator.eq", operator.eq),
    ast.NotEq: ("!=", "operator.ne", operator.ne),
}
UNARY: dict[type[ast.AST], tuple[str, str]] = {
    ast.USub: ("neg", "operator.neg"),
    ast.UAdd: ("", "operator.pos"),
    ast.Invert: ("", "operator.invert"),
}
_SIZE_LIMIT = 1 << 16  # bits or items that a constant expression may grow to


def _known(run: Run, node: ast.AST, value: Value) -> Value:
    """A value as it is; unknown, with a finding, where it is a number that another file defines."""
    if not isinstance(value, LibraryValue):
        return value
    return run.unsupported(node, elsewhere(value), "write its value in this file", "golden.unknown-name")


def binary(run: Run, node: ast.AST, kind: type[ast.AST], left: Value, right: Value) -> Value:
    """`left <kind> right`."""
    path = BINARY[kind][1]
    left, right = _known(run, node, left), _known(run, node, right)
    if isinstance(left, TensorValue) or isinstance(right, TensorValue):
        return operate(run, node, path, (left, right), {})
    if isinstance(left, ScalarValue) and isinstance(right, ScalarValue):
        return numbers(run, node, kind, left, right)
    if isinstance(left, UnknownValue) or isinstance(right, UnknownValue):
        return operate(run, node, path, (left, right), {})
    joined = _of_sequences(run, kind, left, right)
    return joined or run.unsupported(node, f"`{run.source.written(node)}` combines values that r0kit cannot combine")


def numbers(run: Run, node: ast.AST, kind: type[ast.AST], left: ScalarValue, right: ScalarValue) -> Value:
    """An operator of two scalars."""
    function, _, python = BINARY.get(kind) or COMPARE[kind]
    try:
        if isinstance(left.scalar, Constant) and isinstance(right.scalar, Constant):
            _within_limits(kind, left.scalar.value, right.scalar.value)
            return constant(python(left.scalar.value, right.scalar.value))
        if not function:
            raise TypeError("numbers have no such operator")
        return ScalarValue(apply(function, left.scalar, right.scalar), _type(kind, left, right))
    except (ArithmeticError, TypeError, ValueError) as error:
        return run.unsupported(node, f"`{run.source.written(node)}` cannot be computed: {error}")


def _within_limits(kind: type[ast.AST], left: Any, right: Any) -> None:
    """ValueError where a constant would take more memory than any golden's constant does."""
    if kind is ast.Pow and isinstance(left, int) and isinstance(right, int):
        size = left.bit_length() * max(right, 0)
    elif kind is ast.LShift and isinstance(right, int):
        size = right
    elif kind is ast.Mod and isinstance(left, (str, bytes)):
        text = left if isinstance(left, str) else left.decode("latin-1")
        size = max((int(width) for width in re.findall(r"\d{1,20}", text)), default=0)  # "%99999d" asks for as many
    elif kind is ast.Add and isinstance(left, (str, bytes)) and isinstance(right, (str, bytes)):
        size = len(left) + len(right)
    elif kind is ast.Mult and isinstance(left, (str, bytes)) | isinstance(right, (str, bytes)):
        size = len(left) * right if isinstance(right, int) else len(right) * left
    elif kind is ast.Mult and isinstance(left, int) and isinstance(right, int):
        size = left.bit_length() + right.bit_length()
    else:
        return
    if size > _SIZE_LIMIT:
        raise ValueError("the result is too large")


def _type(kind: type[ast.AST], left: ScalarValue, right: ScalarValue) -> type | None:
    if kind in COMPARE:
        return bool
    if kind is ast.Div:
        return float
    if float in (left.type, right.type):
        return float
    return int if left.type in (int, bool) and right.type in (int, bool) and kind is not ast.Pow else None


def _of_sequences(run: Run, kind: type[ast.AST], left: Value, right: Value) -> Value | None:
    """Lists and tuples joined or repeated, dictionaries merged."""
    if kind is ast.Add and isinstance(left, SequenceValue) and isinstance(right, SequenceValue):
        if len(left.items) + len(right.items) > _SIZE_LIMIT:
            raise OperationError(f"a list of more than {_SIZE_LIMIT} items", "use a tensor")
        return SequenceValue([*left.items, *right.items], left.is_list)
    if kind is ast.Mult and isinstance(right, SequenceValue):
        left, right = right, left
    if kind is ast.Mult and isinstance(left, SequenceValue):
        count = run.builder.integer(right, "the number of repetitions")
        if len(left.items) * count <= _SIZE_LIMIT:
            return SequenceValue(left.items * count, left.is_list)
    if kind is ast.BitOr and isinstance(left, DictValue) and isinstance(right, DictValue):
        return DictValue({**left.items, **right.items})
    if kind is ast.Mod and isinstance(left, ScalarValue):
        return constant("")  # `"..." % values`: a message, never a key
    return None


def unary(run: Run, node: ast.AST, kind: type[ast.AST], operand: Value) -> Value:
    """`-x`, `+x`, `~x`."""
    function, path = UNARY[kind]
    operand = _known(run, node, operand)
    if isinstance(operand, (TensorValue, UnknownValue)):
        return operate(run, node, path, (operand,), {})
    if isinstance(operand, ScalarValue) and kind is ast.UAdd:
        return operand
    if isinstance(operand, ScalarValue) and kind is ast.USub:
        try:
            return ScalarValue(apply(function, operand.scalar), operand.type)
        except (ArithmeticError, TypeError, ValueError) as error:
            return run.unsupported(node, f"`{run.source.written(node)}` cannot be computed: {error}")
    if isinstance(operand, ScalarValue) and isinstance(operand.scalar, Constant) and type(operand.scalar.value) is int:
        return constant(~operand.scalar.value)
    return run.unsupported(node, f"`{run.source.written(node)}` has an operand that r0kit cannot use")


def compare(run: Run, node: ast.AST, kind: type[ast.AST], left: Value, right: Value) -> Value:
    """`left <kind> right`; tensors give a tensor, everything else a truth value or a symbolic one."""
    if kind in (ast.Is, ast.IsNot):
        return _identity(left, right, kind is ast.Is)
    if kind in (ast.In, ast.NotIn):
        return _membership(run, node, left, right, kind is ast.In)
    if kind not in (ast.Eq, ast.NotEq):
        left, right = _known(run, node, left), _known(run, node, right)
    if isinstance(left, TensorValue) or isinstance(right, TensorValue):
        return _with_tensor(run, node, kind, left, right)
    if isinstance(left, UnknownValue) or isinstance(right, UnknownValue):
        return UnknownValue("it compares something that is not known")
    if isinstance(left, ScalarValue) and isinstance(right, ScalarValue):
        return _scalars(run, node, kind, left, right)
    equal = equality(left, right)
    if equal is None or kind not in (ast.Eq, ast.NotEq):
        return run.unsupported(node, f"`{run.source.written(node)}` compares values that r0kit cannot compare")
    return equal if kind is ast.Eq else _negated(equal)


def _with_tensor(run: Run, node: ast.AST, kind: type[ast.AST], left: Value, right: Value) -> Value:
    other = right if isinstance(left, TensorValue) else left
    if is_none(other) or not isinstance(other, (TensorValue, ScalarValue, UnknownValue)):
        return constant(kind is ast.NotEq)
    return operate(run, node, COMPARE[kind][1], (left, right), {})


def _scalars(run: Run, node: ast.AST, kind: type[ast.AST], left: ScalarValue, right: ScalarValue) -> Value:
    known = _by_algebra(kind, left.scalar, right.scalar) if not run.trials or not _of_trip(run, left, right) else None
    if known is not None:
        return constant(known)
    if is_none(left) or is_none(right):
        return constant(kind is ast.NotEq)
    return numbers(run, node, kind, left, right)


def _of_trip(run: Run, left: ScalarValue, right: ScalarValue) -> bool:
    """Whether the number of a trip takes part, which counts from 0 where extents count from 1."""
    symbols = extents_of(left.scalar) | extents_of(right.scalar)
    return any(trial.trip in symbols for trial in run.trials)


def _by_algebra(kind: type[ast.AST], left: Scalar, right: Scalar) -> bool | None:
    """What an order of extents is for all extents of at least 1; None where it depends on them."""
    a, b = _dim(left), _dim(right)
    if a is None or b is None or (a.const is not None and b.const is not None):
        return None
    gap = a - b
    if gap.const is not None:
        return bool(COMPARE[kind][2](gap.const, 0))
    least, most = _least(gap), _least(-gap)
    for bound, sign in ((least, 1), (most, -1)):
        if bound is not None and bound > 0:
            return bool(COMPARE[kind][2](sign, 0))
        if bound == 0 and kind in ((ast.GtE, ast.Lt) if sign > 0 else (ast.LtE, ast.Gt)):
            return kind in (ast.GtE, ast.LtE)
    return None


def _dim(scalar: Scalar) -> Dim | None:
    if isinstance(scalar, Extent):
        return scalar.dim
    known = isinstance(scalar, Constant) and type(scalar.value) is int
    return Dim.of(scalar.value) if known and isinstance(scalar, Constant) else None


def _least(dim: Dim) -> int | None:
    """The smallest value for extents of at least 1, where every term but the constant grows with them."""
    total = 0
    for monomial, factor in dim.terms:
        if monomial and (factor < 0 or not all(isinstance(atom, str) for atom, _ in monomial)):
            return None
        total += factor
    return total


def _identity(left: Value, right: Value, wanted: bool) -> Value:
    if isinstance(left, UnknownValue) or isinstance(right, UnknownValue):
        return UnknownValue("it compares something that is not known")
    for one, other in ((left, right), (right, left)):
        if is_none(one):
            return constant(is_none(other) is wanted)
    equal = equality(left, right)
    if equal is None:
        return constant((left is right) is wanted)
    return equal if wanted else _negated(equal)


def _negated(value: Value) -> Value:
    if isinstance(value, ScalarValue) and isinstance(value.scalar, Constant):
        return constant(not value.scalar.value)
    return ScalarValue(Apply("not", (value.scalar,)), bool) if isinstance(value, ScalarValue) else value


def equality(left: Value, right: Value) -> Value | None:
    """`left == right` as a truth value, symbolic where it depends on extents or parameters; None where unknown."""
    if isinstance(left, ScalarValue) and isinstance(right, ScalarValue):
        if left.scalar == right.scalar:
            return constant(True)
        if isinstance(left.scalar, Constant) and isinstance(right.scalar, Constant):
            return constant(left.scalar.value == right.scalar.value)
        known = _by_algebra(ast.Eq, left.scalar, right.scalar)
        return constant(known) if known is not None else ScalarValue(Apply("==", (left.scalar, right.scalar)), bool)
    if isinstance(left, SequenceValue) and isinstance(right, SequenceValue):
        return _all_equal(left, right)
    if isinstance(left, DtypeValue | LibraryValue) and isinstance(right, DtypeValue | LibraryValue):
        return constant(left == right)
    if isinstance(left, TensorValue) and isinstance(right, TensorValue):
        return constant(left.ref == right.ref)
    if type(left) is not type(right) and not isinstance(left, UnknownValue) and not isinstance(right, UnknownValue):
        return constant(False)
    return None


def _all_equal(left: SequenceValue, right: SequenceValue) -> Value | None:
    if len(left.items) != len(right.items):
        return constant(False)
    pending: list[Scalar] = []
    for a, b in zip(left.items, right.items, strict=True):
        equal = equality(a, b)
        if not isinstance(equal, ScalarValue):
            return None
        if equal.scalar == Constant(False):
            return equal
        if not isinstance(equal.scalar, Constant):
            pending.append(equal.scalar)
    if not pending:
        return constant(True)
    result = pending[0]
    for scalar in pending[1:]:
        result = Apply("&", (result, scalar))
    return ScalarValue(result, bool)


def _membership(run: Run, node: ast.AST, left: Value, right: Value, wanted: bool) -> Value:
    if isinstance(right, DictValue):
        key = _plain(run, left)
        return constant((key in right.items) is wanted)
    if isinstance(right, ScalarValue) and isinstance(right.scalar, Constant) and isinstance(right.scalar.value, str):
        return constant((str(_plain(run, left)) in right.scalar.value) is wanted)
    if not isinstance(right, SequenceValue) or isinstance(left, UnknownValue):
        return UnknownValue("what it looks in is not known")
    pending: list[Scalar] = []
    for item in right.items:
        equal = equality(left, item)
        if not isinstance(equal, ScalarValue):
            return UnknownValue("an item of what it looks in is not known")
        if equal.scalar == Constant(True):
            return constant(wanted)
        if not isinstance(equal.scalar, Constant):
            pending.append(equal.scalar)
    if not pending:
        return constant(not wanted)
    result = pending[0]
    for scalar in pending[1:]:
        result = Apply("|", (result, scalar))
    found = ScalarValue(result, bool)
    return found if wanted else _negated(found)


def _plain(run: Run, value: Value) -> Any:
    """A constant or parameter as the Python object it is. OperationError where it is none."""
    if isinstance(value, ScalarValue) and isinstance(value.scalar, (Constant, Parameter)):
        return run.builder.fold(value, "the key")
    raise OperationError("the key is not known before the golden runs")
