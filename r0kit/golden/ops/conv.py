"""Convolutions of one to three spatial axes, and their transposes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, Shape, shape_text
from r0kit.golden.ops.contraction import same_dtype
from r0kit.golden.ops.layout import squeeze, unsqueeze
from r0kit.golden.ops.row import Call, Operation, row
from r0kit.golden.ops.text import Extents, attribute
from r0kit.golden.ops.windows import Window, fits, per_axis, windows_of
from r0kit.golden.program import Step
from r0kit.golden.values import TensorValue, Value

# Labels of a convolution's axes: batch, input channels, output channels, then spatial and kernel axes.
BATCH, INPUT, OUTPUT, SPATIAL, KERNEL, GROUPED = 0, 1, 2, 10, 20, 30


def _batched(call: Call, spatial: int) -> tuple[TensorValue, bool]:
    """The input with a batch axis, and whether one was added."""
    value = call.tensor("input")
    if value.rank not in (spatial + 1, spatial + 2):
        raise OperationError(f"{call.path.rpartition('.')[2]} does not take an input of {shape_text(value.shape)}")
    added = value.rank == spatial + 1
    return (unsqueeze(call.builder, value, (0,)) if added else value), added


def _operands(call: Call, value: TensorValue, spatial: int) -> list[TensorValue]:
    weight, bias = call.tensor("weight"), call.optional("bias")
    if weight.rank != spatial + 2:
        raise OperationError(f"a weight of {shape_text(weight.shape)} for {spatial} spatial axes")
    operands = [value, weight] if bias is None else [value, weight, bias]
    same_dtype("convolution", operands)
    return operands


def _conv(spatial: int) -> Callable[[Call], Value]:
    def rule(call: Call) -> Value:
        builder = call.builder
        value, added = _batched(call, spatial)
        operands = _operands(call, value, spatial)
        weight, groups = operands[1], builder.extent(call["groups"], "groups")
        builder.same(weight.shape[1] * groups, value.shape[1], "convolution channels")
        windows = windows_of(call, weight.shape[2:])
        _check_fit(builder, windows, value.shape[2:])
        spread = (w.output(builder, e) for w, e in zip(windows, value.shape[2:], strict=True))
        shape = (value.shape[0], weight.shape[0], *spread)
        return _emit(call, "conv", operands, shape, windows, groups, added)

    return rule


def _check_fit(builder: Builder, windows: Sequence[Window], extents: Shape) -> None:
    for window, extent in zip(windows, extents, strict=True):
        if not fits(builder, window, extent):
            raise OperationError(f"a window of {window.span} does not fit an extent of {extent}")


def _conv_transpose(spatial: int) -> Callable[[Call], Value]:
    def rule(call: Call) -> Value:
        builder = call.builder
        value, added = _batched(call, spatial)
        operands = _operands(call, value, spatial)
        weight, groups = operands[1], builder.extent(call["groups"], "groups")
        builder.same(weight.shape[0], value.shape[1], "convolution channels")
        windows = windows_of(call, weight.shape[2:])
        extra = per_axis(call, "output_padding", spatial)
        spread = [
            (extent - 1) * w.stride - w.before - w.after + w.span + more
            for w, extent, more in zip(windows, value.shape[2:], extra, strict=True)
        ]
        shape = (value.shape[0], weight.shape[1] * groups, *spread)
        return _emit(call, "conv_transpose", operands, shape, windows, groups, added, output_padding=extra)

    return rule


def _emit(
    call: Call,
    op: str,
    operands: Sequence[TensorValue],
    shape: Shape,
    windows: Sequence[Window],
    groups: Dim,
    added: bool,
    **attrs: object,
) -> TensorValue:
    labels = _labels(op, operands, len(windows), groups)
    records = tuple(window.record for window in windows)
    result = call.builder.emit(
        op, operands, shape, operands[0].dtype, labels=labels, windows=records, groups=groups, **attrs
    )
    return squeeze(call.builder, result, (0,)) if added else result


def _labels(op: str, operands: Sequence[TensorValue], spatial: int, groups: Dim) -> tuple[tuple[int, ...], ...]:
    """Depthwise convolutions keep their channel; grouped ones contract a part of it, which gets a label of its own."""
    space = tuple(SPATIAL + axis for axis in range(spatial))
    kernel = tuple(KERNEL + axis for axis in range(spatial))
    weight = operands[1]
    depthwise = weight.shape[1].const == 1 and weight.shape[0] == operands[0].shape[1] == groups
    entering = OUTPUT if depthwise else INPUT
    other = GROUPED if depthwise or groups.const != 1 else INPUT
    pair = (OUTPUT, other) if op == "conv" else (other, OUTPUT)
    if depthwise:
        pair = (OUTPUT, GROUPED)
    bias = ((OUTPUT,),) if len(operands) == 3 else ()
    return (BATCH, entering, *space), (*pair, *kernel), *bias, (BATCH, OUTPUT, *space)


def conv_text(step: Step, operands: Sequence[str], extent: Extents) -> str:
    """The functional call; padding that differs before and after is a pad of its own."""
    records = step.attrs["windows"]
    strides, dilations = (attribute(tuple(r[place] for r in records), extent) for place in (1, 4))
    bias = operands[2] if len(operands) == 3 else "None"
    name = f"torch.nn.functional.{step.op}{len(records)}d"
    groups = extent(step.attrs["groups"])
    if step.op == "conv_transpose":
        pads, extra = attribute(tuple(r[2] for r in records), extent), attribute(step.attrs["output_padding"], extent)
        return f"{name}({operands[0]}, {operands[1]}, {bias}, {strides}, {pads}, {extra}, {groups}, {dilations})"
    uneven = any(r[2] != r[3] for r in records)
    pads = "'same'" if uneven else attribute(tuple(r[2] for r in records), extent)
    return f"{name}({operands[0]}, {operands[1]}, {bias}, {strides}, {pads}, {dilations}, {groups})"


_CONV = "(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)"
_TRANSPOSE = "(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)"
ROWS: list[Operation] = [
    *(row("conv", f"F.conv{n}d torch.conv{n}d", _CONV, _conv(n)) for n in (1, 2, 3)),
    *(
        row("conv_transpose", f"F.conv_transpose{n}d torch.conv_transpose{n}d", _TRANSPOSE, _conv_transpose(n))
        for n in (1, 2, 3)
    ),
]
