"""Extents that only data tell: which Steps need the tensors whose numbers they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from r0kit.golden.dims import Shape
from r0kit.golden.program import Program, RuntimeSymbol, Step
from r0kit.golden.rename import symbols_in


def telling(program: Program) -> dict[str, tuple[str, ...]]:
    """Step -> the tensors whose numbers are extents that it needs and none of its operands has.

    `x[:n]` needs `lens` where `n = int(lens.item())`; `h * 2` does not, for an `h` that has the extent already.
    """
    told = {symbol.name: symbol for symbol in program.symbols if symbol.tensors}
    if not told:
        return {}
    shapes = {value.name: value.shape for value in program.inputs} | {step.target: step.shape for step in program.steps}
    found = {step.target: _tensors(step, told, shapes) for step in program.steps}
    return {target: tensors for target, tensors in found.items() if tensors}


def needed_extents(step: Step, shapes: Mapping[str, Shape]) -> set[str]:
    """Symbols whose value a Step needs and that its operands do not show in their shapes."""
    shown = {symbol for name in step.tensors for symbol in _symbols(shapes.get(name, ()))}
    return symbols_in(step) - shown


def _tensors(step: Step, told: Mapping[str, RuntimeSymbol], shapes: Mapping[str, Shape]) -> tuple[str, ...]:
    needed = sorted(needed_extents(step, shapes) & told.keys())
    names = dict.fromkeys(name for symbol in needed for name in told[symbol].tensors)
    return tuple(name for name in names if name not in step.tensors)


def _symbols(shape: Shape) -> Iterable[str]:
    return (symbol for extent in shape for symbol in extent.symbols)
