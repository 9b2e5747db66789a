"""Shapes of results, as far as the operands' shapes are known."""

from __future__ import annotations

from collections.abc import Callable

from r0kit.lint.trace.model import Dimension, Op, Shape, Value


def words(text: str) -> frozenset[str]:
    """The words of `text` as a set."""
    return frozenset(text.split())


ELEMENTWISE = words(
    "add sub mul div pow floordiv mod fmod remainder maximum minimum neg exp exp2 expm1 log log2 log10 log1p sqrt rsqrt "
    "reciprocal abs sigmoid relu sin cos tanh erf cast clip where compare eq ne lt le gt ge greater logical_and "
    "logical_or logical_not round floor ceil trunc sign hypot softmax clone cbrt lrelu prelu bitwise_and bitwise_or "
    "bitwise_xor bitwise_not isfinite isnan copysign"
)
REDUCTIONS = words("sum amax amin prod mean")
BINARY = words("add sub mul div pow floordiv mod fmod remainder maximum minimum")


def result_shape(op: Op) -> Shape | None:
    """The shape of what `op` computes; None where it cannot be told."""
    if op.name in ELEMENTWISE:
        return broadcast([value.shape for value in (*op.args, *op.options.values()) if value.is_tensor])
    if op.name in REDUCTIONS:
        return _reduced(op)
    rule = _RULES.get(op.name)
    return rule(op) if rule is not None and op.args else None


def broadcast(shapes: list[Shape | None]) -> Shape | None:
    """The common shape of operands; None where one of them has no known rank."""
    known = [shape for shape in shapes if shape is not None]
    if not known or len(known) < len(shapes):
        return None
    rank = max(map(len, known))
    padded = [(1,) * (rank - len(shape)) + shape for shape in known]
    return tuple(_common(column) for column in zip(*padded, strict=True))


def _common(dimensions: tuple[Dimension, ...]) -> Dimension:
    larger = [size for size in dimensions if size is not None and size != 1]
    if larger:
        return larger[0]
    return None if None in dimensions else 1


def axis_of(op: Op, index: int = 1, name: str = "dim") -> int | None:
    """The axis that `op` is given, counted from 0; None where it is unknown."""
    value = op.arg(index, name)
    rank = op.args[0].rank if op.args else None
    if value is None or not isinstance(value.number, int) or rank is None:
        return None
    axis = value.number + rank if value.number < 0 else value.number
    return axis if 0 <= axis < rank else None


def keeps(op: Op) -> bool | None:
    """Whether a reduction keeps its axis; None where that is not a constant."""
    value = op.arg(2, "keepdim")
    if value is None:
        return False
    return None if value.number is None else bool(value.number)


def _reduced(op: Op) -> Shape | None:
    axis, keep = axis_of(op), keeps(op)
    if axis is None or keep is None or op.args[0].shape is None:
        return None
    shape = op.args[0].shape
    return (*shape[:axis], *((1,) if keep else ()), *shape[axis + 1 :])


def _matmul(op: Op) -> Shape | None:
    if len(op.args) < 2 or op.args[0].shape is None or op.args[1].shape is None:
        return None
    left, right = op.args[0].shape, op.args[1].shape
    if len(left) != len(right) or len(left) < 2 or {"a_trans", "b_trans"} & op.options.keys():
        return (None,) * len(left) if len(left) == len(right) else None
    return (*left[:-1], right[-1])


def _given(op: Op, index: int, name: str) -> Shape | None:
    return sizes_of(op.arg(index, name))


def sizes_of(value: Value | None) -> Shape | None:
    """A tuple or list of extents as a shape."""
    if value is None or value.kind != "tuple":
        return None
    return tuple(extent_of(item) for item in value.items)


def extent_of(value: Value) -> Dimension:
    """A scalar as an extent: a positive integer, or None."""
    return value.number if isinstance(value.number, int) and value.number > 0 else None


def _unsqueezed(op: Op) -> Shape | None:
    value, shape = op.arg(1, "dim"), op.args[0].shape
    if value is None or not isinstance(value.number, int) or shape is None:
        return None
    axis = value.number if value.number >= 0 else value.number + len(shape) + 1
    return (*shape[:axis], 1, *shape[axis:])


def _transposed(op: Op) -> Shape | None:
    first, second, shape = axis_of(op, 1, "dim0"), axis_of(op, 2, "dim1"), op.args[0].shape
    if first is None or second is None or shape is None:
        return None
    swapped = list(shape)
    swapped[first], swapped[second] = swapped[second], swapped[first]
    return tuple(swapped)


_RULES: dict[str, Callable[[Op], Shape | None]] = {
    "matmul": _matmul,
    "unsqueeze": _unsqueezed,
    "transpose": _transposed,
    "reshape": lambda op: _given(op, 1, "shape"),
    "view": lambda op: _given(op, 1, "shape"),
    "expand_clone": lambda op: _given(op, 1, "shape"),
    "full": lambda op: _given(op, 0, "size"),
    "zeros": lambda op: _given(op, 0, "size"),
    "ones": lambda op: _given(op, 0, "size"),
}
