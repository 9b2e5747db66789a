"""The torch expression that computes one Step from the texts of its operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from r0kit.golden.dims import Dim
from r0kit.golden.program import Step
from r0kit.golden.scalars import Apply, Constant, Extent, Parameter, Reading
from r0kit.golden.scalars import text as scalar_text

Extents = Callable[[Dim], str]
Writer = Callable[[Step, Sequence[str], Extents], str]


def fill(pattern: str, step: Step, operands: Sequence[str], extent: Extents) -> str:
    """`pattern` with {0}, {1}, ... replaced by operands, {name} by attributes, {shape} and {out_dtype} by the value's."""
    names: dict[str, Any] = {"shape": _Written(step.shape, extent), "out_dtype": f"torch.{step.dtype}"}
    names |= {name: _Written(value, extent) for name, value in step.attrs.items()}
    return pattern.format(*operands, **names)


class _Written:
    """An attribute in a pattern: `{axes}` writes all of it, `{axes[0]}` one item."""

    def __init__(self, value: Any, extent: Extents) -> None:
        self.value, self.extent = value, extent

    def __getitem__(self, place: int | str) -> _Written:
        return _Written(self.value[int(place)], self.extent)

    def __format__(self, spec: str) -> str:
        return attribute(self.value, self.extent)


def attribute(value: Any, extent: Extents) -> str:
    """An attribute of a Step as Python writes it."""
    if isinstance(value, Dim):
        return extent(value)
    if isinstance(value, (Constant, Parameter, Extent, Reading, Apply)):
        return scalar_text(value, extent)
    if isinstance(value, (tuple, list)):
        items = [attribute(item, extent) for item in value]
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {attribute(item, extent)}" for key, item in value.items()) + "}"
    return repr(value)


def contraction(text: str | Writer) -> Writer:
    """A writer that runs the contraction in its compute dtype where its operands are narrower."""

    def write(step: Step, operands: Sequence[str], extent: Extents) -> str:
        compute = step.attrs.get("compute_dtype")
        if compute is None:
            return written(step, operands, extent)
        wide = [f"{operand}.to(torch.{compute})" for operand in operands]
        result = written(step, wide, extent)
        return result if compute == step.dtype else f"{result}.to(torch.{step.dtype})"

    def written(step: Step, operands: Sequence[str], extent: Extents) -> str:
        return fill(text, step, operands, extent) if isinstance(text, str) else text(step, operands, extent)

    return write
