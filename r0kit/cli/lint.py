"""`r0kit lint`: look for the pitfalls of PyPTO in kernel files."""

from typing import Annotated

import typer

from r0kit.cli.linting import Options
from r0kit.lint.versions import JUDGED, number
from r0kit.report import FORMATS

_FORMATS = ", ".join(FORMATS)
_FORMATS_HELP = "; ".join(f"{row.name}: {row.what}" for row in FORMATS.values())


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("lint", short_help="Look for the pitfalls of PyPTO in kernel files.")(lint)


def lint(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="KERNEL.py", help="Kernel files, or folders with some in them.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    format_name: Annotated[str, typer.Option("--format", help=f"How to report. {_FORMATS_HELP}.")] = "text",
    version: Annotated[
        str,
        typer.Option(
            "--pypto",
            metavar="VERSION",
            help=f"Judge for this version of pypto; without it for {JUDGED}, or for what comes after it where the file "
            "uses names that are newer (which are noted).",
        ),
    ] = "",
    fix: Annotated[bool, typer.Option("--fix", help="Rewrite the files where that is safe.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what --fix would change, and change nothing.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False,
    self_test: Annotated[bool, typer.Option("--self-test", help="Run the pitfalls on their own examples.")] = False,
) -> int:
    """Look for the pitfalls of PyPTO in kernel files. The files are read, never imported or run.

    A folder is searched for Python files that import pypto, without what .r0kitignore leaves out.

    Exit status: 0 when no file has an error, 1 when one has or cannot be read. `r0kit explain P05` says what P05 is.
    """
    if format_name not in FORMATS:
        raise typer.BadParameter(f"{format_name!r} is none of {_FORMATS}", param_hint="--format")
    if not files and not self_test:
        raise typer.BadParameter("name at least one file or folder", param_hint="KERNEL.py")
    if version and not _is_version(version):
        raise typer.BadParameter(f"{version!r} is no version, such as {JUDGED}", param_hint="--pypto")
    return Options(files or [], "json" if as_json else format_name, version, strict, fix, diff, self_test).run()


def _is_version(text: str) -> bool:
    try:
        return bool(number(text)) or text.strip("0.") == ""
    except ValueError:
        return False
