"""Numeric proof: the Modules of a contract, run one after another, give the golden's values.

The golden is foreign code. It runs in a child process (`session`) with a time limit and a memory limit, and only there
is torch imported (`child`, `run`, `compare`, `inputs`, `callers`); the modules that this one imports need no torch.

How the Module that is off is found: the golden gives final values alone. Values in between come from the golden's own
Steps, evaluated in one straight run without Modules (`stages.Reference`). That run is made only when a final output is
off, or when the stage functions are hand-written; then the first Module whose outputs differ from it is named. It is an
independent witness against hand-written functions and wrong wiring; for generated functions it shows where slicing went
wrong, not where the golden was misread: a final output that differs while every Module agrees says so itself.
"""

from __future__ import annotations

from r0kit.verify.cases import CasePlan
from r0kit.verify.neighbours import golden_beside, spec_beside
from r0kit.verify.prepare import Prepared, Wanted, prepare
from r0kit.verify.runner import ALL, Halted, Progress, Runner, verify
from r0kit.verify.session import Resources
from r0kit.verify.verdict import Check, Failure, Status, Verdict, as_json

__all__ = [
    "ALL",
    "CasePlan",
    "Check",
    "Failure",
    "Halted",
    "Prepared",
    "Progress",
    "Resources",
    "Runner",
    "Status",
    "Verdict",
    "Wanted",
    "as_json",
    "golden_beside",
    "prepare",
    "spec_beside",
    "verify",
]
