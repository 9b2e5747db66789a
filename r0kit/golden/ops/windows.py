"""Sliding windows: extents under kernel, stride, padding and dilation, for convolutions and pooling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, Shape
from r0kit.golden.ops.extents import at_least_zero
from r0kit.golden.ops.row import Call

ZERO, ONE = Dim.of(0), Dim.of(1)


@dataclass(frozen=True, slots=True)
class Window:
    """One spatial axis: kernel extent, stride, padding before and after, dilation."""

    kernel: Dim
    stride: Dim = ONE
    before: Dim = ZERO
    after: Dim = ZERO
    dilation: Dim = ONE

    @property
    def span(self) -> Dim:
        """How far one window reaches."""
        return self.dilation * (self.kernel - 1) + 1

    def output(self, builder: Builder, extent: Dim, ceil_mode: bool = False) -> Dim:
        """Number of windows; in ceil mode a last one may hang over, but must start inside the input or its left padding."""
        room = extent + self.before + self.after - self.span
        if not ceil_mode:
            return room // self.stride + 1
        count = room.ceil_div(self.stride) + 1
        over = (count - 1) * self.stride - extent - self.before
        known = builder.known(over)
        return count - 1 if known is not None and known >= 0 else count

    @property
    def record(self) -> tuple[Dim, Dim, Dim, Dim, Dim]:
        """For a Step's `windows`: (kernel, stride, before, after, dilation)."""
        return self.kernel, self.stride, self.before, self.after, self.dilation


def per_axis(call: Call, name: str, count: int) -> Shape:
    """An argument that is one number for all spatial axes or one for each."""
    values = call.extents(name)
    if len(values) == 1:
        return values * count
    if len(values) != count:
        raise OperationError(f"{name} has {len(values)} entries for {count} axes")
    return values


def windows_of(call: Call, kernels: Sequence[Dim], stride: str = "stride") -> tuple[Window, ...]:
    """One Window per axis from a call's stride, padding and dilation; a stride left out is the kernel's."""
    count = len(kernels)
    strides = per_axis(call, stride, count) if call.given(stride) and call.extents(stride) else tuple(kernels)
    dilations = per_axis(call, "dilation", count) if "dilation" in call.arguments else (ONE,) * count
    pads = _paddings(call, kernels, dilations)
    return tuple(
        Window(kernel, step, *pad, dilation)
        for kernel, step, pad, dilation in zip(kernels, strides, pads, dilations, strict=True)
    )


def _paddings(call: Call, kernels: Sequence[Dim], dilations: Sequence[Dim]) -> list[tuple[Dim, Dim]]:
    if "padding" not in call.arguments:
        return [(ZERO, ZERO)] * len(kernels)
    value = call["padding"]
    word = call.builder.fold(value, "padding") if getattr(value, "type", None) is str else None
    if word == "valid":
        return [(ZERO, ZERO)] * len(kernels)
    if word == "same":
        totals = [dilation * (kernel - 1) for kernel, dilation in zip(kernels, dilations, strict=True)]
        return [(total // 2, total - total // 2) for total in totals]
    if word is not None:
        raise OperationError(f"padding {word!r} is neither 'same' nor 'valid'")
    return [(pad, pad) for pad in per_axis(call, "padding", len(kernels))]


def fits(builder: Builder, window: Window, extent: Dim) -> bool:
    """Whether at least one window fits."""
    return at_least_zero(builder, extent + window.before + window.after - window.span)
