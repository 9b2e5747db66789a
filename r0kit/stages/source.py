"""The file of stage functions: one function per Module, those of Modules 1..k, and the composition of all of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from r0kit.contract.model import PRIMARY, Contract
from r0kit.contract.path import Path
from r0kit.finding import Fault, Severity
from r0kit.golden.program import Program
from r0kit.stages.composition import Value, composition
from r0kit.stages.function import Function, Task, UnwritableStep, docstring, write
from r0kit.stages.slicing import Slice, SliceError, closure, label, slice_module, value_of


@dataclass(frozen=True, slots=True)
class Cut:
    """A contract whose every Module could be sliced, and the functions written from it.

    source: the file; slices: per Module. faults: what a person should know all the same (an input that is not read).
    """

    contract: Contract
    source: str
    slices: tuple[Slice, ...]
    faults: tuple[Fault, ...] = ()


def cut(contract: Contract, programs: Sequence[Program]) -> Cut:
    """The stage functions of `contract` over the golden's Programs, best first. SliceError where they cannot be had."""
    slices: list[Slice] = []
    functions: dict[int, Function] = {}
    faults: list[Fault] = list(_name_faults(contract))
    for index in range(len(contract.modules)):
        try:
            piece = slice_module(contract, index, programs)
            slices.append(piece)
            functions[piece.module.id] = write(_task(contract, piece))
        except SliceError as error:
            faults += error.faults
        except UnwritableStep as error:
            faults.append(_unwritable(contract, index, error))
    faults += _final_faults(contract)
    if faults:
        raise SliceError(faults)
    blocks: list[Sequence[str]] = [function.lines for function in functions.values()]
    blocks += composition(contract, functions, programs[0])
    unread = [fault for index, piece in enumerate(slices) for fault in _unread(index, piece)]
    return Cut(contract, _file(contract, programs[0], blocks), tuple(slices), tuple(unread))


@dataclass(frozen=True, slots=True)
class Reference:
    """The golden's own Steps in one function, without Modules, for the values that Modules write.

    function: its name in the source; values: what it returns, in order, as (Module, output).
    """

    function: str
    values: tuple[Value, ...]


def reference(done: Cut) -> tuple[str, tuple[Reference, ...]]:
    """Python source that evaluates every output of every Module straight from the primary inputs, and what it returns.

    One function per Program that the Modules are cut from. Each takes the contract's primary inputs, then parameters.
    """
    programs = {id(piece.program): piece.program for piece in done.slices}
    functions: list[Reference] = []
    blocks: list[str] = []
    for number, (identity, program) in enumerate(programs.items(), 1):
        outputs = [
            ((piece.module.id, output.name), value)
            for piece in done.slices
            if id(piece.program) == identity
            for output, value in zip(piece.module.outputs, piece.results, strict=True)
        ]
        arguments = tuple((tensor.name, value_of(program, tensor.name)) for tensor in done.contract.primary_inputs)
        results = tuple(value for _, value in outputs)
        name = f"reference_{number}"
        task = Task(name, "Every output of every Module.", program, arguments, results, closure(program, results))
        try:
            blocks.append("\n".join(write(task).lines))
        except UnwritableStep:
            continue  # an extent that only some Module shows; these values have no reference
        functions.append(Reference(name, tuple(value for value, _ in outputs)))
    return "\n\n".join(["import math  # noqa: F401", "import torch", *blocks, ""]), tuple(functions)


def _task(contract: Contract, piece: Slice) -> Task:
    module = piece.module
    arguments = zip((wire.name for wire in module.inputs), piece.inputs, strict=True)
    what = f" - {module.description}" if module.description else ""
    section = f" [{module.section}]" if module.section else ""
    text = f"{label(module)}{section}{what}".rstrip(".") + "."
    name, known = f"{contract.op}_module_{module.id}", _known(contract)
    narrowed = _narrowed(contract, piece)
    return Task(name, text, piece.program, tuple(arguments), piece.results, piece.steps, known, narrowed)


def _narrowed(contract: Contract, piece: Slice) -> frozenset[str]:
    """Values of a Module that are float64 in the golden, and float32 where they cross to another Module.

    No kernel has float64, so the contract declares float32. A final output stays what the golden returns.
    """
    declared = {(PRIMARY, tensor.name): tensor.dtype for tensor in contract.primary_inputs}
    declared |= {(module.id, o.name): o.dtype for module in contract.modules for o in module.outputs}
    wires = [(wire.module, wire.name) for wire in piece.module.inputs]
    wires += [(piece.module.id, output.name) for output in piece.module.outputs]
    wide = {step.target for step in piece.program.steps if step.dtype == "float64"}
    final = {(wire.module, wire.name) for wire in contract.final_outputs}
    return frozenset(
        value
        for wire, value in zip(wires, (*piece.inputs, *piece.results), strict=True)
        if value in wide and declared.get(wire) == "float32" and wire not in final
    )


def _known(contract: Contract) -> Mapping[str, Any]:
    """Extents with a value to fall back on: those of the first shape that the contract is verified with."""
    return contract.verification.shapes[0] if contract.verification.shapes else {}


def _file(contract: Contract, program: Program, blocks: Iterable[Sequence[str]]) -> str:
    body = "\n\n\n".join("\n".join(block) for block in blocks)
    golden = program.path.replace("\\", "/").rsplit("/", 1)[-1]
    what = f"Stage functions of {contract.op}: the Modules of its contract, cut from {golden}, whose lines are quoted."
    names = {node.id for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Name)}
    imports = ["import math", ""] if "math" in names else []
    return "\n".join([*docstring(what, 0), "", *imports, "import torch", "", "", body, ""])


def _name_faults(contract: Contract) -> Iterator[Fault]:
    """Names that cannot be those of Python functions and arguments."""
    names: list[tuple[Path, str]] = [(("op",), contract.op)]
    for index, module in enumerate(contract.modules):
        names += [(("modules", index, "inputs", i, "name"), wire.name) for i, wire in enumerate(module.inputs)]
        names += [(("modules", index, "outputs", i, "name"), output.name) for i, output in enumerate(module.outputs)]
    for path, name in names:
        if not name.isidentifier():
            yield Fault(path, f"{name!r} cannot be a name in Python", "use letters, digits and _")


def _final_faults(contract: Contract) -> Iterator[Fault]:
    written = {(module.id, output.name) for module in contract.modules for output in module.outputs}
    written |= {(PRIMARY, tensor.name) for tensor in contract.primary_inputs}
    if not contract.final_outputs:
        yield Fault(("final_outputs",), "there is no final output to compose", "name the golden's return values")
    for index, wire in enumerate(contract.final_outputs):
        if (wire.module, wire.name) not in written:
            what = f"the final output {wire.name} comes from {wire.source}, which does not write it"
            yield Fault(("final_outputs", index), what, "name an output of that Module")


def _unwritable(contract: Contract, index: int, error: UnwritableStep) -> Fault:
    what = f"{label(contract.modules[index])} cannot be written: line {error.step.span.line} of the golden: {error.message}"
    return Fault(("modules", index), what, error.hint)


def _unread(index: int, piece: Slice) -> Iterator[Fault]:
    for position in piece.unused:
        wire = piece.module.inputs[position]
        what = f"{label(piece.module)} does not need its input {wire.name}"
        yield Fault(("modules", index, "inputs", position), what, "leave it out", Severity.WARNING)
