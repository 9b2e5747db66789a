"""Pooling: reductions over sliding windows, and adaptive ones, which are plain reductions where the output is 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Shape, shape_text
from r0kit.golden.ops.reduction import reduce
from r0kit.golden.ops.row import Call, Operation, items_of, row
from r0kit.golden.ops.text import Extents, attribute
from r0kit.golden.ops.windows import Window, per_axis, windows_of
from r0kit.golden.program import Step
from r0kit.golden.values import TensorValue, Value, is_none, sequence


def _spatial(call: Call, count: int) -> TensorValue:
    value = call.tensor("input")
    if value.rank not in (count + 1, count + 2):
        raise OperationError(f"{call.path.rpartition('.')[2]} does not take an input of {shape_text(value.shape)}")
    return value


def _pooled(call: Call, value: TensorValue, windows: Sequence[Window]) -> Shape:
    """The shape after pooling the last axes."""
    lead = value.rank - len(windows)
    mode = call.flag("ceil_mode")
    spread = (w.output(call.builder, e, mode) for w, e in zip(windows, value.shape[lead:], strict=True))
    return (*value.shape[:lead], *spread)


def _max_pool(count: int, indices: bool = False) -> Callable[[Call], Value]:
    def rule(call: Call) -> Value:
        value = _spatial(call, count)
        windows = windows_of(call, per_axis(call, "kernel_size", count))
        shape = _pooled(call, value, windows)
        attrs = {"windows": tuple(w.record for w in windows), "ceil_mode": call.flag("ceil_mode")}
        result = call.builder.emit("max_pool", [value], shape, value.dtype, **attrs)
        if not (indices or call.flag("return_indices")):
            return result
        return sequence(result, call.builder.emit("max_pool_indices", [value], shape, "int64", **attrs))

    return rule


def _avg_pool(count: int) -> Callable[[Call], Value]:
    def rule(call: Call) -> Value:
        value = _spatial(call, count)
        windows = windows_of(call, per_axis(call, "kernel_size", count))
        divisor = call["divisor_override"] if call.given("divisor_override") else None
        attrs = {
            "windows": tuple(w.record for w in windows),
            "ceil_mode": call.flag("ceil_mode"),
            "count_include_pad": call.flag("count_include_pad"),
            "divisor": None if divisor is None else call.integer("divisor_override"),
        }
        return call.builder.emit("avg_pool", [value], _pooled(call, value, windows), value.dtype, **attrs)

    return rule


def _lp_pool(count: int) -> Callable[[Call], Value]:
    def rule(call: Call) -> Value:
        value = _spatial(call, count)
        windows = windows_of(call, per_axis(call, "kernel_size", count))
        attrs = {
            "windows": tuple(w.record for w in windows),
            "ceil_mode": call.flag("ceil_mode"),
            "order": call.number("norm_type"),
        }
        return call.builder.emit("lp_pool", [value], _pooled(call, value, windows), value.dtype, **attrs)

    return rule


def _adaptive(kind: str, count: int, indices: bool = False) -> Callable[[Call], Value]:
    """Output extents given; None keeps an extent; all 1 is a mean or maximum over the whole axes."""

    def rule(call: Call) -> Value:
        value = _spatial(call, count)
        lead = value.rank - count
        wanted = items_of(call["output_size"])
        wanted = wanted * count if len(wanted) == 1 else wanted
        sizes = tuple(
            value.shape[lead + place] if is_none(item) else call.builder.extent(item, "output_size")
            for place, item in enumerate(wanted)
        )
        both = indices or ("return_indices" in call.arguments and call.flag("return_indices"))
        if all(size.const == 1 for size in sizes) and not both:
            axes = tuple(range(lead, value.rank))
            return reduce(call.builder, "mean" if kind == "avg" else "amax", value, axes, True)
        shape = (*value.shape[:lead], *sizes)
        result = call.builder.emit(f"adaptive_{kind}_pool", [value], shape, value.dtype, spatial=count)
        if not both:
            return result
        return sequence(result, call.builder.emit("adaptive_max_pool_indices", [value], shape, "int64", spatial=count))

    return rule


# Text


def pool_text(step: Step, operands: Sequence[str], extent: Extents) -> str:
    """The functional call of a pooling Step."""
    records = step.attrs["windows"]
    kernel, stride, pad, dilation = (attribute(tuple(r[place] for r in records), extent) for place in (0, 1, 2, 4))
    name, mode = f"torch.nn.functional.{step.op.removesuffix('_indices')}{len(records)}d", step.attrs["ceil_mode"]
    if step.op == "lp_pool" and len(records) == 1:
        kernel, stride = extent(records[0][0]), extent(records[0][1])
    if step.op == "lp_pool":
        return f"{name}({operands[0]}, {step.attrs['order']}, {kernel}, {stride}, {mode})"
    if step.op == "avg_pool":
        divisor = "" if step.attrs["divisor"] is None else f", {step.attrs['divisor']}"
        return f"{name}({operands[0]}, {kernel}, {stride}, {pad}, {mode}, {step.attrs['count_include_pad']}{divisor})"
    both = step.op == "max_pool_indices"
    written = f"{name}({operands[0]}, {kernel}, {stride}, {pad}, {dilation}, {mode}, {both})"
    return f"{written}[1]" if both else written


def adaptive_text(step: Step, operands: Sequence[str], extent: Extents) -> str:
    count = step.attrs["spatial"]
    sizes = attribute(step.shape[len(step.shape) - count :], extent)
    both = step.op.endswith("_indices")
    name = f"torch.nn.functional.{step.op.removesuffix('_indices')}{count}d"
    return f"{name}({operands[0]}, {sizes}, True)[1]" if both else f"{name}({operands[0]}, {sizes})"


_MAX = "(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)"
_AVG = "(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None)"
_LP = "(input, norm_type, kernel_size, stride=None, ceil_mode=False)"
ROWS: list[Operation] = [
    *(row("max_pool", f"F.max_pool{n}d torch.max_pool{n}d", _MAX, _max_pool(n)) for n in (1, 2, 3)),
    *(row("max_pool", f"F.max_pool{n}d_with_indices", _MAX, _max_pool(n, True)) for n in (1, 2, 3)),
    row("avg_pool", "F.avg_pool1d torch.avg_pool1d", _AVG, _avg_pool(1)),
    *(row("avg_pool", f"F.avg_pool{n}d", _AVG, _avg_pool(n)) for n in (2, 3)),
    *(row("lp_pool", f"F.lp_pool{n}d", _LP, _lp_pool(n)) for n in (1, 2, 3)),
    row(
        "adaptive_avg_pool",
        "F.adaptive_avg_pool1d torch.adaptive_avg_pool1d",
        "(input, output_size)",
        _adaptive("avg", 1),
    ),
    *(
        row("adaptive_avg_pool", f"F.adaptive_avg_pool{n}d", "(input, output_size)", _adaptive("avg", n))
        for n in (2, 3)
    ),
    row("adaptive_max_pool", "torch.adaptive_max_pool1d", "(input, output_size)", _adaptive("max", 1, True)),
    *(
        row(
            "adaptive_max_pool",
            f"F.adaptive_max_pool{n}d_with_indices",
            "(input, output_size)",
            _adaptive("max", n, True),
        )
        for n in (1, 2, 3)
    ),
    *(
        row(
            "adaptive_max_pool",
            f"F.adaptive_max_pool{n}d",
            "(input, output_size, return_indices=False)",
            _adaptive("max", n),
        )
        for n in (1, 2, 3)
    ),
]
