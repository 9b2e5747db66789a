"""`r0kit stages`: the golden cut at the Modules of a contract, as Python source."""

import os
from typing import Annotated

import typer

from r0kit.cli.common import show
from r0kit.cli.output import named, refuse_inputs, write_text
from r0kit.contract.read import read
from r0kit.spec import in_eval
from r0kit.stages import stages_of
from r0kit.verify.neighbours import spec_beside


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command("stages")(_stages)


def _stages(
    golden: Annotated[str, typer.Argument(metavar="GOLDEN", help="The golden, {op}_golden_cpu.py. It is not run.")],
    contract: Annotated[
        str, typer.Option("--contract", metavar="FILE", help="The contract, a module_interfaces.yaml.")
    ],
    spec: Annotated[
        str | None, typer.Option("--spec", metavar="SPEC.md", help="SPEC.md beside the golden when not given.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write there, usually {op}_golden_modular.py, not to standard output.",
            callback=named,
        ),
    ] = None,
    eval_mode: Annotated[bool, typer.Option("--eval", help="Read an nn.Module in eval mode, not in training.")] = False,
) -> None:
    """The golden cut at the Modules of a contract: Python functions of each Module, of Modules 1..k, and of all.

    The contract may have been edited by hand; a value that a Module needs and cannot reach is named with its place.
    The file imports torch alone and runs by itself.
    """
    known = spec_beside(golden, spec)
    done = stages_of(read(contract), golden, in_eval(known, golden) if eval_mode else known)
    show(done.findings)
    if output is None:
        typer.echo(done.source, nl=False)
    else:
        target = os.path.join(output, done.file_name) if os.path.isdir(output) else output
        read_too = (golden, contract, spec, os.path.join(os.path.dirname(golden), "SPEC.md"))
        refuse_inputs(target, read_too, f"name a file of its own, such as {done.file_name}")
        write_text(target, done.source)
