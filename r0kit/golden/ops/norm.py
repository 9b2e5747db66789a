"""Normalisation layers as composites: statistics over some axes, then scale and shift."""

from __future__ import annotations

from collections.abc import Sequence

from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim, Shape, shape_text
from r0kit.golden.dtypes import is_float
from r0kit.golden.ops.composite import expression, moments
from r0kit.golden.ops.expr import Expr
from r0kit.golden.ops.row import Call, Operation, row
from r0kit.golden.values import Value


def normalised(x: Expr, axes: Sequence[int], eps: Value) -> Expr:
    """`(x - mean) * rsqrt(var + eps)` over axes, with the biased variance."""
    mean, variance = moments(x, axes, 0)
    return (x - mean) * (variance + eps).op("rsqrt")


def affine(call: Call, y: Expr, shape: Shape) -> Expr:
    """`y * weight + bias`, each where given, after giving them `shape`."""
    for name, op in (("weight", "mul"), ("bias", "add")):
        if call.given(name):
            y = y.op(op, expression(call, name).to(y.dtype).reshape(shape))
    return y


def _checked(call: Call) -> Expr:
    x = expression(call)
    if not is_float(x.dtype):
        raise OperationError(f"torch has no {call.path.rpartition('.')[2]} of {x.dtype}")
    return x


def _trailing(call: Call, x: Expr) -> tuple[tuple[int, ...], Shape]:
    """The axes that normalized_shape covers, and their extents."""
    shape = call.extents("normalized_shape")
    if len(shape) > x.rank:
        raise OperationError(f"normalized_shape {shape_text(shape)} does not fit {shape_text(x.shape)}")
    axes = tuple(range(x.rank - len(shape), x.rank))
    for axis, extent in zip(axes, shape, strict=True):
        call.builder.same(x.shape[axis], extent, "normalized_shape")
    return axes, tuple(x.shape[axis] for axis in axes)


def _layer_norm(call: Call) -> Value:
    x = _checked(call)
    with call.builder.composite("layer_norm"):
        axes, shape = _trailing(call, x)
        return affine(call, normalised(x.wide(), axes, call["eps"]), shape).to(x.dtype).value


def _rms_norm(call: Call) -> Value:
    """`x * rsqrt(mean(x^2) + eps) * weight`; without eps, torch takes the machine epsilon of the dtype."""
    x = _checked(call)
    with call.builder.composite("rms_norm"):
        axes, shape = _trailing(call, x)
        wide = x.wide()
        eps: Value | float = call["eps"] if call.given("eps") else EPSILON[wide.dtype]
        y = wide * (wide.op("square").over("mean", axes) + eps).op("rsqrt")
        return affine(call, y, shape).to(x.dtype).value


# Machine epsilon, as torch.finfo has it.
EPSILON = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}


def channels(x: Expr) -> Shape:
    """The shape that lines a per-channel vector up with axis 1 of x."""
    one = Dim.of(1)
    return (x.shape[1], *(one,) * (x.rank - 2))


def _group_norm(call: Call) -> Value:
    x = _checked(call)
    groups = call.builder.extent(call["num_groups"], "num_groups")
    with call.builder.composite("group_norm"):
        size = call.builder.divides(x.shape[1], groups, "group_norm")
        grouped = x.wide().reshape((x.shape[0], groups, size, *x.shape[2:]))
        y = normalised(grouped, tuple(range(2, grouped.rank)), call["eps"]).reshape(x.shape)
        return affine(call, y, channels(x)).to(x.dtype).value


def _instance_norm(call: Call) -> Value:
    x = _checked(call)
    if not call.flag("use_input_stats"):
        return _with_running(call, x, "instance_norm")
    with call.builder.composite("instance_norm"):
        y = normalised(x.wide(), tuple(range(2, x.rank)), call["eps"])
        return affine(call, y, channels(x)).to(x.dtype).value


def _batch_norm(call: Call) -> Value:
    """In training the batch's own statistics, else the running ones: one affine map per channel."""
    x = _checked(call)
    if not call.flag("training") and call.given("running_mean"):
        return _with_running(call, x, "batch_norm")
    with call.builder.composite("batch_norm"):
        axes = tuple(axis for axis in range(x.rank) if axis != 1)
        return affine(call, normalised(x.wide(), axes, call["eps"]), channels(x)).to(x.dtype).value


def _with_running(call: Call, x: Expr, name: str) -> Value:
    with call.builder.composite(name):
        shape = channels(x)
        wide = x.wide()
        mean = expression(call, "running_mean").to(wide.dtype).reshape(shape)
        variance = expression(call, "running_var").to(wide.dtype).reshape(shape)
        y = (wide - mean) * (variance + call["eps"]).op("rsqrt")
        return affine(call, y, shape).to(x.dtype).value


_WEIGHTS = "weight=None, bias=None"
ROWS: list[Operation] = [
    row(
        "layer_norm",
        "F.layer_norm torch.layer_norm",
        "(input, normalized_shape, weight=None, bias=None, eps=1e-5)",
        _layer_norm,
    ),
    row("rms_norm", "F.rms_norm torch.rms_norm", "(input, normalized_shape, weight=None, eps=None)", _rms_norm),
    row(
        "group_norm",
        "F.group_norm torch.group_norm",
        "(input, num_groups, weight=None, bias=None, eps=1e-5)",
        _group_norm,
    ),
    row(
        "instance_norm",
        "F.instance_norm",
        f"(input, running_mean=None, running_var=None, {_WEIGHTS}, use_input_stats=True, momentum=0.1, eps=1e-5)",
        _instance_norm,
    ),
    row(
        "batch_norm",
        "F.batch_norm",
        f"(input, running_mean=None, running_var=None, {_WEIGHTS}, training=False, momentum=0.1, eps=1e-5)",
        _batch_norm,
    ),
]
