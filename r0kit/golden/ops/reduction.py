"""Reductions: sum, mean, extrema and their places, truth; with `axes` and `keepdim` on the Step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, Shape, product
from r0kit.golden.dtypes import BOOL, is_float
from r0kit.golden.ops.elementwise import cast, elementwise
from r0kit.golden.ops.layout import reshape
from r0kit.golden.ops.row import Call, Operation, is_number, row
from r0kit.golden.values import TensorValue, Value, constant, sequence

# op: result dtype ("" that of the operand, "wide" int64 for integers), torch text.
REDUCTIONS: dict[str, tuple[str, str]] = {
    "sum": ("wide", "torch.sum({0}, dim={axes}, keepdim={keepdim}, dtype={out_dtype})"),
    "mean": ("", "torch.mean({0}, dim={axes}, keepdim={keepdim}, dtype={out_dtype})"),
    "amax": ("", "torch.amax({0}, dim={axes}, keepdim={keepdim})"),
    "amin": ("", "torch.amin({0}, dim={axes}, keepdim={keepdim})"),
    "prod": ("wide", "torch.prod({0}, dim={axis}, keepdim={keepdim}, dtype={out_dtype})"),
    "any": (BOOL, "torch.any({0}, dim={axes}, keepdim={keepdim})"),
    "all": (BOOL, "torch.all({0}, dim={axes}, keepdim={keepdim})"),
    "argmax": ("int64", "torch.argmax({0}, dim={axis}, keepdim={keepdim})"),
    "argmin": ("int64", "torch.argmin({0}, dim={axis}, keepdim={keepdim})"),
    "count_nonzero": ("int64", "torch.count_nonzero({0}, dim={axes})"),
    "median": ("", "torch.median({0}, dim={axis}, keepdim={keepdim}).values"),
    "nanmedian": ("", "torch.nanmedian({0}, dim={axis}, keepdim={keepdim}).values"),
    "nanmedian_indices": ("int64", "torch.nanmedian({0}, dim={axis}, keepdim={keepdim}).indices"),
    "median_indices": ("int64", "torch.median({0}, dim={axis}, keepdim={keepdim}).indices"),
}
# What they give of one number is that number; over no axes torch would reduce a whole tensor.
_OF_ONE = frozenset({"sum", "mean", "amax", "amin", "prod", "any", "all", "median", "nanmedian"})


def reduced(shape: Shape, axes: Sequence[int], keepdim: bool) -> Shape:
    """The shape after a reduction over `axes`."""
    if keepdim:
        return tuple(Dim.of(1) if axis in axes else extent for axis, extent in enumerate(shape))
    return tuple(extent for axis, extent in enumerate(shape) if axis not in axes)


def reduce(
    builder: Builder, op: str, value: TensorValue, axes: Sequence[int], keepdim: bool = False, dtype: str = ""
) -> TensorValue:
    """The reduction `op` of a value over `axes`, counted from 0. A 0-d value is reduced over nothing: it is the result."""
    known = REDUCTIONS[op][0]
    wide = known == "wide" and not is_float(value.dtype)
    result = dtype or ("int64" if wide else value.dtype if known in ("", "wide") else known)
    if op == "mean" and not is_float(result):
        raise OperationError(f"torch has no mean of {value.dtype}", "cast to a float dtype, or give dtype=")
    axes = tuple(axis for axis in axes if axis < value.rank)
    if not axes and op in _OF_ONE:
        return cast(builder, value, result)
    shape = reduced(value.shape, axes, keepdim)
    attrs = {"axis": axes[0] if axes else 0} if len(axes) < 2 else {}
    return builder.emit(op, [value], shape, result, axes=axes, keepdim=keepdim, **attrs)


def _reduction(op: str) -> Callable[[Call], Value]:
    def rule(call: Call) -> Value:
        value = call.tensor("input")
        dtype = call.dtype() if "dtype" in call.arguments else None
        return reduce(call.builder, op, value, call.axes("dim", value.rank), call.flag("keepdim"), dtype or "")

    return rule


def _single(op: str) -> Callable[[Call], Value]:
    """Reductions that torch runs over one axis or over everything flattened: prod, argmax, argmin."""

    def rule(call: Call) -> Value:
        builder, value = call.builder, call.tensor("input")
        dtype = (call.dtype() if "dtype" in call.arguments else None) or ""
        if call.given("dim"):
            return reduce(builder, op, value, (call.axis("dim", value.rank),), call.flag("keepdim"), dtype)
        kept = tuple(Dim.of(1) for _ in value.shape) if call.flag("keepdim") else ()
        flat = reshape(builder, value, (product(value.shape),))
        return reshape(builder, reduce(builder, op, flat, (0,), False, dtype), kept)

    return rule


def _extremum(over: str, place: str, pairwise: str) -> Callable[[Call], Value]:
    """`max(x)`, `max(x, dim)` with values and indices, `max(x, other)`."""

    def rule(call: Call) -> Value:
        builder, value = call.builder, call.tensor("input")
        other = call["other"] if call.given("other") else call["dim"]
        if isinstance(other, TensorValue):
            return elementwise(builder, pairwise, value, other)
        if not call.given("dim") and not is_number(other):
            return reduce(builder, over, value, tuple(range(value.rank)))
        axis = builder.integer(other, "dim") % max(value.rank, 1)
        keepdim = call.flag("keepdim")
        return sequence(*(reduce(builder, op, value, (axis,), keepdim) for op in (over, place)))

    return rule


def _aminmax(call: Call) -> Value:
    value = call.tensor("input")
    axes = (call.axis("dim", value.rank),) if call.given("dim") else tuple(range(value.rank))
    keepdim = call.flag("keepdim")
    return sequence(*(reduce(call.builder, op, value, axes, keepdim) for op in ("amin", "amax")))


def _count_nonzero(call: Call) -> Value:
    value = call.tensor("input")
    return reduce(call.builder, "count_nonzero", value, call.axes("dim", value.rank))


def _nan_reduction(op: str) -> Callable[[Call], Value]:
    """nansum and nanmean: the NaNs are left out."""

    def rule(call: Call) -> Value:
        builder, value = call.builder, call.tensor("input")
        axes, keepdim, dtype = call.axes("dim", value.rank), call.flag("keepdim"), call.dtype() or ""
        with builder.composite(f"nan{op}"):
            nan = elementwise(builder, "isnan", value)
            number = elementwise(builder, "masked_fill", value, nan, constant(0), dtype=value.dtype)
            total = reduce(builder, "sum", number, axes, keepdim, dtype)
            if op == "sum":
                return total
            count = reduce(builder, "sum", elementwise(builder, "logical_not", nan), axes, keepdim)
            return elementwise(builder, "div", total, count)

    return rule


def _median(op: str) -> Callable[[Call], Value]:
    def rule(call: Call) -> Value:
        builder, value = call.builder, call.tensor("input")
        if not call.given("dim"):
            return reduce(builder, op, reshape(builder, value, (product(value.shape),)), (0,))
        axis, keepdim = call.axis("dim", value.rank), call.flag("keepdim")
        return sequence(*(reduce(builder, name, value, (axis,), keepdim) for name in (op, f"{op}_indices")))

    return rule


_OVER = "(input, dim=None, keepdim=False, *, dtype=None)"
ROWS: list[Operation] = [
    row("sum", "both.sum", _OVER, _reduction("sum")),
    row("mean", "both.mean", _OVER, _reduction("mean")),
    row("amax", "both.amax", "(input, dim=None, keepdim=False)", _reduction("amax")),
    row("amin", "both.amin", "(input, dim=None, keepdim=False)", _reduction("amin")),
    row("any", "both.any", "(input, dim=None, keepdim=False)", _reduction("any")),
    row("all", "both.all", "(input, dim=None, keepdim=False)", _reduction("all")),
    row("prod", "both.prod", _OVER, _single("prod")),
    row("argmax", "both.argmax", "(input, dim=None, keepdim=False)", _single("argmax")),
    row("argmin", "both.argmin", "(input, dim=None, keepdim=False)", _single("argmin")),
    row("max", "both.max", "(input, dim=None, keepdim=False, *, other=None)", _extremum("amax", "argmax", "maximum")),
    row("min", "both.min", "(input, dim=None, keepdim=False, *, other=None)", _extremum("amin", "argmin", "minimum")),
    row("aminmax", "both.aminmax", "(input, *, dim=None, keepdim=False)", _aminmax),
    row("count_nonzero", "both.count_nonzero", "(input, dim=None)", _count_nonzero),
    row("nansum", "both.nansum", _OVER, _nan_reduction("sum")),
    row("nanmean", "both.nanmean", _OVER, _nan_reduction("mean")),
    row("median", "both.median", "(input, dim=None, keepdim=False)", _median("median")),
    row("nanmedian", "both.nanmedian", "(input, dim=None, keepdim=False)", _median("nanmedian")),
]
