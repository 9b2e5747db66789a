"""Goldens for `validate --golden`: read with the SPEC.md beside them, or with what the contract itself says."""

import os
from typing import Any

from r0kit.contract.read import Document, read
from r0kit.contract.typed import contract_of
from r0kit.finding import InputError, Report
from r0kit.golden.program import Program
from r0kit.golden.read import program_of, read_program
from r0kit.spec import Spec, TensorSpec, in_eval, read_spec
from r0kit.validate import validate_document
from r0kit.validate.subject import Golden

SPEC = "SPEC.md"


def report(contract: str, golden: str) -> Report:
    """The report on the contract in the file `contract`, compared with the golden in the file `golden`."""
    try:
        document = read(contract)
        return validate_document(document, golden_of(document, golden))
    except InputError as error:
        return Report(contract, error.findings)


def golden_of(document: Document, path: str) -> Golden:
    """The golden in the file `path` that computes what the contract describes. InputError where it cannot be read."""
    spec = spec_beside(path)
    operator = document.data.get("op") if isinstance(document.data, dict) else None
    program = _program(document, path, spec, operator if isinstance(operator, str) else None)
    if spec is None:
        return Golden(program)
    stated = frozenset(tensor.name for tensor in spec.inputs if tensor.shape is not None and tensor.dtype)
    cases = tuple(spec.bindings(case) for case in spec.p0_cases)
    return Golden(program, stated, frozenset(spec.supported_dtypes), cases)


def _program(document: Document, path: str, spec: Spec | None, op: str | None) -> Program:
    """The golden as Steps; an nn.Module in eval mode where only there it has the inputs that the contract lists."""
    known, listed = spec or spec_of(document), {tensor.name for tensor in spec_of(document).inputs}
    program = read_program(path, known, op)
    if listed <= {one.name for one in program.inputs} or not any(one.path for one in program.inputs):
        return program
    other = read_program(path, in_eval(known, path), op)
    return other if listed <= {one.name for one in other.inputs} else program


def golden_of_text(source: str, document: Document) -> Golden:
    """The golden of a contract's example, whose tensors are as the contract says."""
    return Golden(program_of(source, "<golden>", spec_of(document)))


def spec_beside(path: str) -> Spec | None:
    """The SPEC.md in the folder of a golden, where there is one."""
    beside = os.path.join(os.path.dirname(path), SPEC)
    return read_spec(beside)[0] if os.path.exists(beside) else None


def spec_of(document: Document) -> Spec:
    """What a contract says of its tensors, as a SPEC would. A contract without a structure says nothing."""
    try:
        contract = contract_of(document)
    except InputError:
        return Spec(document.path)
    inputs = tuple(TensorSpec(t.name, _dimensions(t.shape), t.dtype) for t in contract.primary_inputs)
    outputs = tuple(TensorSpec(wire.name) for wire in contract.final_outputs)
    return Spec(document.path, contract.op, inputs=inputs, outputs=outputs, default_params=dict(contract.params))


def _dimensions(shape: str) -> tuple[Any, ...] | None:
    return tuple(part.strip() for part in shape.strip("[] ").split(",") if part.strip()) if shape else None
