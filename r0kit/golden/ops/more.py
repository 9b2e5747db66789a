"""Less common operations: windows and triangles from nothing, draws, closeness, distances, facts about shapes."""

from __future__ import annotations

from collections.abc import Callable

from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim, Shape, product
from r0kit.golden.dtypes import BOOL
from r0kit.golden.ops.composite import expression, norm_of
from r0kit.golden.ops.contraction import same_dtype
from r0kit.golden.ops.creation import literal
from r0kit.golden.ops.elementwise import elementwise
from r0kit.golden.ops.expr import Expr
from r0kit.golden.ops.extents import count_of, spelled_out
from r0kit.golden.ops.indexing import store
from r0kit.golden.ops.layout import cat, cut, reshape
from r0kit.golden.ops.row import Call, Operation, as_dtype, items_of, row
from r0kit.golden.scalars import apply
from r0kit.golden.values import (
    DtypeValue,
    EllipsisValue,
    ScalarValue,
    SliceValue,
    TensorValue,
    Value,
    constant,
    extent,
    sequence,
)

# Draws: a Step of kind random, then elementwise Steps for what torch derives from it.


def _uniform(call: Call) -> Value:
    """`low + (high - low) * rand`."""
    value = call.tensor("input")
    drawn = Expr(call.builder, call.builder.emit("rand", [], value.shape, value.dtype))
    span = ScalarValue(apply("-", call.scalar("to"), call.scalar("low")), float)
    return (drawn * span + call["low"]).value


def _normal(shape: Shape, dtype: str, call: Call) -> TensorValue:
    """`mean + std * randn`."""
    drawn = Expr(call.builder, call.builder.emit("randn", [], shape, dtype))
    return (drawn * call["std"] + call["mean"]).value


def _normal_in_place(call: Call) -> Value:
    value = call.tensor("input")
    return _normal(value.shape, value.dtype, call)


def _normal_function(call: Call) -> Value:
    tensors = [call[name] for name in ("mean", "std") if isinstance(call[name], TensorValue)]
    shapes = [tensor.shape for tensor in tensors if isinstance(tensor, TensorValue)]
    shape = call.builder.broadcast(*shapes) if shapes else call.extents("shape")
    return _normal(shape, call.builder.promote(*tensors) if tensors else "float32", call)


def _drawn(op: str) -> Callable[[Call], Value]:
    """A draw whose distribution the tensor gives: bernoulli, poisson, exponential."""

    def rule(call: Call) -> Value:
        value = call.tensor("input")
        return call.builder.emit(op, [value], value.shape, value.dtype)

    return rule


def _multinomial(call: Call) -> Value:
    value, count = call.tensor("input"), call.builder.extent(call["num_samples"], "num_samples")
    replacement = call.flag("replacement")
    return call.builder.emit("multinomial", [value], (*value.shape[:-1], count), "int64", replacement=replacement)


def _randint_like(call: Call) -> Value:
    value = call.tensor("input")
    low, high = (call["low"], call["high"]) if call.given("high") else (constant(0), call["low"])
    return call.builder.emit("randint", [low, high], value.shape, call.dtype() or value.dtype)


# From nothing


def _window(function: str) -> Callable[[Call], Value]:
    def rule(call: Call) -> Value:
        length = call.builder.extent(call["window_length"], "window_length")
        text = f"torch.{function}({{shape[0]}}, {call.flag('periodic')}, dtype={{out_dtype}})"
        return call.builder.emit("window", [], (length,), call.dtype() or "float32", call=text)

    return rule


def _triangle_indices(upper: bool) -> Callable[[Call], Value]:
    """Places of a triangle: their number is a sum over rows, known for constant extents."""

    def rule(call: Call) -> Value:
        rows, columns, offset = (call.integer(name) for name in ("row", "col", "offset"))
        spelled_out(rows, "number of rows of a triangle")
        low = (range(max(0, i + offset), columns) for i in range(rows))
        high = (range(max(0, min(columns, i + offset + 1))) for i in range(rows))
        count = sum(len(part) for part in (low if upper else high))
        name = "triu_indices" if upper else "tril_indices"
        text = f"torch.{name}({rows}, {columns}, {offset}, dtype={{out_dtype}})"
        return call.builder.emit("window", [], (Dim.of(2), Dim.of(count)), call.dtype() or "int64", call=text)

    return rule


# Elementwise and small composites


def _isclose(call: Call) -> Value:
    """`|a - b| <= atol + rtol |b|`, equal infinities are close."""
    a, b = expression(call), expression(call, "other")
    same_dtype("isclose", [a.value, b.value])
    with call.builder.composite("isclose"):
        near = (a - b).op("abs").op("le", b.op("abs") * call["rtol"] + call["atol"])
        close = near.op("logical_and", b.op("isfinite")).op("logical_or", a.op("eq", b))
        if call.flag("equal_nan"):
            close = close.op("logical_or", a.op("isnan").op("logical_and", b.op("isnan")))
        return close.value


def _vecdot(call: Call) -> Value:
    a, b = expression(call), expression(call, "other")
    with call.builder.composite("vecdot"):
        total = a * b
        return total.over("sum", (call.axis("dim", total.rank),), False).value


def _pdist(call: Call) -> Value:
    """Distances of rows i < j: all pairs, then those above the diagonal."""
    builder, x = call.builder, expression(call)
    rows = count_of(builder, x.shape[0], "number of rows of pdist")
    spelled_out(rows * (rows - 1) // 2, "number of pairs of pdist")
    pairs = [(i, j) for i in range(rows) for j in range(i + 1, rows)]
    with builder.composite("pdist"):
        sides = []
        for place in (0, 1):
            data = tuple(pair[place] for pair in pairs)
            index = builder.emit("tensor", [], (Dim.of(len(pairs)),), "int64", data=data)
            shape = (Dim.of(len(pairs)), x.shape[1])
            sides.append(Expr(builder, builder.emit("index_select", [x.value, index], shape, x.dtype, axis=0)))
        return norm_of(sides[0] - sides[1], builder.fold(call["p"], "p"), (1,), False).value


def _trapezoid(call: Call) -> Value:
    """`sum((y[1:] + y[:-1]) / 2 * dx)` along an axis."""
    builder, y = call.builder, expression(call, "y")
    axis = call.own_axis("dim", y.rank)
    size = y.shape[axis]
    with builder.composite("trapezoid"):
        later = Expr(builder, cut(builder, y.value, axis, Dim.of(1), size))
        middle = (later + Expr(builder, cut(builder, y.value, axis, Dim.of(0), size - 1))) / 2
        if call.given("x"):
            x = call.tensor("x")
            if x.rank != 1:
                raise OperationError("trapezoid with x of more than one dimension")
            steps = elementwise(
                builder, "sub", cut(builder, x, 0, Dim.of(1), size), cut(builder, x, 0, Dim.of(0), size - 1)
            )
            middle = middle * Expr(builder, steps).reshape((size - 1, *(Dim.of(1),) * (y.rank - axis - 1)))
        else:
            middle = middle * call["dx"]
        return middle.over("sum", (axis,), False).value


def _column_stack(call: Call) -> Value:
    columns = [
        reshape(call.builder, value, (product(value.shape), Dim.of(1))) if value.rank < 2 else value
        for value in call.tensors("tensors")
    ]
    return cat(call.builder, columns, 1)


def _int_mm(call: Call) -> Value:
    """int8 by int8 into int32."""
    left, right = call.tensor("input"), call.tensor("other")
    if {left.dtype, right.dtype} != {"int8"} or (left.rank, right.rank) != (2, 2):
        raise OperationError("_int_mm multiplies int8 matrices")
    call.builder.same(left.shape[1], right.shape[0], "matmul")
    labels = ((0, 2), (2, 1), (0, 1))
    shape = (left.shape[0], right.shape[1])
    return call.builder.emit("matmul", [left, right], shape, "int32", labels=labels, compute_dtype="int32")


def _fake_quantize(call: Call) -> Value:
    """`(clamp(round(x / scale + zero), low, high) - zero) * scale`."""
    x = expression(call)
    zero = call["zero_point"]
    with call.builder.composite("fake_quantize"):
        code = x.op("div", call["scale"]).op("round") + zero
        kept = code.op("clamp", call["quant_min"], call["quant_max"], dtype=code.dtype)
        return ((kept - zero) * call["scale"]).to(x.dtype).value


# Stores as functions


def _copy(call: Call) -> Value:
    return store(call.builder, call.tensor("input"), [EllipsisValue()], call["src"])


def _scatter_slice(call: Call) -> Value:
    value = call.tensor("input")
    axis = call.axis("dim", value.rank)
    whole: list[Value] = [SliceValue(None, None, None)] * axis
    return store(call.builder, value, [*whole, SliceValue(call["start"], call["end"], call["step"])], call["src"])


def _scatter_select(call: Call) -> Value:
    value = call.tensor("input")
    whole: list[Value] = [SliceValue(None, None, None)] * call.axis("dim", value.rank)
    return store(call.builder, value, [*whole, call["index"]], call["src"])


def _fill_diagonal(call: Call) -> Value:
    """The main diagonal set to a number."""
    builder, value = call.builder, call.tensor("input")
    if value.rank != 2 or call.flag("wrap"):
        raise OperationError("fill_diagonal_ of a matrix, without wrap, is what r0kit knows")
    with builder.composite("fill_diagonal"):
        eye = builder.emit("eye", [], value.shape, BOOL)
        return elementwise(builder, "masked_fill", value, eye, call["fill_value"], dtype=value.dtype)


# Facts: no Step


def _numel(call: Call) -> Value:
    return extent(product(call.tensor("input").shape))


def _broadcast_shapes(call: Call) -> Value:
    shapes = [tuple(call.builder.extent(e, "a shape") for e in items_of(item)) for item in items_of(call["shapes"])]
    return sequence(*map(extent, call.builder.broadcast(*shapes)))


def _result_type(call: Call) -> Value:
    return DtypeValue(call.builder.promote(call["tensor1"], call["tensor2"]))


def _promote_types(call: Call) -> Value:
    names = [as_dtype(call[name]) for name in ("type1", "type2")]
    return DtypeValue(call.builder.promote(*(TensorValue("", (Dim.of(2),), name) for name in names)))


def _new_tensor(call: Call) -> Value:
    return literal(call.builder, call["data"], call.dtype() or call.tensor("input").dtype)


_WINDOWS = ("hann_window", "hamming_window", "blackman_window", "bartlett_window")
ROWS: list[Operation] = [
    row("uniform", "T.uniform_", "(input, low=0.0, to=1.0)", _uniform),
    row("normal", "T.normal_", "(input, mean=0.0, std=1.0)", _normal_in_place),
    row("normal", "torch.normal", "(mean, std=1.0, shape=None)", _normal_function),
    row("bernoulli", "both.bernoulli", "(input)", _drawn("bernoulli")),
    row("poisson", "torch.poisson", "(input)", _drawn("poisson")),
    row("multinomial", "both.multinomial", "(input, num_samples, replacement=False)", _multinomial),
    row("randint", "torch.randint_like", "(input, low, high=None, *, dtype=None)", _randint_like),
    *(row(name, f"torch.{name}", "(window_length, periodic=True, *, dtype=None)", _window(name)) for name in _WINDOWS),
    row("tril_indices", "torch.tril_indices", "(row, col, offset=0, *, dtype=None)", _triangle_indices(False)),
    row("triu_indices", "torch.triu_indices", "(row, col, offset=0, *, dtype=None)", _triangle_indices(True)),
    row("isclose", "both.isclose", "(input, other, rtol=1e-5, atol=1e-8, equal_nan=False)", _isclose),
    row("vecdot", "linalg.vecdot", "(input, other, *, dim=-1)", _vecdot),
    row("pdist", "F.pdist torch.pdist", "(input, p=2.0)", _pdist),
    row("trapezoid", "torch.trapezoid torch.trapz", "(y, x=None, *, dx=1.0, dim=-1)", _trapezoid),
    row("column_stack", "torch.column_stack", "(tensors)", _column_stack),
    row("int_mm", "torch._int_mm", "(input, other)", _int_mm),
    row(
        "fake_quantize",
        "torch.fake_quantize_per_tensor_affine",
        "(input, scale, zero_point, quant_min, quant_max)",
        _fake_quantize,
    ),
    row("copy", "T.copy_", "(input, src, non_blocking=False)", _copy),
    row("slice_scatter", "both.slice_scatter", "(input, src, dim=0, start=None, end=None, step=1)", _scatter_slice),
    row("select_scatter", "both.select_scatter", "(input, src, dim, index)", _scatter_select),
    row("fill_diagonal", "T.fill_diagonal_", "(input, fill_value, wrap=False)", _fill_diagonal),
    row("numel", "both.numel T.nelement", "(input)", _numel),
    row("broadcast_shapes", "torch.broadcast_shapes", "(*shapes)", _broadcast_shapes),
    row("result_type", "torch.result_type", "(tensor1, tensor2)", _result_type),
    row("promote_types", "torch.promote_types", "(type1, type2)", _promote_types),
    row("tensor", "T.new_tensor", "(input, data, *, dtype=None)", _new_tensor),
]
