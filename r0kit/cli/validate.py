"""`r0kit validate`: check contracts against the rules."""

from typing import Annotated

import typer

from r0kit.cli.plain import Options
from r0kit.report import FORMATS

_FORMATS = ", ".join(FORMATS)
_FORMATS_HELP = "; ".join(f"{row.name}: {row.what}" for row in FORMATS.values())


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("validate", short_help="Check Module contracts against the rules.")(validate)


def validate(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE", help="Contracts to check, or folders with contracts.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    format_name: Annotated[str, typer.Option("--format", help=f"How to report. {_FORMATS_HELP}.")] = "text",
    golden: Annotated[
        str, typer.Option(metavar="GOLDEN.py", help="Compare with this golden, and the SPEC.md beside it.")
    ] = "",
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False,
    fix: Annotated[
        bool, typer.Option("--fix", help="Put counts, flags, older spellings and the order of keys right in the files.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Show what --fix would change, and change nothing; exit 1 if it would.")
    ] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="N", min=0, help="Processes; 0: as many as there are processors.")
    ] = 1,
    self_test: Annotated[bool, typer.Option("--self-test", help="Run the rules on their own examples.")] = False,
) -> int:
    """Check Module contracts (module_interfaces.yaml) against the rules.

    Exit status: 0 when no file has an error, 1 when one has or cannot be read. `r0kit explain` says what the rules are.
    """
    if format_name not in FORMATS:
        raise typer.BadParameter(f"{format_name!r} is none of {_FORMATS}", param_hint="--format")
    if not files and not self_test:
        raise typer.BadParameter("name at least one file", param_hint="FILE")
    return Options(files or [], "json" if as_json else format_name, strict, self_test, golden, fix, diff, jobs).run()
