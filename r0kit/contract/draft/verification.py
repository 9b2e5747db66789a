"""How the composition will be verified: SPEC's tolerance, seeds, and the p0 cases that share this contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from r0kit.contract.model import Verification
from r0kit.contract.skeleton import SEEDS
from r0kit.finding import Finding, Location, Severity
from r0kit.golden.program import Program
from r0kit.spec import Case, Spec


class Verified(NamedTuple):
    """The record, and what a person must know about the cases left out of it."""

    verification: Verification
    findings: tuple[Finding, ...]


def verification(program: Program, spec: Spec | None, symbols: frozenset[str]) -> Verified:
    """Tolerance, seeds and one binding of `symbols` per p0 case. Cases that need another contract are named."""
    if spec is None:
        return Verified(Verification(seeds=SEEDS), ())
    findings: list[Finding] = []
    shapes: list[dict[str, int]] = []
    for case in spec.p0_cases:
        reason = _reason_to_leave_out(case, program, spec, symbols)
        binding = {name: value for name, value in spec.bindings(case).items() if name in symbols}
        if reason:
            findings.append(_left_out(case, reason, spec))
        elif binding not in shapes:
            shapes.append(binding)
    tolerance = spec.tolerance
    record = Verification(tolerance.atol, tolerance.rtol, tolerance.policy, SEEDS, tuple(shapes))
    return Verified(record, tuple(findings))


def _reason_to_leave_out(case: Case, program: Program, spec: Spec, symbols: frozenset[str]) -> str:
    """Why a p0 case cannot be verified with this contract; "" where it can."""
    given = spec.params(case)
    for parameter in program.parameters:
        if parameter.folded and given.get(parameter.name, parameter.value) != parameter.value:
            folded = f"{parameter.name}={parameter.value!r}"
            return f"it has {parameter.name}={given[parameter.name]!r}, but the Modules are drawn for {folded}"
    missing = sorted(symbols - spec.bindings(case).keys() - _run_time(program))
    if missing:
        return f"it does not determine {', '.join(missing)}"
    return _broken_constraint(program, spec.bindings(case))


def _broken_constraint(program: Program, bindings: Mapping[str, int]) -> str:
    for constraint in program.constraints:
        try:
            left, right = constraint.left.evaluate(bindings), constraint.right.evaluate(bindings)
        except (KeyError, ZeroDivisionError):
            continue
        if left != right:
            needed = f"{constraint.left} = {constraint.right}"
            return f"it breaks {needed} ({constraint.reason}, golden line {constraint.line})"
    return ""


def _run_time(program: Program) -> frozenset[str]:
    return frozenset(symbol.name for symbol in program.symbols)


def _left_out(case: Case, reason: str, spec: Spec) -> Finding:
    place = Location(spec.path, case.place.line, case.place.column)
    hint = "a contract for that case: put it first in a SPEC of its own"
    return Finding("gen.case", Severity.WARNING, f"p0 case {case.name} is left out: {reason}", place, hint)


def yaml_value(value: Any) -> Any:
    """A parameter's value as YAML holds it: numbers, truth values, text and None as they are, the rest as text."""
    if isinstance(value, (list, tuple)):
        return [yaml_value(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
