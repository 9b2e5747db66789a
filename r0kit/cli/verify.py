"""`r0kit verify`: run the Modules of a contract one after another and compare with the golden."""

import json
import os
import sys
from collections.abc import Iterable
from enum import Enum
from itertools import groupby
from typing import Annotated

import typer

from r0kit.cli.checking import colour
from r0kit.cli.common import CLEAN, FINDINGS
from r0kit.cli.progress import progress
from r0kit.cli.verdict_junit import junit
from r0kit.contract.read import read
from r0kit.finding import Finding, InputError, Report
from r0kit.report.text import finding_blocks
from r0kit.verify import Resources, Status, Verdict, Wanted, as_json, spec_beside, verify


class _Format(str, Enum):
    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command("verify", short_help="Prove that the Modules compose to the golden. Runs the golden.")(_verify)


def _verify(
    golden: Annotated[str, typer.Argument(metavar="GOLDEN", help="The golden, {op}_golden_cpu.py. It is run.")],
    contract: Annotated[
        str, typer.Option("--contract", metavar="FILE", help="The contract, a module_interfaces.yaml.")
    ],
    spec: Annotated[
        str | None, typer.Option("--spec", metavar="SPEC.md", help="SPEC.md beside the golden when not given.")
    ] = None,
    stages: Annotated[
        str,
        typer.Option("--stages", metavar="FILE", help="Hand-written stage functions to verify, not generated ones."),
    ] = "",
    seeds: Annotated[
        list[str] | None, typer.Option("--seeds", metavar="N,N,...", help="Seeds in place of the contract's.")
    ] = None,
    up_to: Annotated[
        int | None, typer.Option("--up-to-module", metavar="K", min=1, help="Evaluate Modules 1 to K only.")
    ] = None,
    evaluation: Annotated[
        bool, typer.Option("--eval", help="A golden that is a class runs in evaluation mode, not in training mode.")
    ] = False,
    timeout: Annotated[float, typer.Option("--timeout", metavar="S", min=0.1, help="Seconds for one case.")] = 60.0,
    memory: Annotated[
        float, typer.Option("--memory", metavar="GIB", min=0.1, help="Memory for the golden, in GiB.")
    ] = 8.0,
    threads: Annotated[int, typer.Option("--threads", metavar="N", min=0, help="Threads of torch; 0: its choice.")] = 0,
    as_json_: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    format_: Annotated[_Format, typer.Option("--format", help="How to report.")] = _Format.TEXT,
) -> int:
    """Prove numerically that the Modules of a contract, run one after another, give the golden's values.

    The golden is foreign code, and this command runs it: in a child process of its own with a time limit and a memory
    limit, but with your permissions. Do not verify what you would not run. Needs torch: pip install "r0kit[verify]".

    Cases: every p0 case of SPEC.md and every shape of composition_verification with every seed, the first shape in each
    further dtype that SPEC supports, and small tail shapes from its dynamic ranges. The stage functions are generated,
    unless --stages or the golden's file defines {op}_module_k or the contract's golden_stage_fn. A failure names the
    first Module whose output is off. A class with forward is made as get_init_inputs says, anew for each case, and keeps
    the weights that it draws after the seed. Many operators: pytest --r0kit FOLDER, which pytest-xdist spreads over cores.
    """
    wanted = Wanted(tuple(_seeds(seeds or ())), up_to or 0, stages, evaluation)
    resources = Resources(timeout, int(memory * (1 << 30)), threads)
    try:
        document, known = read(contract), spec_beside(golden, spec)
        verdict = verify(document, golden, known, wanted, resources, progress())
    except InputError as error:
        verdict = Verdict("", contract, golden, 0, 0, findings=error.findings)
    sys.stdout.write(_FORMATS[_Format.JSON if as_json_ else format_](verdict))
    return FINDINGS if verdict.failed else CLEAN


def _seeds(texts: Iterable[str]) -> Iterable[int]:
    for part in ",".join(texts).replace(" ", ",").split(","):
        if part and not part.lstrip("-").isdecimal():
            raise typer.BadParameter(f"{part!r} is no integer", param_hint="--seeds")
        if part:
            yield int(part)


def _text(verdict: Verdict) -> str:
    blocks: list[str] = []
    for path, found in groupby(verdict.findings, key=_path):
        report = Report(path, tuple(found), verdict.text if path == verdict.path else "")
        blocks += finding_blocks(report, colour())
    return "".join([*blocks, _summary(verdict), "\n"])


def _path(finding: Finding) -> str:
    return finding.location.path


def _summary(verdict: Verdict) -> str:
    ran = [check for check in verdict.checks if check.status is not Status.SKIP]
    passed = [check for check in ran if check.status is Status.PASS]
    parts = [f"{len(passed)} of {verdict.planned} cases pass"]
    skipped = len(verdict.checks) - len(ran)
    if skipped:
        parts.append(f"{skipped} derived shapes that the golden refuses are left out")
    if passed:
        parts.append(f"largest difference {max(check.max_abs for check in passed):.3g}")
    modules = f"Modules 1 to {verdict.up_to} of {verdict.modules}" if verdict.up_to > 1 else "Module 1"
    status = "FAIL" if verdict.failed else "PASS"
    return f"{status}: {verdict.op or os.path.basename(verdict.path)}, {modules}: {', '.join(parts)}"


def _json(verdict: Verdict) -> str:
    return json.dumps(as_json(verdict), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


_FORMATS = {_Format.TEXT: _text, _Format.JSON: _json, _Format.JUNIT: junit}
