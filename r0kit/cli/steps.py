"""`r0kit steps`: the Program of a golden, for a person to check and for programs to use."""

import os
import sys
from typing import Annotated

import typer

from r0kit.cli.common import CLEAN, FINDINGS
from r0kit.finding import Finding, InputError, Report, Severity
from r0kit.golden import read_program
from r0kit.golden.program import Program
from r0kit.report.text import finding_blocks
from r0kit.spec import Spec, in_eval, read_spec


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command("steps")(_steps)


def _steps(
    golden: Annotated[str, typer.Argument(metavar="GOLDEN", help="The golden, {op}_golden_cpu.py. It is not run.")],
    spec: Annotated[
        str | None, typer.Option("--spec", metavar="SPEC.md", help="SPEC.md beside the golden when not given.")
    ] = None,
    op: Annotated[str | None, typer.Option("--op", help="Which golden, where the file has several.")] = None,
    eval_mode: Annotated[bool, typer.Option("--eval", help="Read an nn.Module in eval mode, not in training.")] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
) -> int:
    """The Steps of a golden with shapes, dtypes, kinds and sections, read without running it; then what is to know."""
    known, said = _spec_of(golden, spec)
    program = read_program(golden, in_eval(known, golden) if eval_mode else known, op)
    findings = (*said, *program.findings)
    sys.stdout.write(_json(program, findings) if json else _text(program, said))
    return FINDINGS if any(finding.severity is Severity.ERROR for finding in findings) else CLEAN


def _spec_of(golden: str, spec: str | None) -> tuple[Spec | None, tuple[Finding, ...]]:
    """The SPEC that was named, else the SPEC.md beside the golden, and what is to know about it."""
    path = spec or os.path.join(os.path.dirname(golden), "SPEC.md")
    if spec is None and not os.path.isfile(path):
        return None, ()
    known, findings = read_spec(path)
    if any(finding.severity is Severity.ERROR for finding in findings):
        raise InputError(findings)
    return known, tuple(findings)


def _text(program: Program, said: tuple[Finding, ...]) -> str:
    from r0kit.golden.show import table

    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    report = Report(program.path, program.findings, program.source).sorted()
    blocks = [*finding_blocks(Report(program.path, said), colour), *finding_blocks(report, colour)]
    return table(program) + ("\n" if blocks else "") + "".join(blocks)


def _json(program: Program, findings: tuple[Finding, ...]) -> str:
    from json import dumps

    from r0kit.golden.show import as_data
    from r0kit.report.machine import file_object

    report = file_object(Report(program.path, findings).sorted())
    return dumps({**as_data(program), **report}, indent=2, ensure_ascii=False) + "\n"
