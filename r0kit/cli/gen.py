"""`r0kit gen`: a Module contract from a golden and its SPEC."""

from typing import Annotated

import typer

from r0kit.cli.generating import Generation


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command("gen", short_help="Write the Module contract of a golden.")(_gen)


def _gen(
    golden: Annotated[str, typer.Argument(metavar="GOLDEN", help="The Python file of the golden; it is never run.")],
    spec: Annotated[
        str | None, typer.Option("--spec", metavar="SPEC.md", help="Its SPEC; SPEC.md beside the golden by default.")
    ] = None,
    op: Annotated[
        str | None, typer.Option("--op", metavar="OP", help="The operator; decides where a file has several goldens.")
    ] = None,
    design: Annotated[
        str | None, typer.Option("--design", metavar="DESIGN.md", help="The document that the contract belongs to.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="Write there, not to standard output.")
    ] = None,
    skeleton: Annotated[
        bool, typer.Option("--skeleton", help="Only what the signature and SPEC say; TODO where a person decides.")
    ] = False,
) -> int:
    """Write the Module contract (module_interfaces.yaml) of a golden to standard output, and nothing else there.

    Diagnostics go to standard error. Exit status: 0; 1, with standard output empty, when golden or SPEC cannot be read.
    """
    if op == "":
        raise typer.BadParameter("the operator needs a name", param_hint="--op")
    return Generation(golden, spec, op, design, output).run()
