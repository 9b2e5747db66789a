"""Contract + golden + SPEC -> everything that the child process needs: sources, cases, declared shapes and dtypes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from r0kit.contract.model import Contract
from r0kit.contract.read import Document
from r0kit.contract.typed import contract_of
from r0kit.finding import Fault, Finding, InputError, Severity
from r0kit.source import read_text
from r0kit.spec import Spec, Tolerance, in_eval
from r0kit.stages import Calling, Stages, calling_of, located, stage_name, stages_of
from r0kit.verify import cases as planning
from r0kit.verify.cases import CasePlan, Facts, TensorPlan, sizes
from r0kit.verify.policy import Limits, limits_of, looser


@dataclass(frozen=True, slots=True)
class Prepared:
    """A contract ready to be verified. setup: what the child is told once; findings: what is wrong without running it."""

    document: Document
    contract: Contract
    golden: str
    cases: tuple[CasePlan, ...]
    setup: Mapping[str, Any]
    dtypes: Mapping[str, Mapping[tuple[int, str], str]]  # by variant: what every output must be
    findings: tuple[Finding, ...]

    def request(self, case: CasePlan) -> dict[str, Any]:
        """What the child is asked for one case."""
        declared = {
            str(module.id): {
                output.name: {
                    "shape": sizes(output.shape, case.bindings) if output.shape else None,
                    "dtype": self._dtype(case, module.id, output.name, output.dtype),
                }
                for output in module.outputs
            }
            for module in self.contract.modules
        }
        tensors = list(map(asdict, case.tensors))
        data = {
            "tensors": tensors,
            "buffers": self._buffers(case),
            "seed": case.seed,
            "params": dict(case.params),
            "variant": case.variant,
        }
        extents = {**case.bindings, **case.params}
        return {"action": "run", "case": data | {"scalars": extents}, "declared": declared}

    def _buffers(self, case: CasePlan) -> list[dict[str, Any]]:
        """What the golden stores its results into, where that is no input of the contract."""
        given = {tensor.name for tensor in case.tensors}
        finals = {(wire.module, wire.name) for wire in self.contract.final_outputs}
        outputs = {o.name: o for m in self.contract.modules for o in m.outputs if (m.id, o.name) in finals}
        stored = [name for name in self.setup["calling"]["stored"] if name not in given and name in outputs]
        shapes = {name: sizes(outputs[name].shape, case.bindings) for name in stored}
        return [
            asdict(TensorPlan(name, (tuple(e or 0 for e in shapes[name]),), outputs[name].dtype or "float32", 0, 0))
            for name in stored
        ]

    def _dtype(self, case: CasePlan, module: int, output: str, declared: str) -> str:
        """The contract's word, where the case has the contract's dtypes; else what the golden gives for its dtypes."""
        return self.dtypes.get(case.variant, {}).get((module, output), "") if case.variant else declared


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the caller asks for: seeds ((): the contract's), the last Module (0: all), and hand-written stages ("").

    evaluation: a golden that is a class runs in evaluation mode, not in training mode.
    """

    seeds: tuple[int, ...] = ()
    up_to: int = 0
    stages_file: str = ""
    evaluation: bool = False


def prepare(document: Document, golden: str, spec: Spec | None, wanted: Wanted) -> Prepared:
    """Everything but the run. InputError where contract or golden cannot be read, or Modules cannot be cut from it."""
    spec = in_eval(spec, golden) if wanted.evaluation else spec
    contract = contract_of(document)
    if wanted.up_to > len(contract.modules):
        what = f"there is no Module {wanted.up_to}: the contract has {len(contract.modules)}"
        raise InputError(
            located(document, [Fault(("modules",), what, "name one that it has")], Severity.ERROR, "verify.case")
        )
    stages, own = _stages(document, contract, golden, spec, wanted.stages_file)
    calling = calling_of(golden, contract.op, spec)
    owned = frozenset(tensor.name for tensor in contract.primary_inputs if calling.owns(tensor.name))
    facts = Facts(owned=owned)
    if stages:
        facts = Facts(stages.facts.indices, stages.facts.constraints, stages.facts.folded, owned)
    found, faults = planning.plan(contract, spec, facts, wanted.seeds)
    limits, tolerance_faults = _limits(contract, spec)
    variants, left_out = _variants(document, golden, spec, stages, found)
    runnable = tuple(case for case in found if case.variant in variants)
    if not runnable:
        what = "there is no case to run: SPEC has no p0 case for this contract, and it names no shape"
        left_out.append(Fault(("composition_verification",), what, "add shapes, one binding of every symbol for each"))
    findings = located(document, [*faults, *tolerance_faults, *left_out], Severity.ERROR, "verify.case")
    setup = _setup(contract, golden, calling, wanted, limits)
    setup["variants"] = {name: _sources(known, own) for name, known in variants.items()}
    dtypes = {name: known.dtypes for name, known in variants.items() if known}
    own_findings = tuple(_in_mode(stages.findings, calling, wanted)) if stages else ()
    return Prepared(document, contract, golden, runnable, setup, dtypes, (*own_findings, *findings))


def _in_mode(findings: Iterable[Finding], calling: Calling, wanted: Wanted) -> Iterator[Finding]:
    """What a Module reads in vain may be what a class needs in the other mode."""
    for found in findings:
        other = calling.owner and not wanted.evaluation and found.severity is Severity.WARNING
        yield found._replace(hint=f"{found.hint}, or verify with --eval") if other else found


def _setup(contract: Contract, golden: str, calling: Calling, wanted: Wanted, limits: Limits) -> dict[str, Any]:
    last = wanted.up_to or len(contract.modules)
    modules = [
        {
            "id": module.id,
            "function": f"{contract.op}_module_{module.id}",
            "stage": stage_name(contract, module),
            "inputs": [[wire.module, wire.name] for wire in module.inputs],
            "outputs": [output.name for output in module.outputs],
        }
        for module in contract.modules[:last]
    ]
    return {
        "action": "load",
        "golden": golden,
        "calling": calling.plain(),
        "evaluation": wanted.evaluation,
        "stages_file": wanted.stages_file,
        "modules": modules,
        "finals": [[wire.module, wire.name] for wire in contract.final_outputs],
        "prefix": last < len(contract.modules),
        "limits": {"atol": limits.atol, "rtol": limits.rtol, "policy": limits.policy},
    }


def _stages(
    document: Document, contract: Contract, golden: str, spec: Spec | None, stages_file: str
) -> tuple[Stages | None, bool]:
    """The generated stage functions, and whether every Module has hand-written ones, which then may do without."""
    written = _functions(golden) | (_functions(stages_file) if stages_file else set())
    own = all(
        f"{contract.op}_module_{module.id}" in written or stage_name(contract, module) in written
        for module in contract.modules
    )
    try:
        return stages_of(document, golden, spec), own
    except InputError:
        if own:
            return None, own
        raise


def _sources(stages: Stages | None, own: bool) -> dict[str, Any]:
    if stages is None:
        return {"stages": "", "reference": "", "functions": []}
    text, functions = stages.reference()
    found = [{"name": f.function, "values": [list(value) for value in f.values]} for f in functions]
    return {"stages": stages.source, "reference": text, "functions": found}


def _variants(
    document: Document, golden: str, spec: Spec | None, stages: Stages | None, cases: Sequence[CasePlan]
) -> tuple[dict[str, Stages | None], list[Fault]]:
    """The stage functions for each combination of dtypes; the golden may take another path where dtypes differ."""
    contract = contract_of(document)
    known: dict[str, Stages | None] = {"": stages}
    faults: list[Fault] = []
    for case in cases:
        if case.variant and case.variant not in known and case.variant not in {f.message.split()[0] for f in faults}:
            declared = {tensor.name: tensor.dtype for tensor in contract.primary_inputs}
            dtypes = {t.name: t.dtype for t in case.tensors if t.dtype != declared.get(t.name)}
            try:
                known[case.variant] = stages_of(document, golden, spec, dtypes) if stages else None
            except InputError as error:
                what = f"{case.variant} is left out: with these dtypes {error.findings[0].message}"
                faults.append(Fault(("composition_verification",), what, severity=Severity.WARNING))
    return known, faults


def _limits(contract: Contract, spec: Spec | None) -> tuple[Limits, list[Fault]]:
    tolerance = spec.tolerance if spec else Tolerance()
    limits = limits_of(contract.verification, tolerance)
    place = ("composition_verification",)
    if limits is None:
        return Limits(), [Fault(place, "neither the contract nor SPEC has a tolerance", "add atol and rtol")]
    wide = looser(contract.verification, tolerance)
    return limits, [Fault(place, wide, "take SPEC's tolerance, or change SPEC")] if wide else []


def _functions(path: str) -> set[str]:
    """Names of the functions that a Python file defines at its top level."""
    try:
        tree = ast.parse(read_text(path, "verify.read"))
    except (SyntaxError, ValueError, RecursionError):
        return set()
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
