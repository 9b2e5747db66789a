"""The p0 cases beside the first one: what the golden requires of extents and what conditions say in each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from r0kit.finding import Finding, Location, Severity
from r0kit.golden.program import Constraint
from r0kit.golden.scalars import Scalar, fold
from r0kit.spec import Spec

RULE = "golden.p0-case"


class P0Case(NamedTuple):
    """A p0 case with its extents by symbol and the values of the scalar parameters there."""

    name: str
    extents: Mapping[str, int]
    parameters: Mapping[str, Any]


def cases_of(spec: Spec) -> tuple[P0Case, ...]:
    """The p0 cases of SPEC, in order."""
    return tuple(P0Case(case.name, spec.bindings(case), spec.params(case)) for case in spec.p0_cases)


def deciding_otherwise(cases: Iterable[P0Case], scalar: Scalar, known: bool) -> list[str]:
    """Names of the cases in which a condition is not what it is in the first one."""
    return [case.name for case in cases if _at(scalar, case) is (not known)]


def _at(scalar: Scalar, case: P0Case) -> bool | None:
    try:
        return bool(fold(scalar, case.parameters, case.extents))
    except (KeyError, ArithmeticError, TypeError, ValueError):
        return None


def violations(cases: Iterable[P0Case], constraints: Iterable[Constraint], path: str) -> Iterator[Finding]:
    """Equalities of extents that torch requires, and that a case does not have."""
    listed = list(cases)
    for constraint in constraints:
        names = [case.name for case in listed if not constraint.assumed and _differ(constraint, case)]
        if names:
            cases_said = f"p0 case{'s' if len(names) > 1 else ''} {', '.join(names)}"
            what = f"the golden does not run for {cases_said}: {constraint.reason}: "
            what += f"{constraint.left} must be {constraint.right}"
            hint = "correct the shapes of the case in SPEC.md, or the golden"
            yield Finding(RULE, Severity.WARNING, what, Location(path, constraint.line), hint)


def _differ(constraint: Constraint, case: P0Case) -> bool:
    try:
        return constraint.left.evaluate(case.extents) != constraint.right.evaluate(case.extents)
    except (KeyError, ZeroDivisionError):
        return False
