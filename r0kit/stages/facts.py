"""What a Program says about the inputs on which it may be run: indices and their bounds, equalities, folded parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from r0kit.golden.dims import Dim
from r0kit.golden.program import Kind, Program, Ref, Step

# Operation -> position of its first index operand. The axes it points into: attribute `axes`, else `axis`, else 0.
_INDEXED = {
    "gather": 1,
    "index": 1,
    "index_select": 1,
    "embedding": 1,
    "index_put": 2,
    "index_add": 1,
    "index_copy": 1,
    "index_fill": 1,
    "scatter": 1,
    "scatter_add": 1,
    "scatter_reduce": 1,
}
_SAME_NUMBERS = frozenset({"cast", "where", "masked_fill"})  # beside layout: what hands on the numbers of its operand


def index_bounds(program: Program) -> dict[str, tuple[Dim, ...]]:
    """Integer input -> the extents that its values must stay below, because they are used as indices."""
    inputs = {value.name for value in program.inputs if "int" in value.dtype}
    producers = {step.target: step for step in program.steps}
    found: dict[str, list[Dim]] = {}
    for step in program.steps:
        for value, extent in _uses(step, program):
            for name in _sources(value, producers):
                if name in inputs and extent not in found.setdefault(name, []):
                    found[name].append(extent)
    return {name: tuple(extents) for name, extents in found.items()}


def requirements(program: Program) -> tuple[str, ...]:
    """Equalities of extents without which the golden does not run, or not as it was read."""
    return tuple(f"{constraint.left} == {constraint.right}" for constraint in program.constraints)


def folded_parameters(program: Program) -> Mapping[str, Any]:
    """Parameters whose value the Steps depend on, with that value."""
    return {parameter.name: parameter.value for parameter in program.parameters if parameter.folded}


def _uses(step: Step, program: Program) -> Iterator[tuple[str, Dim]]:
    """(value, extent) for each value that `step` uses as an index."""
    tensors = [operand.name if isinstance(operand, Ref) else "" for operand in step.operands]
    first = _INDEXED.get(step.op)
    if first is not None and tensors[0]:
        shape = program.shape_of(tensors[0])
        axes = step.attrs.get("axes") or (step.attrs.get("axis", 0),) * len(tensors[first:])
        for name, axis in zip(tensors[first:], axes, strict=False):
            if name and axis < len(shape):
                yield name, shape[axis]
    elif step.op == "eq" and step.origin == "one_hot" and step.shape and tensors[0]:
        yield tensors[0], step.shape[-1]


def _sources(value: str, producers: Mapping[str, Step]) -> Iterator[str]:
    """The values whose numbers `value` hands on, itself included."""
    waiting, seen = [value], {value}
    while waiting:
        name = waiting.pop()
        yield name
        step = producers.get(name)
        if step is not None and (step.kind is Kind.LAYOUT or step.op in _SAME_NUMBERS):
            fresh = [operand for operand in step.tensors if operand not in seen]
            seen.update(fresh)
            waiting += fresh
