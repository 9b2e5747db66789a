"""Patterns in the data flow of a kernel: what a value is made of, whatever its lines and names."""

from __future__ import annotations

from collections.abc import Iterator

from r0kit.lint.trace.model import Op, Value

_DEPTH = 12
_WIDE = 6  # levels of a sum or product; each may double what there is to look at
_UNARY = (
    "log",
    "exp",
    "sqrt",
    "abs",
    "sigmoid",
    "relu",
    "rsqrt",
    "log1p",
    "exp2",
    "expm1",
    "log2",
    "reciprocal",
    "tanh",
)
NONLINEAR = frozenset((*_UNARY, "maximum", "minimum", "clip", "pow", "where"))


def made(value: Value | None, *names: str) -> Op | None:
    """The operation that made `value`, where it is one of these."""
    op = value.op if value is not None else None
    return op if op is not None and op.name in names else None


def same(first: Value, second: Value, depth: int = 6) -> bool:
    """Whether two values are the same point of the data flow, or computed alike from the same points."""
    if first is second:
        return True
    if first.is_scalar and second.is_scalar:
        return first.number is not None and first.number == second.number
    a, b = first.op, second.op
    if not depth or a is None or b is None or a.name != b.name or len(a.args) != len(b.args) or a.name == "slice":
        return False
    return all(same(x, y, depth - 1) for x, y in zip(a.args, b.args, strict=True))


def negated(value: Value) -> Value | None:
    """x, where `value` is -x in any spelling."""
    op = made(value, "neg", "mul", "sub")
    if op is None:
        return None
    if op.name == "neg":
        return op.args[0]
    if op.name == "mul":
        factor = scale(value)
        return factor[0] if factor is not None and factor[1] == -1 else None
    return op.args[1] if len(op.args) > 1 and op.args[0].number == 0 else None


def scale(value: Value) -> tuple[Value, float | None] | None:
    """(x, c), where `value` is x times or divided by a scalar; c is None where the scalar is unknown."""
    op = made(value, "mul", "div")
    if op is None or len(op.args) < 2:
        return None
    left, right = op.args[:2]
    if left.is_tensor and _like_scalar(right):
        known = right.number is not None and (op.name == "mul" or right.number != 0)
        number = right.number if op.name == "mul" else (1 / right.number if right.number else None)
        return left, number if known else None
    return (right, left.number) if op.name == "mul" and right.is_tensor and _like_scalar(left) else None


def _like_scalar(value: Value) -> bool:
    """A scalar, or something that is no tensor as far as the file tells, such as a parameter of a factory."""
    return value.is_scalar or value.kind == "unknown"


def unscaled(value: Value) -> Value:
    """`value` without the scalars that it is multiplied or divided by."""
    for _ in range(_DEPTH):
        found = scale(value)
        if found is None:
            return value
        value = found[0]
    return value


def offset(value: Value) -> tuple[Value, float | None] | None:
    """(x, c), where `value` is x + c or x - c with a scalar c."""
    op = made(value, "add", "sub")
    if op is None or len(op.args) < 2:
        return None
    left, right = op.args[:2]
    if left.is_tensor and right.is_scalar:
        return left, -right.number if op.name == "sub" and right.number is not None else right.number
    return (right, left.number) if op.name == "add" and right.is_tensor and left.is_scalar else None


def square(value: Value) -> Value | None:
    """x, where `value` is x * x or x ** 2."""
    op = made(value, "mul", "pow")
    if op is None or len(op.args) < 2:
        return None
    if op.name == "pow":
        return op.args[0] if op.args[1].number == 2 else None
    return op.args[0] if op.args[0].is_tensor and same(op.args[0], op.args[1]) else None


def factors(value: Value, whole: Value | None = None, depth: int = _WIDE) -> list[Value]:
    """The operands of a product, however it is bracketed; `whole` is one operand, even where it is a product itself."""
    op = made(value, "mul")
    if op is None or len(op.args) < 2 or not depth or value is whole:
        return [value]
    return [factor for operand in op.args[:2] for factor in factors(operand, whole, depth - 1)]


def terms(value: Value, sign: int = 1, depth: int = _WIDE) -> list[tuple[int, Value]]:
    """The operands of a sum with their signs, however it is bracketed."""
    op = made(value, "add", "sub")
    if op is None or len(op.args) < 2 or not depth:
        return [(sign, value)]
    right = sign if op.name == "add" else -sign
    return [*terms(op.args[0], sign, depth - 1), *terms(op.args[1], right, depth - 1)]


def root_name(value: Value) -> str:
    """The name of the parameter that `value` is a part or another form of; "" where it is computed."""
    for _ in range(_DEPTH):
        op = made(value, "slice", "view", "cast", "reshape")
        if op is None or not op.args:
            return value.name
        value = op.args[0]
    return ""


def behind(value: Value, depth: int = _DEPTH) -> Iterator[Op]:
    """The operations that `value` is computed from, each once, nearest first."""
    seen: set[int] = set()
    level = [value]
    for _ in range(depth):
        found = [v.op for v in level if v.op is not None and id(v.op) not in seen]
        seen.update(map(id, found))
        yield from found
        level = [argument for op in found for argument in op.args if argument.op is not None]


def depends(value: Value, on: Value) -> bool:
    """Whether `on` is among what `value` is computed from."""
    return value is on or any(argument is on for op in behind(value) for argument in op.args)
