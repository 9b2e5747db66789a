"""`r0kit gen`: a Module contract from a golden and its SPEC."""

from typing import Annotated

import typer

from r0kit.cli.generating import Generation
from r0kit.cli.output import named
from r0kit.partition import Strategy
from r0kit.platform import UnknownPlatformError, default_name, load, names

PLATFORMS = tuple(dict.fromkeys(load(name).name for name in names()))


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
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write there, not to standard output.", callback=named),
    ] = None,
    skeleton: Annotated[
        bool, typer.Option("--skeleton", help="Only what the signature and SPEC say; TODO where a person decides.")
    ] = False,
    strategy: Annotated[
        Strategy | None,
        typer.Option("--strategy", help="How reduction axes are treated; auto, the default, weighs bounds against UB."),
    ] = None,
    platform: Annotated[
        str | None,
        typer.Option("--platform", metavar="P", help=f"The target: {', '.join(PLATFORMS)} (default {default_name()})."),
    ] = None,
    old: Annotated[
        str | None,
        typer.Option("--update", metavar="OLD.yaml", help="Keep what people wrote into this contract; -o may name it."),
    ] = None,
    pins: Annotated[
        str | None,
        typer.Option("--pin", metavar="PINS.yaml", help="A person's decisions about Modules, to be followed."),
    ] = None,
    eval_mode: Annotated[bool, typer.Option("--eval", help="Read an nn.Module in eval mode, not in training.")] = False,
) -> int:
    """Write the Module contract (module_interfaces.yaml) of a golden to standard output, and nothing else there.

    Diagnostics go to standard error. Exit status: 0; 1, with standard output empty, when golden or SPEC cannot be read.
    """
    if op == "":
        raise typer.BadParameter("the operator needs a name", param_hint="--op")
    try:
        load(platform or "")
    except UnknownPlatformError as error:
        raise typer.BadParameter(str(error), param_hint="--platform") from None
    return Generation(golden, spec, op, design, output, skeleton, strategy, platform, old, pins, eval_mode).run()
