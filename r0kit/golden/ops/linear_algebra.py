"""Linear algebra: what is a product is expanded; factorisations are opaque Steps with a known shape."""

from __future__ import annotations

from collections.abc import Callable

from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, Shape, shape_text
from r0kit.golden.ops.composite import expression, norm_of
from r0kit.golden.ops.expr import Expr
from r0kit.golden.ops.extents import count_of
from r0kit.golden.ops.row import Call, Operation, row
from r0kit.golden.scalars import Constant, Extent, apply
from r0kit.golden.values import ScalarValue, TensorValue, Value, sequence


def opaque(builder: Builder, text: str, operands: list[TensorValue], shape: Shape, dtype: str) -> TensorValue:
    """A Step that r0kit does not look into; `text` computes it from its operands."""
    name = text.partition("(")[0]
    builder.note(
        "golden.opaque",
        f"{name} is one opaque Step: r0kit knows its shape, not how it runs",
        "decide by hand which Module computes it, or write its loop out",
    )
    return builder.emit("opaque", operands, shape, dtype, call=text)


def _square(call: Call, name: str) -> TensorValue:
    value = call.tensor(name)
    if value.rank < 2:
        raise OperationError(f"a matrix is needed, not {shape_text(value.shape)}")
    call.builder.same(value.shape[-1], value.shape[-2], "a square matrix")
    return value


def _of_square(function: str, drop: int = 0) -> Callable[[Call], Value]:
    """inverse, Cholesky factor, exponential, determinant: one operand, its shape without the last `drop` axes."""

    def rule(call: Call) -> Value:
        value = _square(call, "input")
        shape = value.shape[: value.rank - drop]
        return opaque(call.builder, f"{function}({{0}})", [value], shape, value.dtype)

    return rule


def _solve(call: Call) -> Value:
    matrix, other = _square(call, "input"), call.tensor("other")
    return opaque(call.builder, "torch.linalg.solve({0}, {1})", [matrix, other], other.shape, other.dtype)


def _solve_triangular(call: Call) -> Value:
    matrix, other = _square(call, "input"), call.tensor("other")
    flags = ", ".join(f"{name}={call.flag(name)}" for name in ("upper", "left", "unitriangular"))
    batch = call.builder.broadcast(matrix.shape[:-2], other.shape[:-2])
    text = f"torch.linalg.solve_triangular({{0}}, {{1}}, {flags})"
    return opaque(call.builder, text, [matrix, other], (*batch, *other.shape[-2:]), other.dtype)


def _pinv(call: Call) -> Value:
    value = call.tensor("input")
    shape = (*value.shape[:-2], value.shape[-1], value.shape[-2])
    return opaque(call.builder, "torch.linalg.pinv({0})", [value], shape, value.dtype)


def _matrix_power(call: Call) -> Value:
    """Repeated products, by squaring."""
    x, power = Expr(call.builder, _square(call, "input")), call.integer("n")
    if power < 1:
        raise OperationError(f"matrix_power of {power} needs an inverse or an identity", "write it out")
    with call.builder.composite("matrix_power"):
        result: Expr | None = None
        while power:
            if power & 1:
                result = x if result is None else result @ x
            power >>= 1
            x = x @ x if power else x
        assert result is not None
        return result.value


def _cross(call: Call) -> Value:
    """`a[1] b[2] - a[2] b[1]`, and so on round, along an axis of extent 3."""
    builder = call.builder
    a, b = expression(call), expression(call, "other")
    shape = builder.broadcast(a.shape, b.shape)
    axis = call.axis("dim", len(shape)) if call.given("dim") else _axis_of_three(shape)
    if count_of(builder, shape[axis], "axis of a cross product") != 3:
        raise OperationError(f"cross needs an axis of extent 3, not {shape[axis]}")
    with builder.composite("cross"):
        a, b = a.expand(shape), b.expand(shape)
        first, second = (_rolled(x, axis, -1) for x in (a, b))
        left, right = (_rolled(x, axis, -2) for x in (a, b))
        return (first * right - left * second).value


def _axis_of_three(shape: Shape) -> int:
    for axis, extent_ in enumerate(shape):
        if extent_.const == 3:
            return axis
    raise OperationError("cross without dim needs an axis whose extent is plainly 3", "give dim")


def _rolled(x: Expr, axis: int, shift: int) -> Expr:
    emitted = x.builder.emit("roll", [x.value], x.shape, x.dtype, shifts=(Dim.of(shift),), axes=(axis,))
    return Expr(x.builder, emitted)


def _cov(call: Call) -> Value:
    """`(x - mean) (x - mean)^T / (N - correction)`, rows being variables."""
    x = expression(call)
    if x.rank != 2 or any(call.given(name) for name in ("fweights", "aweights")):
        raise OperationError("cov of a matrix without weights is what r0kit knows")
    with call.builder.composite("cov"):
        centred = x - x.over("mean", (1,))
        less = call.scalar("correction")
        total = x.shape[1]
        count = Constant(total.const) if total.const is not None else Extent(total)
        return ((centred @ centred.transpose(0, 1)) / ScalarValue(apply("-", count, less), int)).value


def _matrix_norm(call: Call) -> Value:
    order = call.builder.fold(call["ord"], "ord")
    if order not in ("fro", None):
        raise OperationError(f"a matrix norm of order {order!r}", "use the Frobenius norm, or a vector norm")
    x = expression(call)
    axes = call.axes("dim", x.rank)
    with call.builder.composite("norm"):
        return norm_of(x.wide(), 2, axes, call.flag("keepdim")).to(call.dtype() or x.dtype).value


def _linalg_norm(call: Call) -> Value:
    """Vector norms over one axis, or over everything flattened where no order is given."""
    x = expression(call)
    order = call.builder.fold(call["ord"], "ord")
    axes = call.axes("dim", x.rank)
    plain = order in (None, "fro") or len(axes) == 1
    if not plain:
        raise OperationError(f"a matrix norm of order {order!r}", "use linalg.vector_norm, or the Frobenius norm")
    with call.builder.composite("norm"):
        x = x.to(call.dtype() or x.dtype)
        return norm_of(x.wide(), 2 if order in (None, "fro") else order, axes, call.flag("keepdim")).to(x.dtype).value


def _qr(call: Call) -> Value:
    """The reduced factors `[.., M, K]` and `[.., K, N]`, K being the smaller of M and N."""
    builder, value = call.builder, call.tensor("input")
    rows, columns = value.shape[-2:]
    a, b = builder.known(rows), builder.known(columns)
    small = rows if a is not None and b is not None and a < b else columns
    shapes = (*value.shape[:-1], small), (*value.shape[:-2], small, columns)
    parts = [
        opaque(builder, f"torch.linalg.qr({{0}})[{place}]", [value], shape, value.dtype)
        for place, shape in enumerate(shapes)
    ]
    return sequence(*parts)


_OTHERS = "*, dtype=None"
ROWS: list[Operation] = [
    row("inverse", "linalg.inv both.inverse", "(input)", _of_square("torch.linalg.inv")),
    row("cholesky", "linalg.cholesky both.cholesky", "(input)", _of_square("torch.linalg.cholesky")),
    row("matrix_exp", "linalg.matrix_exp both.matrix_exp", "(input)", _of_square("torch.linalg.matrix_exp")),
    row("det", "linalg.det both.det", "(input)", _of_square("torch.linalg.det", 2)),
    row("solve", "linalg.solve", "(input, other)", _solve),
    row(
        "solve_triangular",
        "linalg.solve_triangular",
        "(input, other, *, upper, left=True, unitriangular=False)",
        _solve_triangular,
    ),
    row("pinv", "linalg.pinv both.pinverse", "(input)", _pinv),
    row("qr", "linalg.qr", "(input)", _qr),
    row("matrix_power", "linalg.matrix_power both.matrix_power", "(input, n)", _matrix_power),
    row("cross", "both.cross", "(input, other, dim=None)", _cross),
    row("cross", "linalg.cross", "(input, other, *, dim=-1)", _cross),
    row("cov", "both.cov", "(input, *, correction=1, fweights=None, aweights=None)", _cov),
    row("norm", "linalg.matrix_norm", f"(input, ord='fro', dim=(-2, -1), keepdim=False, {_OTHERS})", _matrix_norm),
    row("norm", "linalg.norm", f"(input, ord=None, dim=None, keepdim=False, {_OTHERS})", _linalg_norm),
]
