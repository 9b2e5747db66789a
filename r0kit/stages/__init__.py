"""Contract + golden -> Python source of stage functions: each Module alone, Modules 1..k, and all of them composed.

The contract may have been edited by hand. It says where Modules begin and end, and what each of them reads and writes;
the golden's Steps, found by the names of their values, say how. What cannot be reached from a Module's inputs is a
finding that names the value, the Module and the place in the contract.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from r0kit.contract.read import Document
from r0kit.contract.typed import contract_of
from r0kit.finding import Fault, Finding, InputError, Severity
from r0kit.spec import Spec
from r0kit.stages.calling import Calling, calling_of
from r0kit.stages.composition import stage_name
from r0kit.stages.facts import folded_parameters, index_bounds, requirements
from r0kit.stages.reading import cut_golden
from r0kit.stages.slicing import SliceError
from r0kit.stages.source import Cut, Reference, reference

__all__ = ["Calling", "Facts", "Reference", "Stages", "calling_of", "located", "stage_name", "stages_of"]

RULE = "stages.missing"
AS_DECLARED: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Facts:
    """What the golden's source says about the inputs on which it may be run.

    indices: integer input -> extents, as text, that its values must stay below; constraints: equalities of extents that
    torch or the golden requires; folded: parameters on whose value the contract depends, with that value.
    """

    indices: Mapping[str, tuple[str, ...]]
    constraints: tuple[str, ...]
    folded: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Stages:
    """The stage functions of a contract.

    source: the Python file; dtypes: of every output, by Module and name; findings: warnings, such as inputs not read.
    """

    source: str
    dtypes: Mapping[tuple[int, str], str]
    facts: Facts
    findings: tuple[Finding, ...]
    _cut: Cut

    @property
    def file_name(self) -> str:
        """What the file is called where nobody says otherwise."""
        return f"{self._cut.contract.op}_golden_modular.py"

    def reference(self) -> tuple[str, tuple[Reference, ...]]:
        """Source that computes the same values from the primary inputs without Modules, and what it returns."""
        return reference(self._cut)


def stages_of(
    document: Document, golden: str, spec: Spec | None = None, dtypes: Mapping[str, str] = AS_DECLARED
) -> Stages:
    """The stage functions of the contract that `document` says, over the golden in the file `golden`.

    dtypes: of the inputs for which they are not the contract's.
    InputError where the contract or the golden cannot be read, or does not say how some Module is computed.
    """
    contract = contract_of(document)
    try:
        done = cut_golden(contract, golden, spec, dtypes)
    except SliceError as error:
        raise InputError(located(document, error.faults, Severity.ERROR)) from None
    program = done.slices[0].program
    facts = Facts(
        {name: tuple(map(str, extents)) for name, extents in index_bounds(program).items()},
        requirements(program),
        folded_parameters(program),
    )
    return Stages(done.source, _dtypes(done), facts, located(document, done.faults, Severity.WARNING), done)


def located(document: Document, faults: Iterable[Fault], severity: Severity, rule: str = RULE) -> tuple[Finding, ...]:
    """Faults at paths into a contract as findings at places in its file."""
    listed = list(faults)
    places = document.locate(fault.at for fault in listed)
    return tuple(
        Finding(rule, fault.severity or severity, fault.message, places[fault.at], fault.hint) for fault in listed
    )


def _dtypes(done: Cut) -> dict[tuple[int, str], str]:
    found: dict[tuple[int, str], str] = {}
    for piece in done.slices:
        known = {value.name: value.dtype for value in piece.program.inputs}
        known |= {step.target: step.dtype for step in piece.program.steps}
        for output, result in zip(piece.module.outputs, piece.results, strict=True):
            found[piece.module.id, output.name] = known[result]
    return found
