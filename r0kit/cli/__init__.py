"""The command line: options -> one library call -> report -> exit status. Nothing else imports this room."""

import sys
from typing import NoReturn

from r0kit.cli import common


def main() -> NoReturn:
    """Run `r0kit` on the command line of this process and leave with its exit status."""
    arguments = sys.argv[1:]
    common.leave(lambda: _run(arguments))


def _run(arguments: list[str]) -> int | None:
    from r0kit.cli import app  # imports typer, which the classic scripts do without

    return app.run(arguments)
