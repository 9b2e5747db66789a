"""`r0kit init`: the folder of a new operator, as an example that every command works on."""

import os
from keyword import iskeyword
from string import Template
from typing import Annotated

import typer

from r0kit import resources
from r0kit.cli.output import write_text
from r0kit.source.refused import refusal

RULE = "init.exists"
# File of the operator's folder -> the template in templates/init.
_FILES = {"SPEC.md": "SPEC.md", "{op}_golden_cpu.py": "golden_cpu.py.txt", "DESIGN.md": "DESIGN.md"}
_NEXT = """\
r0kit gen {folder}/{op}_golden_cpu.py -o {folder}/module_interfaces.yaml
r0kit validate {folder}/module_interfaces.yaml
r0kit render {folder}/module_interfaces.yaml --design {folder}/DESIGN.md --in-place
r0kit stages {folder}/{op}_golden_cpu.py --contract {folder}/module_interfaces.yaml -o {folder}
r0kit verify {folder}/{op}_golden_cpu.py --contract {folder}/module_interfaces.yaml
"""


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command("init", short_help="Begin a new operator with a running example.")(_init)


def _init(
    op: Annotated[str, typer.Argument(metavar="OP", help="Name of the operator: letters, digits and _.")],
    directory: Annotated[
        str, typer.Option("--dir", metavar="FOLDER", help="Where the operator's folder goes.")
    ] = "custom",
) -> None:
    """Begin a new operator: FOLDER/OP with SPEC.md, OP_golden_cpu.py and DESIGN.md, a running example to replace.

    Prints the commands that take it from there. Nothing is overwritten: when one of the files exists, none is written.
    """
    if not op.isidentifier() or iskeyword(op):
        raise typer.BadParameter(f"{op!r} cannot be part of a function's name", param_hint="OP")
    folder = os.path.join(directory, op)
    paths = {os.path.join(folder, name.format(op=op)): template for name, template in _FILES.items()}
    for path in paths:
        if os.path.lexists(path):
            raise refusal(path, RULE, "exists already", "name another operator, or remove the file")
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise refusal(folder, "io.write", f"cannot be made: {reason}", "name a folder that can be written to") from None
    for path, template in paths.items():
        write_text(path, Template(resources.text("templates", f"init/{template}")).substitute(op=op))
        typer.echo(f"wrote {path}")
    typer.echo("\nNext:\n" + _NEXT.format(folder=folder, op=op), nl=False)
