"""A complete Contract from a Partition, and what could not be decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from r0kit.contract.draft import records
from r0kit.contract.draft.mathematics import mathematics
from r0kit.contract.draft.names import Naming, namings
from r0kit.contract.draft.verification import verification, yaml_value
from r0kit.contract.model import Contract, Module, Tensor, Wire
from r0kit.finding import Finding, Location, Severity
from r0kit.golden.dims import Shape, shape_text
from r0kit.golden.program import Program
from r0kit.partition.api import api_conflicts
from r0kit.partition.handoff import Handoff, handoffs
from r0kit.partition.model import Part, Partition
from r0kit.spec import Spec

CONTRACT_DTYPES = {"float64": "float32", "float8_e4m3fn": "float8", "float8_e5m2": "float8"}


class Draft(NamedTuple):
    """The contract, and what a person should know about it."""

    contract: Contract
    findings: tuple[Finding, ...]


def draft(partition: Partition, spec: Spec | None = None) -> Draft:
    """The contract of a Partition. Findings are those of the Partition and of its Program, and this room's own."""
    program = partition.program
    tensors = {value.name: _tensor(value.name, value.shape, value.dtype) for value in program.inputs}
    tensors |= {step.target: _tensor(step.target, step.shape, step.dtype) for step in program.steps}
    modules = _modules(partition, tensors)
    primary = tuple(tensors[value.name] for value in program.inputs)
    verified = verification(program, spec, _symbols(program, partition))
    contract = Contract(
        op=program.op,
        module_count=len(modules),
        primary_inputs=primary,
        modules=modules,
        final_outputs=_final_outputs(partition),
        verification=verified.verification,
        has_cross_core=bool(handoffs(partition)),
        is_fusion=len({part.section for part in partition.parts}) > 1,
        params={parameter.name: yaml_value(parameter.value) for parameter in program.parameters if parameter.known},
        symbols=records.symbols(program),
        reduction=tuple(records.reduction(decision, partition) for decision in partition.decisions),
        dimensions=records.dimensions(program),
        wrapper=records.wrapper(program),
    )
    own = (*verified.findings, *_narrowed(program, partition), *api_conflicts(partition))
    return Draft(contract, (*program.findings, *partition.findings, *own))


def stage_function(op: str, module: int) -> str:
    """Name of the golden of Modules 1..module: `{op}_golden_stage123`, `{op}_golden_stage1_to_12` from ten on."""
    digits = "".join(map(str, range(1, module + 1))) if module < 10 else f"1_to_{module}"
    return f"{op}_golden_stage{digits}"


def _modules(partition: Partition, tensors: Mapping[str, Tensor]) -> tuple[Module, ...]:
    exchanges = handoffs(partition)
    named = zip(partition.parts, namings(partition), strict=True)
    return tuple(_module(part, naming, partition, tensors, exchanges) for part, naming in named)


def _module(
    part: Part, naming: Naming, partition: Partition, tensors: Mapping[str, Tensor], exchanges: tuple[Handoff, ...]
) -> Module:
    program = partition.program
    return Module(
        id=part.id,
        name=naming.name,
        description=naming.description,
        section=part.section.value,
        golden_steps=mathematics(part.steps, part.outputs, program),
        inputs=tuple(Wire(crossing.name, crossing.module) for crossing in part.inputs),
        outputs=tuple(tensors[name] for name in part.outputs),
        golden_stage_fn=stage_function(program.op, part.id),
        boundary=tuple(records.boundary(boundary) for boundary in part.boundaries),
        traversal=records.traversal(part.traversal),
        handoff=tuple(records.handoff(h, partition.platform) for h in exchanges if h.reader == part.id),
        api=records.api(part),
        source_lines=part.lines,
    )


def _final_outputs(partition: Partition) -> tuple[Wire, ...]:
    """Each returned value with the Module that writes it."""
    writers = {name: part.id for part in partition.parts for name in part.outputs}
    return tuple(Wire(output.value, writers[output.value]) for output in partition.program.outputs)


def _tensor(name: str, shape: Shape, dtype: str) -> Tensor:
    return Tensor(name, shape_text(shape), CONTRACT_DTYPES.get(dtype, dtype))


def _symbols(program: Program, partition: Partition) -> frozenset[str]:
    """Symbols of every shape in the contract, but for those known only at run time."""
    written = [program.shape_of(name) for part in partition.parts for name in part.outputs]
    shapes = [value.shape for value in program.inputs] + written
    return frozenset(name for shape in shapes for extent in shape for name in extent.symbols) - {
        symbol.name for symbol in program.symbols
    }


def _narrowed(program: Program, partition: Partition) -> Iterator[Finding]:
    """A warning for each value of the contract that the golden keeps in float64, which no kernel has."""
    written = {name for part in partition.parts for name in part.outputs}
    places = [(value.name, value.dtype, Location(program.path)) for value in program.inputs]
    for step in program.steps:
        if step.target in written:
            places.append((step.target, step.dtype, Location(program.path, step.span.line, step.span.column)))
    for name, dtype, place in places:
        if dtype == "float64":
            hint = "compute in float32 in the golden where the kernel does, or widen the tolerance for the difference"
            message = f"{name} is float64 in the golden and declared float32 in the contract"
            yield Finding("gen.float64", Severity.WARNING, message, place, hint)
