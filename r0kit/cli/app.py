"""The typer application `r0kit`: a table of commands, of which only the one asked for is imported."""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.core

from r0kit import __version__
from r0kit.cli.common import INTERRUPTED, USAGE

# Each row is a module of this package with `register(app: typer.Typer) -> None`; the help lists them in this order.
# A command is a function that returns its exit status (None: 0), with one `typer` parameter per option.
COMMANDS: tuple[str, ...] = (
    "gen",
    "steps",
    "validate",
    "render",
    "stages",
    "verify",
    "plan",
    "lint",
    "diff",
    "init",
    "explain",
)

_HELP = """From a PyTorch golden and its SPEC.md to a checked and proven Module contract (module_interfaces.yaml).

Exit status: 0 clean, 1 findings or an unreadable input, 2 wrong usage, 3 internal error.
"""

# `typer` sits on the `click` package or on a copy of its own; the base of BadParameter is UsageError in both.
_USAGE_ERROR: type[Any] = typer.BadParameter.__mro__[1]


def build(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The application with the commands `names` (all of them by default)."""
    app = typer.Typer(
        name="r0kit",
        help=_HELP,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name in names:
        register: Callable[[typer.Typer], None] = import_module(f"r0kit.cli.{name}").register
        register(app)
    for command in app.registered_commands:
        command.cls = _Command
    return app


class _Command(typer.core.TyperCommand):
    """A command whose usage writes required arguments as they are: GOLDEN, not {GOLDEN}."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The parts of the line, without the braces that some versions of typer put around what is required."""
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]


def run(arguments: list[str]) -> int | None:
    """Run the command line `arguments`; returns the exit status. Wrong usage is 2, with a message on standard error."""
    try:
        status: int | None = build(_needed(arguments))(arguments, prog_name="r0kit", standalone_mode=False)
    except _USAGE_ERROR as error:
        error.message = error.message.removeprefix("Value error, ")  # whose words these are is of no use to anybody
        error.show()
        return USAGE
    except typer.Abort:
        return INTERRUPTED
    return status


def _needed(arguments: list[str]) -> Iterable[str]:
    """Only the command that `arguments` begin with; all of them for the help, for completion and for a typing error."""
    return arguments[:1] if arguments and arguments[0] in COMMANDS else COMMANDS


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"r0kit {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    pass
