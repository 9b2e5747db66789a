"""Sorting, selection by rank, and scans: Steps that need an axis whole, or in order."""

from __future__ import annotations

from collections.abc import Callable

from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim, product
from r0kit.golden.dtypes import is_float
from r0kit.golden.ops.elementwise import elementwise
from r0kit.golden.ops.extents import spelled_out
from r0kit.golden.ops.layout import cat, cut, reshape
from r0kit.golden.ops.row import Call, Operation, row
from r0kit.golden.values import TensorValue, Value, sequence


def _sort(call: Call) -> Value:
    value = call.tensor("input")
    attrs = {"axis": call.axis("dim", value.rank), "descending": call.flag("descending"), "stable": call.flag("stable")}
    values = call.builder.emit("sort_values", [value], value.shape, value.dtype, **attrs)
    return sequence(values, call.builder.emit("sort_indices", [value], value.shape, "int64", **attrs))


def _argsort(call: Call) -> Value:
    value = call.tensor("input")
    attrs = {"axis": call.axis("dim", value.rank), "descending": call.flag("descending"), "stable": call.flag("stable")}
    return call.builder.emit("sort_indices", [value], value.shape, "int64", **attrs)


def _msort(call: Call) -> Value:
    value = call.tensor("input")
    return call.builder.emit("sort_values", [value], value.shape, value.dtype, axis=0, descending=False, stable=False)


def _topk(call: Call) -> Value:
    value = call.tensor("input")
    axis, k = call.axis("dim", value.rank), call.builder.extent(call["k"], "k")
    shape = (*value.shape[:axis], k, *value.shape[axis + 1 :]) if value.rank else ()
    attrs = {"axis": axis, "k": k, "largest": call.flag("largest"), "sorted": call.flag("sorted")}
    values = call.builder.emit("topk_values", [value], shape, value.dtype, **attrs)
    return sequence(values, call.builder.emit("topk_indices", [value], shape, "int64", **attrs))


def _ranked(op: str) -> Callable[[Call], Value]:
    """kthvalue and mode: one element of an axis, by rank or frequency, and its place."""

    def rule(call: Call) -> Value:
        value = call.tensor("input")
        axis, keepdim = call.axis("dim", value.rank), call.flag("keepdim")
        kept = (Dim.of(1),) if keepdim and value.rank else ()
        shape = (*value.shape[:axis], *kept, *value.shape[axis + 1 :])
        attrs: dict[str, object] = {"axis": axis, "keepdim": keepdim}
        if op == "kthvalue":
            attrs["k"] = call.integer("k")
        values = call.builder.emit(f"{op}_values", [value], shape, value.dtype, **attrs)
        return sequence(values, call.builder.emit(f"{op}_indices", [value], shape, "int64", **attrs))

    return rule


def _quantile(op: str) -> Callable[[Call], Value]:
    """q is one number, or a vector that becomes the first axis."""

    def rule(call: Call) -> Value:
        builder, value, q = call.builder, call.tensor("input"), call["q"]
        if not is_float(value.dtype):
            raise OperationError(f"torch has no {op} of {value.dtype}")
        keepdim = call.flag("keepdim")
        rank = value.rank
        if not call.given("dim"):
            value = reshape(builder, value, (product(value.shape),))
        axis = call.axis("dim", rank) if call.given("dim") else 0
        kept = (Dim.of(1),) * (1 if call.given("dim") else rank) if keepdim else ()
        shape = (*value.shape[:axis], *kept, *value.shape[axis + 1 :])
        lead = q.shape if isinstance(q, TensorValue) else ()
        attrs = {"axis": axis, "keepdim": keepdim, "interpolation": call.word("interpolation")}
        return builder.emit(op, [value, q], (*lead, *shape), value.dtype, **attrs)

    return rule


def _cumulative(op: str) -> Callable[[Call], Value]:
    """cumsum and cumprod of integers run in int64."""

    def rule(call: Call) -> Value:
        value = call.tensor("input")
        dtype = call.dtype() or (value.dtype if is_float(value.dtype) else "int64")
        return call.builder.emit(op, [value], value.shape, dtype, axis=call.axis("dim", value.rank))

    return rule


def _logcumsumexp(call: Call) -> Value:
    value = call.tensor("input")
    return call.builder.emit("logcumsumexp", [value], value.shape, value.dtype, axis=call.axis("dim", value.rank))


def _running_extremum(op: str) -> Callable[[Call], Value]:
    def rule(call: Call) -> Value:
        value = call.tensor("input")
        axis = call.axis("dim", value.rank)
        values = call.builder.emit(op, [value], value.shape, value.dtype, axis=axis)
        return sequence(values, call.builder.emit(f"{op}_indices", [value], value.shape, "int64", axis=axis))

    return rule


def _diff(call: Call) -> Value:
    """`x[1:] - x[:-1]` along an axis, n times, after what is prepended and appended."""
    builder, value = call.builder, call.tensor("input")
    axis = call.own_axis("dim", value.rank)
    parts = [part for part in (call.optional("prepend"), value, call.optional("append")) if part is not None]
    with builder.composite("diff"):
        value = cat(builder, parts, axis)
        for _ in range(spelled_out(call.integer("n"), "number of differences")):
            extent = value.shape[axis]
            later = cut(builder, value, axis, Dim.of(1), extent)
            value = elementwise(builder, "sub", later, cut(builder, value, axis, Dim.of(0), extent - 1))
        return value


_QUANTILE = "(input, q, dim=None, keepdim=False, *, interpolation='linear')"
ROWS: list[Operation] = [
    row("sort", "both.sort", "(input, dim=-1, descending=False, stable=False)", _sort),
    row("argsort", "both.argsort", "(input, dim=-1, descending=False, stable=False)", _argsort),
    row("msort", "both.msort", "(input)", _msort),
    row("topk", "both.topk", "(input, k, dim=-1, largest=True, sorted=True)", _topk),
    row("kthvalue", "both.kthvalue", "(input, k, dim=-1, keepdim=False)", _ranked("kthvalue")),
    row("mode", "both.mode", "(input, dim=-1, keepdim=False)", _ranked("mode")),
    row("quantile", "both.quantile", _QUANTILE, _quantile("quantile")),
    row("nanquantile", "both.nanquantile", _QUANTILE, _quantile("nanquantile")),
    row("cumsum", "both.cumsum", "(input, dim, *, dtype=None)", _cumulative("cumsum")),
    row("cumprod", "both.cumprod", "(input, dim, *, dtype=None)", _cumulative("cumprod")),
    row("logcumsumexp", "both.logcumsumexp", "(input, dim)", _logcumsumexp),
    row("cummax", "both.cummax", "(input, dim)", _running_extremum("cummax")),
    row("cummin", "both.cummin", "(input, dim)", _running_extremum("cummin")),
    row("diff", "both.diff", "(input, n=1, dim=-1, prepend=None, append=None)", _diff),
]
