"""Resampling of images, and normalisation across channels."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim
from r0kit.golden.dtypes import is_float
from r0kit.golden.ops.arrangement import pad
from r0kit.golden.ops.composite import expression
from r0kit.golden.ops.expr import Expr
from r0kit.golden.ops.layout import ZERO
from r0kit.golden.ops.row import Call, Operation, as_scalar, items_of, row
from r0kit.golden.ops.text import Extents, attribute
from r0kit.golden.ops.windows import per_axis
from r0kit.golden.program import Step
from r0kit.golden.values import Value, constant


def _interpolate(call: Call) -> Value:
    """Every output place reads one or a few input places: a gather, whatever the mode."""
    value = call.tensor("input")
    count = value.rank - 2
    attrs: dict[str, object] = {"mode": call.word("mode"), "spatial": count}
    if call.given("align_corners"):
        attrs["align_corners"] = call.flag("align_corners")
    if call.given("size"):
        sizes = per_axis(call, "size", count)
    elif call.given("scale_factor"):
        scales = _scales(call, count)
        attrs["scale"] = scales
        sizes = tuple(_scaled(e, s) for e, s in zip(value.shape[2:], scales, strict=True))
    else:
        raise OperationError("interpolate needs a size or a scale_factor")
    return call.builder.emit("interpolate", [value], (*value.shape[:2], *sizes), value.dtype, **attrs)


def _scales(call: Call, count: int) -> tuple[float, ...]:
    items = items_of(call["scale_factor"])
    for item in items:
        as_scalar(item, "scale_factor")
    values = [float(call.builder.fold(item, "scale_factor")) for item in items]
    if len(values) not in (1, count):
        raise OperationError(f"{len(values)} factors of scale for {count} axes")
    return tuple(values * count if len(values) == 1 else values)


def _scaled(extent: Dim, scale: float) -> Dim:
    """`floor(extent * scale)`, exact for a scale that is a simple fraction."""
    fraction = Fraction(scale).limit_denominator(4096)
    return extent * fraction.numerator // fraction.denominator


def interpolate_text(step: Step, operands: Sequence[str], extent: Extents) -> str:
    if "scale" in step.attrs:
        how = f"scale_factor={attribute(step.attrs['scale'], extent)}"
    else:
        how = f"size={attribute(step.shape[2:], extent)}"
    corners = f", align_corners={step.attrs['align_corners']}" if "align_corners" in step.attrs else ""
    return f"torch.nn.functional.interpolate({operands[0]}, {how}, mode={step.attrs['mode']!r}{corners})"


def _grid_sample(call: Call) -> Value:
    value, grid = call.tensor("input"), call.tensor("grid")
    attrs = {
        "mode": call.word("mode"),
        "padding_mode": call.word("padding_mode"),
        "align_corners": call.given("align_corners") and call.flag("align_corners"),
    }
    shape = (*value.shape[:2], *grid.shape[1:-1])
    return call.builder.emit("grid_sample", [value, grid], shape, value.dtype, **attrs)


def _local_response_norm(call: Call) -> Value:
    """`x / (k + alpha * mean of x^2 over size neighbouring channels) ** beta`."""
    builder, x = call.builder, expression(call)
    if not is_float(x.dtype):
        raise OperationError(f"torch has no local_response_norm of {x.dtype}")
    size = call.integer("size")
    with builder.composite("local_response_norm"):
        pads = tuple(
            (Dim.of(size // 2), Dim.of((size - 1) // 2)) if axis == 1 else (ZERO, ZERO) for axis in range(x.rank)
        )
        squares = pad(call, x.op("square").value, pads, "constant", constant(0))
        shape = (*x.shape, Dim.of(size))
        windows = builder.emit("unfold", [squares], shape, x.dtype, axis=1, size=Dim.of(size), step=Dim.of(1))
        mean = Expr(builder, windows).over("mean", (x.rank,), False)
        return (x / (mean * call["alpha"] + call["k"]).op("pow", call["beta"])).value


ROWS: list[Operation] = [
    row(
        "interpolate",
        "F.interpolate F.upsample",
        "(input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None)",
        _interpolate,
    ),
    row(
        "grid_sample",
        "F.grid_sample",
        "(input, grid, mode='bilinear', padding_mode='zeros', align_corners=None)",
        _grid_sample,
    ),
    row(
        "local_response_norm",
        "F.local_response_norm",
        "(input, size, alpha=1e-4, beta=0.75, k=1.0)",
        _local_response_norm,
    ),
]
