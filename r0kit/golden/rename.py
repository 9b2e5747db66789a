"""Steps with other names for what they read and compute."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from r0kit.golden.attributes import symbols_of
from r0kit.golden.program import Operand, Ref, Step
from r0kit.golden.scalars import Apply, Reading, Scalar


def reads(step: Step) -> Iterable[str]:
    """Every value that a Step needs, those that only its body needs included."""
    yield from step.tensors
    inside = {inner.target for inner in step.body}
    for inner in step.body:
        yield from (name for name in reads(inner) if name not in inside)


def symbols_in(step: Step) -> set[str]:
    """Symbols of every extent that a Step has or uses."""
    found = {symbol for extent in step.shape for symbol in extent.symbols} | step.extents
    found.update(*map(symbols_of, step.attrs.values()), *map(symbols_in, step.body))
    return found


def outside(body: Sequence[Step], results: Sequence[Ref]) -> list[str]:
    """Values from outside that the Steps of a loop's body need, or that the loop leaves as they are; each once, in order."""
    inside = {step.target for step in body}
    read = [*(name for step in body for name in reads(step)), *(result.name for result in results)]
    return list(dict.fromkeys(name for name in read if name not in inside))


def renamed(step: Step, names: Mapping[str, str]) -> Step:
    """The Step with its operands' names replaced, its body's too."""
    if not names:
        return step
    operands = tuple(operand_renamed(operand, names) for operand in step.operands)
    if operands == step.operands and not step.body:
        return step
    body = tuple(renamed(inner, names) for inner in step.body)
    return replace(step, operands=operands, body=body, attrs=_with_results(step.attrs, names))


def operand_renamed(operand: Operand, names: Mapping[str, str]) -> Operand:
    if isinstance(operand, Ref):
        return Ref(names.get(operand.name, operand.name))
    return scalar_renamed(operand, names)


def scalar_renamed(scalar: Scalar, names: Mapping[str, str]) -> Scalar:
    """A scalar that reads tensors under their new names."""
    match scalar:
        case Reading(tensor):
            return Reading(names.get(tensor, tensor))
        case Apply(function, arguments):
            return Apply(function, tuple(scalar_renamed(argument, names) for argument in arguments))
    return scalar


def named(step: Step, names: Mapping[str, str]) -> Step:
    """The Step under its new name, and everything in it too; `names` has one for each Step."""
    body = tuple(named(inner, names) for inner in step.body)
    operands = tuple(operand_renamed(operand, names) for operand in step.operands)
    carried = tuple(names.get(name, name) for name in step.carried)
    attrs = _with_results(step.attrs, names)
    return replace(step, target=names[step.target], operands=operands, body=body, carried=carried, attrs=attrs)


def _with_results(attrs: Mapping[str, Any], names: Mapping[str, str]) -> Mapping[str, Any]:
    if "results" not in attrs:
        return attrs
    return {**attrs, "results": tuple(operand_renamed(result, names) for result in attrs["results"])}
