"""The command line: options -> one library call -> report -> exit status. Nothing else imports this room."""

import sys
from typing import NoReturn

from r0kit.cli import common
from r0kit.cli.plain import Options, plain_options


def main() -> NoReturn:
    """Run `r0kit` on the command line of this process and leave with its exit status."""
    arguments = sys.argv[1:]
    plain = _plain(arguments)
    if plain is not None:
        common.leave(plain.run, brief=True)
    common.leave(lambda: run(arguments))


def run(arguments: list[str]) -> int | None:
    """Run the command line `arguments`; returns the exit status."""
    plain = _plain(arguments)
    if plain is not None:
        return plain.run()
    from r0kit.cli import app  # imports typer, which the classic scripts do without

    return app.run(arguments)


def _plain(arguments: list[str]) -> Options | None:
    """What `validate` is asked to do, where that takes no parser to tell."""
    return plain_options(arguments[1:]) if arguments[:1] == ["validate"] else None
