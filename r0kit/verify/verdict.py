"""What verification found out: one Check per case, findings for people, and the words of the harness downstream."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from r0kit.finding import Finding, Severity
from r0kit.verify.cases import CasePlan


class Status(str, Enum):
    """How a case ended. SKIP: a shape that r0kit derived and that the golden refuses."""

    PASS = "PASS"
    FAIL = "FAIL"
    SKIP = "SKIP"


class Category(str, Enum):
    """Kinds of failure, in the words of the harness that reads the report."""

    PRECISION = "precision"  # a value is off
    STRUCTURAL = "structural"  # a shape, a dtype, a number of outputs
    RUNTIME = "runtime"  # something raised, ended the process, or took too long or too much
    INFRA = "infra"  # the machine: no torch, no process
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a case failed. module: the first one whose output is off, None where that is no Module's fault.

    output: the value that is off, or the primary input; summary: one sentence, without values of the golden; detail: with
    them; line: of the golden, where it is the one to blame.
    """

    module: int | None
    category: Category
    rule: str
    summary: str
    detail: str
    output: str = ""
    hint: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Check:
    """One case: how it ended, and the largest differences between final outputs and golden."""

    case: CasePlan
    status: Status
    max_abs: float = 0.0
    max_rel: float = 0.0
    failure: Failure | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome for one contract. up_to: the last Module that was evaluated; planned: how many cases there were."""

    op: str
    path: str
    golden: str
    modules: int
    up_to: int
    planned: int = 0
    checks: tuple[Check, ...] = ()
    findings: tuple[Finding, ...] = ()
    text: str = field(default="", repr=False)

    @property
    def failed(self) -> bool:
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    @property
    def first_failure(self) -> Check | None:
        return next((check for check in self.checks if check.failure), None)


def as_json(verdict: Verdict) -> dict[str, Any]:
    """The verdict as plain data; numbers that JSON does not have are text."""
    ran = [check for check in verdict.checks if check.status is not Status.SKIP]
    return {
        "status": "FAIL" if verdict.failed else "PASS",
        "op_name": verdict.op,
        "contract": verdict.path,
        "golden": verdict.golden,
        "up_to_module": verdict.up_to,
        "total_modules": verdict.modules,
        "cases_total": len(ran),
        "cases_passed": sum(check.status is Status.PASS for check in ran),
        "first_failure": _first_failure(verdict),
        "checks": [_check(check) for check in verdict.checks],
        "findings": [finding.record() for finding in verdict.findings],
    }


def _first_failure(verdict: Verdict) -> dict[str, Any] | None:
    """The first case that failed, else the first error, which no case is to blame for."""
    check = verdict.first_failure
    if check and check.failure:
        failure = check.failure
        return {
            "case_id": check.case.id,
            "failing_module_boundary": failure.module,
            "failure_category": failure.category.value,
            "summary": failure.summary,
        }
    error = next((finding for finding in verdict.findings if finding.severity is Severity.ERROR), None)
    if error is None:
        return None
    category = _CATEGORIES.get(error.rule, Category.STRUCTURAL)
    return {
        "case_id": None,
        "failing_module_boundary": None,
        "failure_category": category.value,
        "summary": error.message,
    }


# Of findings that belong to no case; all others are about the structure of the contract.
_CATEGORIES = {
    "verify.torch": Category.INFRA,
    "verify.start": Category.INFRA,
    "verify.golden-prints": Category.OTHER,
    "verify.golden-load": Category.RUNTIME,
}


def _check(check: Check) -> dict[str, Any]:
    failure = check.failure
    data: dict[str, Any] = {
        "id": check.case.id,
        "status": check.status.value,
        "all_close": check.status is Status.PASS,
        "max_abs_diff": _number(check.max_abs),
        "max_rel_diff": _number(check.max_rel),
        "bindings": dict(check.case.bindings),
        "seed": check.case.seed,
    }
    if failure:
        data["failure"] = {
            "module": failure.module,
            "output": failure.output,
            "category": failure.category.value,
            "detail": failure.detail,
        }
    return data | ({"reason": check.reason} if check.reason else {})


def _number(value: float) -> float | str:
    return value if abs(value) < float("inf") else str(value)
