"""Composites that normalise or summarise over axes: expanded into the Steps that they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from r0kit.golden.builder import OperationError
from r0kit.golden.dtypes import is_float
from r0kit.golden.ops.expr import Expr, count, lift
from r0kit.golden.ops.row import Call, Operation, row
from r0kit.golden.scalars import Constant, apply
from r0kit.golden.values import NONE, ScalarValue, Value, extent, sequence


def expression(call: Call, name: str = "input") -> Expr:
    return Expr(call.builder, call.tensor(name))


# Softmax and relatives


def softmax_of(x: Expr, axis: int) -> Expr:
    """`exp(x - max) / sum(exp(x - max))`."""
    e = (x - x.over("amax", (axis,))).op("exp")
    return e / e.over("sum", (axis,))


def log_softmax_of(x: Expr, axis: int) -> Expr:
    """`x - max - log(sum(exp(x - max)))`."""
    shifted = x - x.over("amax", (axis,))
    return shifted - shifted.op("exp").over("sum", (axis,)).op("log")


def logsumexp_of(x: Expr, axes: Sequence[int], keepdim: bool) -> Expr:
    """`max + log(sum(exp(x - max)))`."""
    top = x.over("amax", axes)
    total = (x - top).op("exp").over("sum", axes)
    return (total.op("log") + top).drop(axes, keepdim)


def _normalising(name: str, formula: Callable[[Expr, int], Expr], negated: bool = False) -> Callable[[Call], Value]:
    """A rule of the softmax family: dtype= converts first; narrow floats are computed in float32."""

    def rule(call: Call) -> Value:
        x, dtype = expression(call), call.dtype()
        axis = call.axis("dim", x.rank) if call.given("dim") else _legacy_axis(x.rank)
        if dtype is None and not is_float(x.dtype):
            raise OperationError(f"torch has no {name} of {x.dtype}", "cast to a float dtype first")
        with call.builder.composite(name):
            x = x.to(dtype) if dtype else x
            wide = -x.wide() if negated else x.wide()
            return formula(wide, axis).to(x.dtype).value

    return rule


def _legacy_axis(rank: int) -> int:
    """The axis that torch's softmax takes where none is given."""
    return 0 if rank in (0, 1, 3) else 1


def _logsumexp(call: Call) -> Value:
    x = expression(call)
    axes, keepdim = call.axes("dim", x.rank), call.flag("keepdim")
    with call.builder.composite("logsumexp"):
        floating = x.floating()
        return logsumexp_of(floating.wide(), axes, keepdim).to(floating.dtype).value


# Moments


def moments(x: Expr, axes: Sequence[int], correction: Value | float) -> tuple[Expr, Expr]:
    """Mean and variance over axes, both with the axes kept; the variance is the centred one."""
    mean = x.over("mean", axes)
    centred = x - mean
    squares = centred.op("square").over("sum", axes)
    return mean, squares / _degrees(x, axes, correction)


def _degrees(x: Expr, axes: Sequence[int], correction: Value | float) -> Value:
    total = extent(count(x.shape, axes))
    less = lift(correction)
    if not isinstance(less, ScalarValue):
        raise OperationError("the correction of a variance is a number")
    if less.scalar in (Constant(0), Constant(0.0)):
        return total
    return ScalarValue(apply("-", total.scalar, less.scalar), int)


def _correction(call: Call) -> Value | float:
    """`correction`, or what `unbiased` means; 1 by default."""
    if call.given("correction"):
        return call["correction"]
    if call.given("unbiased"):
        return 1 if call.flag("unbiased") else 0
    return 1


def _moment(want: str) -> Callable[[Call], Value]:
    """var, std, var_mean, std_mean. torch's old form has `unbiased` in the place of `dim`."""

    def rule(call: Call) -> Value:
        x = expression(call)
        call = _old_form(call)
        axes, keepdim = call.axes("dim", x.rank), call.flag("keepdim")
        with call.builder.composite(want):
            mean, variance = moments(x.wide(), axes, _correction(call))
            spread = variance.op("sqrt") if want.startswith("std") else variance
            first = spread.drop(axes, keepdim).to(x.dtype).value
            if not want.endswith("_mean"):
                return first
            return sequence(first, mean.drop(axes, keepdim).to(x.dtype).value)

    return rule


def _old_form(call: Call) -> Call:
    """`var(x, False)` and `var(x, dim, False, True)` as the keyword form."""
    given = dict(call.arguments)
    first = given["dim"]
    if isinstance(first, ScalarValue) and first.type is bool:
        given |= {"dim": NONE, "unbiased": first}
    return Call(call.builder, call.path, given)


def _norm(call: Call) -> Value:
    """Vector norms of any order over any axes."""
    x = expression(call)
    axes, keepdim = call.axes("dim", x.rank), call.flag("keepdim")
    order = call.builder.fold(call["ord" if "ord" in call.arguments else "p"], "p")
    with call.builder.composite("norm"):
        x = x.to(call.dtype() or x.dtype)
        return norm_of(x.wide(), order, axes, keepdim).to(x.dtype).value


def norm_of(x: Expr, order: object, axes: Sequence[int], keepdim: bool) -> Expr:
    """The p-norm over axes: p = 2 (also "fro" and None), 1, 0, inf, -inf, or any number."""
    if order in (2, "fro", None):
        return x.op("square").over("sum", axes, keepdim).op("sqrt")
    size = x.op("abs")
    if order == 1:
        return size.over("sum", axes, keepdim)
    if order in (float("inf"), float("-inf")):
        return size.over("amax" if order == float("inf") else "amin", axes, keepdim)
    if order == 0:
        return x.op("ne", 0).to(x.dtype).over("sum", axes, keepdim)
    if not isinstance(order, (int, float)):
        raise OperationError(f"no norm of order {order!r}", "use a vector norm")
    return size.op("pow", order).over("sum", axes, keepdim).op("pow", 1.0 / order)


def _normalize(call: Call) -> Value:
    """`x / max(norm, eps)`."""
    x = expression(call)
    axes = call.axes("dim", x.rank)
    with call.builder.composite("normalize"):
        length = norm_of(x.wide(), call.builder.fold(call["p"], "p"), axes, True).to(x.dtype)
        return (x / length.op("clamp", call["eps"], NONE, dtype=length.dtype)).value


def _pair(call: Call, left: str, right: str) -> tuple[Expr, Expr]:
    return expression(call, left), expression(call, right)


def _cosine_similarity(call: Call) -> Value:
    """`sum(a * b) / (max(|a|, eps) * max(|b|, eps))`."""
    a, b = _pair(call, "x1", "x2")
    shape = call.builder.broadcast(a.shape, b.shape)
    axis = call.axis("dim", len(shape))
    with call.builder.composite("cosine_similarity"):
        a, b = a.expand(shape), b.expand(shape)
        lengths = [norm_of(x, 2, (axis,), False).op("clamp", call["eps"], NONE, dtype=x.dtype) for x in (a, b)]
        return ((a * b).over("sum", (axis,), False) / (lengths[0] * lengths[1])).value


def _pairwise_distance(call: Call) -> Value:
    """`|a - b + eps|_p` over the last axis."""
    a, b = _pair(call, "x1", "x2")
    with call.builder.composite("pairwise_distance"):
        gap = a - b + call["eps"]
        return norm_of(gap, call.builder.fold(call["p"], "p"), (gap.rank - 1,), call.flag("keepdim")).value


def _cdist(call: Call) -> Value:
    """`|a_i - b_j|_p` for all pairs of rows."""
    a, b = _pair(call, "x1", "x2")
    with call.builder.composite("cdist"):
        gap = a.unsqueeze(a.rank - 1) - b.unsqueeze(b.rank - 2)
        return norm_of(gap, call.builder.fold(call["p"], "p"), (gap.rank - 1,), False).value


def _dist(call: Call) -> Value:
    a, b = _pair(call, "input", "other")
    with call.builder.composite("dist"):
        gap = a - b
        return norm_of(gap, call.builder.fold(call["p"], "p"), tuple(range(gap.rank)), False).value


_SOFTMAX = "(input, dim=None, _stacklevel=3, dtype=None)"
_DIM = "(input, dim=None, dtype=None)"
_MOMENT = "(input, dim=None, unbiased=None, keepdim=False, *, correction=None)"
ROWS: list[Operation] = [
    row("softmax", "F.softmax", _SOFTMAX, _normalising("softmax", softmax_of)),
    row("softmax", "both.softmax special.softmax", _DIM, _normalising("softmax", softmax_of)),
    row("softmin", "F.softmin", _SOFTMAX, _normalising("softmin", softmax_of, negated=True)),
    row("log_softmax", "F.log_softmax", _SOFTMAX, _normalising("log_softmax", log_softmax_of)),
    row("log_softmax", "both.log_softmax special.log_softmax", _DIM, _normalising("log_softmax", log_softmax_of)),
    row("logsumexp", "both.logsumexp special.logsumexp", "(input, dim=None, keepdim=False)", _logsumexp),
    *(row(name, f"both.{name}", _MOMENT, _moment(name)) for name in ("var", "std")),
    *(row(name, f"torch.{name}", _MOMENT, _moment(name)) for name in ("var_mean", "std_mean")),
    row("norm", "both.norm", "(input, p='fro', dim=None, keepdim=False, dtype=None)", _norm),
    row("norm", "linalg.vector_norm", "(input, ord=2, dim=None, keepdim=False, *, dtype=None)", _norm),
    row("normalize", "F.normalize", "(input, p=2.0, dim=1, eps=1e-12)", _normalize),
    row(
        "cosine_similarity",
        "F.cosine_similarity torch.cosine_similarity",
        "(x1, x2, dim=1, eps=1e-8)",
        _cosine_similarity,
    ),
    row(
        "pairwise_distance",
        "F.pairwise_distance torch.pairwise_distance",
        "(x1, x2, p=2.0, eps=1e-6, keepdim=False)",
        _pairwise_distance,
    ),
    row("cdist", "torch.cdist", "(x1, x2, p=2.0)", _cdist),
    row("dist", "both.dist", "(input, other, p=2)", _dist),
]
