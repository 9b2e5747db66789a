"""Scaled dot product attention and activations that halve, gate or drop."""

from __future__ import annotations

from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim
from r0kit.golden.dtypes import BOOL
from r0kit.golden.ops.composite import expression, softmax_of
from r0kit.golden.ops.elementwise import elementwise
from r0kit.golden.ops.expr import Expr
from r0kit.golden.ops.extents import evenly
from r0kit.golden.ops.layout import cut
from r0kit.golden.ops.row import Call, Operation, row
from r0kit.golden.scalars import Constant, Extent, Scalar, apply
from r0kit.golden.values import ScalarValue, Value, constant

MINUS_INFINITY = constant(float("-inf"))


def _attention(call: Call) -> Value:
    """`softmax(q @ k^T * scale + mask) @ v`; scores and probabilities in float32, as the fused kernels hold them."""
    query, key, value = (expression(call, name) for name in ("query", "key", "value"))
    if call.given("dropout_p") and call.number("dropout_p"):
        raise OperationError("attention with dropout is random", "set dropout_p=0.0")
    with call.builder.composite("scaled_dot_product_attention"):
        if call.flag("enable_gqa"):
            key, value = (_repeated(query, x) for x in (key, value))
        scores = query.wide() @ key.wide().transpose(-2, -1) * _scale(call, query)
        scores = _masked(call, scores, query)
        weights = softmax_of(scores, scores.rank - 1).to(query.dtype)
        return (weights @ value).value


def _scale(call: Call, query: Expr) -> Value:
    """The given scale, else `1 / sqrt(D)`."""
    if call.given("scale"):
        return call["scale"]
    width = query.shape[-1]
    extent: Scalar = Constant(width.const) if width.const is not None else Extent(width)
    return ScalarValue(apply("/", Constant(1.0), apply("math.sqrt", extent)), float)


def _masked(call: Call, scores: Expr, query: Expr) -> Expr:
    """A bool mask keeps where it is true, a float mask is added; is_causal keeps the lower triangle."""
    if call.flag("is_causal"):
        rows, columns = query.shape[-2], scores.shape[-1]
        ones = Expr(call.builder, call.builder.emit("ones", [], (rows, columns), BOOL))
        kept = ones.op("tril", diagonal=0)
        return scores.op("masked_fill", kept.op("logical_not"), MINUS_INFINITY, dtype=scores.dtype)
    if not call.given("attn_mask"):
        return scores
    mask = expression(call, "attn_mask")
    if mask.dtype == BOOL:
        return scores.op("masked_fill", mask.op("logical_not"), MINUS_INFINITY, dtype=scores.dtype)
    return scores + mask.to(scores.dtype)


def _repeated(query: Expr, x: Expr) -> Expr:
    """Key or value heads repeated to the number of query heads."""
    if min(query.rank, x.rank) < 3:
        raise OperationError("grouped query heads need an axis of heads in the query, the key and the value")
    axis = x.rank - 3
    times = query.builder.divides(query.shape[-3], x.shape[axis], "grouped query heads")
    shape = (*x.shape[:axis], query.shape[-3], *x.shape[axis + 1 :])
    emitted = query.builder.emit("repeat_interleave", [x.value], shape, x.dtype, axis=axis, repeats=times)
    return Expr(query.builder, emitted)


def _glu(call: Call) -> Value:
    """`a * sigmoid(b)` of the two halves of an axis."""
    x = expression(call)
    axis = call.own_axis("dim", x.rank)
    half = evenly(call.builder, x.shape[axis], Dim.of(2), "glu")
    if half is None:
        raise OperationError(f"glu needs an even extent, not {x.shape[axis]}")
    with call.builder.composite("glu"):
        left = Expr(call.builder, cut(call.builder, x.value, axis, Dim.of(0), half))
        right = Expr(call.builder, cut(call.builder, x.value, axis, half, x.shape[axis]))
        return (left * right.op("sigmoid")).value


def _prelu(call: Call) -> Value:
    """`max(0, x) + weight * min(0, x)`, the weight one number or one for each channel (axis 1)."""
    x, weight = expression(call), expression(call, "weight")
    one = Dim.of(1)
    shape = (weight.shape[0] if weight.rank else one, *(one,) * max(x.rank - 2, 0))
    with call.builder.composite("prelu"):
        slope = weight.reshape(shape if x.rank > 1 else (shape[0],) if weight.rank else ())
        return elementwise(call.builder, "where", x.op("gt", 0).value, x.value, (x * slope).value, dtype=x.dtype)


def _rrelu(call: Call) -> Value:
    """In evaluation a leaky ReLU of the mean slope; in training the slopes are random."""
    x = expression(call)
    if call.flag("training"):
        shape, dtype = x.shape, x.dtype
        return call.builder.emit("rrelu", [x.value, call["lower"], call["upper"]], shape, dtype)
    bounds = [value.scalar for value in (call["lower"], call["upper"]) if isinstance(value, ScalarValue)]
    slope = apply("/", apply("+", *bounds), Constant(2))
    return x.op("leaky_relu", ScalarValue(slope, float), dtype=x.dtype).value


def _dropout(call: Call) -> Value:
    """Random in training, the identity otherwise."""
    x = call.tensor("input")
    if not call.flag("training") or (_known(call["p"]) == 0):
        return x
    return call.builder.emit("dropout", [x, call["p"]], x.shape, x.dtype)


def _known(value: Value) -> object:
    """The Python constant that a value is; None where it is none."""
    return value.scalar.value if isinstance(value, ScalarValue) and isinstance(value.scalar, Constant) else None


def _renamed(call: Call) -> Call:
    """torch.dropout calls its flag `train`."""
    return Call(call.builder, call.path, {**call.arguments, "training": call["train"]})


ROWS: list[Operation] = [
    row(
        "scaled_dot_product_attention",
        "F.scaled_dot_product_attention",
        "(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False)",
        _attention,
    ),
    row("glu", "F.glu", "(input, dim=-1)", _glu),
    row("prelu", "F.prelu both.prelu", "(input, weight)", _prelu),
    row(
        "rrelu",
        "F.rrelu torch.rrelu",
        "(input, lower=0.125, upper=0.3333333333333333, training=False, inplace=False)",
        _rrelu,
    ),
    row(
        "dropout",
        "F.dropout F.dropout1d F.dropout2d F.dropout3d F.alpha_dropout F.feature_alpha_dropout",
        "(input, p=0.5, training=True, inplace=False)",
        _dropout,
    ),
    row("dropout", "torch.dropout", "(input, p, train)", lambda call: _dropout(_renamed(call))),
]
