"""How far a long command is, for a person at a terminal."""

import sys
from collections.abc import Callable


def progress() -> Callable[[int, int, str], None]:
    """Shows how many are done, of how many, and the name of the next, on a terminal alone."""
    shows = sys.stderr is not None and sys.stderr.isatty()

    def show(done: int, total: int, name: str) -> None:
        if shows:
            print(f"\r\x1b[K{done}/{total} {name}" if name else "\r\x1b[K", end="", file=sys.stderr, flush=True)

    return show
