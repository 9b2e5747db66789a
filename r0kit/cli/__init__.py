"""The command line: options -> one library call -> report -> exit status. Nothing else imports this room."""

import sys
from typing import NoReturn

from r0kit.cli import common


def main() -> NoReturn:
    """Run `r0kit` on the command line of this process and leave with its exit status."""
    arguments = sys.argv[1:]
    common.leave(lambda: run(arguments))


def run(arguments: list[str]) -> int | None:
    """Run the command line `arguments`; returns the exit status."""
    if arguments[:1] == ["validate"]:
        from r0kit.cli.plain import plain_options

        options = plain_options(arguments[1:])
        if options is not None:
            return options.run()
    from r0kit.cli import app  # imports typer, which the classic scripts do without

    return app.run(arguments)
