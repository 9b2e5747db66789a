"""Reads and writes at places that a tensor names: gather, scatter, embedding, index updates, counting."""

from __future__ import annotations

from collections.abc import Callable

from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim, Shape, product
from r0kit.golden.dtypes import BOOL, category
from r0kit.golden.ops.elementwise import cast, elementwise
from r0kit.golden.ops.indexing import masked_put, put
from r0kit.golden.ops.layout import expand, reshape, select, unsqueeze
from r0kit.golden.ops.row import Call, Operation, as_tensor, items_of, row
from r0kit.golden.values import TensorValue, Value, constant, extent, is_none, sequence


def _index(call: Call, name: str = "index") -> TensorValue:
    index = call.tensor(name)
    if category(index.dtype) != 1:
        raise OperationError(f"an index of dtype {index.dtype}", "use int64")
    return index


def _gather(call: Call) -> Value:
    value, index = call.tensor("input"), _index(call)
    axis = call.axis("dim", value.rank)
    if index.rank != value.rank:
        raise OperationError(f"an index of {index.rank} dimensions for {value.rank}")
    return call.builder.emit("gather", [value, index], index.shape, value.dtype, axis=axis)


def _take_along_dim(call: Call) -> Value:
    builder, value, index = call.builder, call.tensor("input"), _index(call, "indices")
    if not call.given("dim"):
        flat = reshape(builder, value, (product(value.shape),))
        places = reshape(builder, index, (product(index.shape),))
        return builder.emit("gather", [flat, places], places.shape, value.dtype, axis=0)
    axis = call.axis("dim", value.rank)
    if index.rank != value.rank:
        raise OperationError(f"an index of {index.rank} dimensions for {value.rank}")
    others = [builder.broadcast((a,), (b,))[0] for a, b in zip(value.shape, index.shape, strict=True)]
    wide = tuple(value.shape[axis] if place == axis else extent for place, extent in enumerate(others))
    long = tuple(index.shape[axis] if place == axis else extent for place, extent in enumerate(others))
    operands = [expand(builder, value, wide), expand(builder, index, long)]
    return builder.emit("gather", operands, long, value.dtype, axis=axis)


def _index_select(call: Call) -> Value:
    value, index = call.tensor("input"), _index(call)
    axis = call.axis("dim", value.rank)
    count = index.shape[0] if index.rank else Dim.of(1)
    shape = (*value.shape[:axis], count, *value.shape[axis + 1 :])
    return call.builder.emit("index_select", [value, index], shape, value.dtype, axis=axis)


def _take(call: Call) -> Value:
    value, index = call.tensor("input"), _index(call)
    flat = reshape(call.builder, value, (product(value.shape),))
    return call.builder.emit("index", [flat, index], index.shape, value.dtype, axes=(0,), at=0, count=index.rank)


def _embedding(call: Call) -> Value:
    weight, index = call.tensor("weight"), _index(call, "input")
    shape = (*index.shape, *weight.shape[1:])
    return call.builder.emit("embedding", [weight, index], shape, weight.dtype)


def _one_hot(call: Call) -> Value:
    """`x[..., None] == arange(classes)`, as int64."""
    builder, value = call.builder, call.tensor("input")
    classes = builder.extent(call["num_classes"], "num_classes")
    if classes.const == -1:
        raise OperationError("one_hot without num_classes has a data-dependent extent", "give num_classes")
    with builder.composite("one_hot"):
        places = builder.emit("arange", [constant(0), extent(classes), constant(1)], (classes,), "int64")
        equal = elementwise(builder, "eq", unsqueeze(builder, value, (value.rank,)), places)
        return cast(builder, equal, "int64")


def _masked_select(call: Call) -> Value:
    builder = call.builder
    value, mask = call.tensor("input"), call.tensor("mask")
    shape = builder.broadcast(value.shape, mask.shape)
    count = builder.fresh("L", "places where a mask is true")
    operands = [expand(builder, value, shape), expand(builder, mask, shape)]
    return builder.emit("index_mask", operands, (count,), value.dtype, axes=(0,), at=0, count=1)


def _nonzero(call: Call) -> Value:
    builder, value = call.builder, call.tensor("input")
    count = builder.fresh("L", "places that are not zero")
    found = builder.emit("nonzero", [value], (count, Dim.of(value.rank)), "int64")
    if not ("as_tuple" in call.arguments and call.flag("as_tuple")):
        return found
    return sequence(*(select(builder, found, 1, Dim.of(axis)) for axis in range(value.rank)))


# Writes


def _scatter(op: str) -> Callable[[Call], Value]:
    """scatter (of a tensor or one number), scatter_add, scatter_reduce."""

    def rule(call: Call) -> Value:
        value, index = call.tensor("input"), _index(call)
        axis = call.axis("dim", value.rank)
        source = call["src"] if call.given("src") else call["value"]
        reduced = call.builder.fold(call["reduce"], "reduce") if call.given("reduce") else None
        attrs: dict[str, object] = {"axis": axis}
        if op == "scatter_reduce":
            attrs |= {"reduce": str(reduced), "include_self": call.flag("include_self")}
        elif reduced is not None:
            attrs["reduce"] = str(reduced)
        if isinstance(source, TensorValue) and source.dtype != value.dtype:
            raise OperationError(f"{op} of {source.dtype} into {value.dtype}: torch wants one dtype")
        return call.builder.emit(op, [value, index, source], value.shape, value.dtype, **attrs)

    return rule


def _index_update(op: str) -> Callable[[Call], Value]:
    """index_add, index_copy and index_fill along one axis."""

    def rule(call: Call) -> Value:
        value, index = call.tensor("input"), _index(call)
        axis = call.axis("dim", value.rank)
        source = call["source"] if "source" in call.arguments else call["value"]
        if "alpha" in call.arguments and isinstance(source, TensorValue) and not _is_one(call["alpha"]):
            source = elementwise(call.builder, "mul", source, call["alpha"])
        return call.builder.emit(op, [value, index, source], value.shape, value.dtype, axis=axis)

    return rule


def _is_one(value: Value) -> bool:
    return value == constant(1)


def _index_put(call: Call) -> Value:
    """`index_put(indices, values, accumulate)`: one index tensor (or None) per leading axis."""
    value = call.tensor("input")
    lookups = [(axis, as_tensor(i, "indices")) for axis, i in enumerate(items_of(call["indices"])) if not is_none(i)]
    return put(call.builder, value, lookups, call["values"], call.flag("accumulate"))


def _masked_scatter(call: Call) -> Value:
    value, mask, source = call.tensor("input"), call.tensor("mask"), call.tensor("source")
    return masked_put(call.builder, value, mask, cast(call.builder, source, value.dtype))


# Searching and counting


def _searchsorted(call: Call) -> Value:
    """Places of values in a sorted sequence; the last axis of the sequence is looked through whole."""
    builder, ordered, values = call.builder, call.tensor("sorted_sequence"), call["input"]
    right = call.flag("right") or ("side" in call.arguments and call.given("side") and call.word("side") == "right")
    dtype = "int32" if call.flag("out_int32") else "int64"
    shape: Shape = values.shape if isinstance(values, TensorValue) else ()
    return builder.emit("searchsorted", [ordered, values], shape, dtype, right=right, narrow=dtype == "int32")


def _bincount(call: Call) -> Value:
    builder, value = call.builder, call.tensor("input")
    weights = call.optional("weights")
    dtype = "int64" if weights is None else weights.dtype if weights.dtype == "float32" else "float64"
    operands = [value] if weights is None else [value, weights]
    count = builder.fresh("L", "number of counted values")
    return builder.emit("bincount", operands, (count,), dtype, minlength=call.integer("minlength"))


def _histc(call: Call) -> Value:
    value = call.tensor("input")
    bins = call.builder.extent(call["bins"], "bins")
    return call.builder.emit("histc", [value, call["min"], call["max"]], (bins,), value.dtype, bins=bins)


def _isin(call: Call) -> Value:
    value, tests = call.tensor("elements"), call["test_elements"]
    return call.builder.emit("isin", [value, tests], value.shape, BOOL, invert=call.flag("invert"))


def _unique(call: Call) -> Value:
    """Sorted distinct values of the flattened input."""
    builder, value = call.builder, call.tensor("input")
    if any(call.flag(name) for name in ("return_inverse", "return_counts")) or call.given("dim"):
        raise OperationError("unique with counts, inverse or dim", "keep it outside the golden")
    count = builder.fresh("L", "number of distinct values")
    return builder.emit("unique", [value], (count,), value.dtype)


ROWS: list[Operation] = [
    row("gather", "both.gather", "(input, dim, index, *, sparse_grad=False)", _gather),
    row("take_along_dim", "both.take_along_dim", "(input, indices, dim=None)", _take_along_dim),
    row("index_select", "both.index_select", "(input, dim, index)", _index_select),
    row("take", "both.take", "(input, index)", _take),
    row(
        "embedding",
        "F.embedding",
        "(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False)",
        _embedding,
    ),
    row("one_hot", "F.one_hot", "(input, num_classes=-1)", _one_hot),
    row("masked_select", "both.masked_select", "(input, mask)", _masked_select),
    row("nonzero", "both.nonzero both.argwhere", "(input, *, as_tuple=False)", _nonzero),
    row("scatter", "both.scatter", "(input, dim, index, src=None, *, value=None, reduce=None)", _scatter("scatter")),
    row(
        "scatter_add",
        "both.scatter_add",
        "(input, dim, index, src, *, value=None, reduce=None)",
        _scatter("scatter_add"),
    ),
    row(
        "scatter_reduce",
        "both.scatter_reduce",
        "(input, dim, index, src, reduce, *, include_self=True, value=None)",
        _scatter("scatter_reduce"),
    ),
    row("index_add", "both.index_add", "(input, dim, index, source, *, alpha=1)", _index_update("index_add")),
    row("index_copy", "both.index_copy", "(input, dim, index, source)", _index_update("index_copy")),
    row("index_fill", "both.index_fill", "(input, dim, index, value)", _index_update("index_fill")),
    row("index_put", "both.index_put", "(input, indices, values, accumulate=False)", _index_put),
    row("masked_scatter", "both.masked_scatter", "(input, mask, source)", _masked_scatter),
    row(
        "searchsorted",
        "torch.searchsorted",
        "(sorted_sequence, input, *, out_int32=False, right=False, side=None)",
        _searchsorted,
    ),
    row("bucketize", "torch.bucketize", "(input, sorted_sequence, *, out_int32=False, right=False)", _searchsorted),
    row("bincount", "both.bincount", "(input, weights=None, minlength=0)", _bincount),
    row("histc", "both.histc", "(input, bins=100, min=0, max=0)", _histc),
    row("isin", "torch.isin", "(elements, test_elements, *, assume_unique=False, invert=False)", _isin),
    row(
        "unique",
        "both.unique",
        "(input, sorted=True, return_inverse=False, return_counts=False, dim=None)",
        _unique,
    ),
]
