"""What a draft could not decide, as TODO with a comment that says what belongs there; rule11 finds each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from r0kit.contract.model import Contract
from r0kit.contract.path import Path
from r0kit.contract.plain import plain
from r0kit.contract.skeleton import HINTS, TODO, empty_module, tolerance, verification_hints
from r0kit.golden.program import Kind, Step
from r0kit.golden.runtime import needed_extents
from r0kit.partition.model import Part, Partition
from r0kit.spec import Spec


def with_todos(contract: Contract, partition: Partition, spec: Spec | None) -> tuple[dict[str, Any], dict[Path, str]]:
    """The contract as plain data, and the comments of its TODOs by path."""
    data = plain(contract)
    comments: dict[Path, str] = {}
    if not contract.modules:
        data |= {"module_count": TODO, "modules": [empty_module(contract.op)], "final_outputs": TODO}
        comments |= HINTS
    unread = _unread_steps(partition)
    for index, part in enumerate(partition.parts):
        module = data["modules"][index]
        for key, value, hint in _open(part, module, unread):
            module[key] = value
            comments["modules", index, key] = hint
    unknown = {parameter.name: TODO for parameter in partition.program.parameters if not parameter.known}
    if unknown:
        data["params"] = {**data.get("params", {}), **unknown}
        comments["params",] = f"SPEC's default_params do not give {', '.join(unknown)}"
    _verify(data, comments, spec or Spec(partition.program.path))
    return data, comments


def _open(part: Part, module: Mapping[str, Any], open_steps: Mapping[str, Step]) -> Iterator[tuple[str, Any, str]]:
    """Keys of a Module that static reading cannot fill: (key, value with TODO, comment)."""
    unread = [step for step in part.steps if step.target in open_steps]
    if not unread:
        return
    step = open_steps[unread[0].target]
    what = f"golden line {step.span.line}, {_shortened(step.text)}, could not be read"
    yield "section", TODO, f"cube or vector? {what}"
    targets = {step.target for step in unread}
    outputs = [
        {**output, "shape": TODO} if output["name"] in targets and step.attrs.get("unknown_shape") else output
        for output in module["outputs"]
    ]
    yield "outputs", outputs, f"what it writes, with its shape: {what}"


def _unread_steps(partition: Partition) -> dict[str, Step]:
    """Steps of which something could not be read, each with the Step that says what: itself, or one in its trips."""
    program = partition.program
    shapes = {value.name: value.shape for value in program.inputs} | {step.target: step.shape for step in program.steps}
    extents = {symbol.name for symbol in program.symbols if symbol.unread}
    found = {step.target: _unread(step) for part in partition.parts for step in part.steps}
    found |= {
        step.target: step
        for part in partition.parts
        for step in part.steps
        if found[step.target] is None and extents and needed_extents(step, shapes) & extents
    }
    return {target: step for target, step in found.items() if step is not None}


def _unread(step: Step) -> Step | None:
    """A call that nobody knows, in the trips of a loop too; or a loop that mixes sections, so that none is right for it."""
    if step.kind is Kind.OPAQUE:
        return step
    inside = list(_every(step.body))
    kinds = {inner.kind for inner in inside} - {Kind.LOOP}
    mixed = Kind.CONTRACTION in kinds and not kinds <= {Kind.CONTRACTION, Kind.LAYOUT}
    return next((inner for inner in inside if inner.kind is Kind.OPAQUE), step if mixed else None)


def _every(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from _every(step.body)


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."


def _verify(data: dict[str, Any], comments: dict[Path, str], spec: Spec) -> None:
    record = data["composition_verification"]
    shapes = record["shapes"]
    data["composition_verification"] = {**tolerance(spec), "seeds": record["seeds"], "shapes": shapes or TODO}
    comments |= verification_hints(spec, shapes)
