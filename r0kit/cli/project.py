"""Where the project in which a command runs has its settings: found upward from the working folder."""

import os
from collections.abc import Iterator
from re import MULTILINE
from re import compile as pattern

from r0kit.finding import InputError
from r0kit.source import read_bytes

_PLACES: tuple[tuple[str, tuple[str, ...]], ...] = (("r0kit.toml", ()), ("pyproject.toml", ("tool", "r0kit")))

# What a pyproject.toml with settings of r0kit has somewhere, however it is written; TOML need not be read to tell.
_MENTION = pattern(rb"tool[\"']?\s*\.\s*[\"']?r0kit|^\s*\[?\s*[\"']?tool[\"']?\s*[=\]]", MULTILINE)
_LIMIT = 1 << 20


def config_files(folder: str = "") -> Iterator[tuple[str, tuple[str, ...]]]:
    """The files that may have settings for `folder` (the working folder): in it or above, up to the root of a repository.

    The nearest comes first, and with each the table in it that holds them; there is none where the working folder is gone.
    """
    try:
        folder = os.path.abspath(folder)
    except FileNotFoundError:
        return
    while True:
        for name, table in _PLACES:
            path = os.path.join(folder, name)
            if os.path.lexists(path) and (not table or _mentions(path)):
                yield os.path.relpath(path), table
        above = os.path.dirname(folder)
        if above == folder or os.path.exists(os.path.join(folder, ".git")):
            return
        folder = above


def _mentions(path: str) -> bool:
    """Whether a file that is everybody's seems to have settings of r0kit; one that cannot be read has, to be told of."""
    try:
        return _MENTION.search(read_bytes(path, "config", _LIMIT, follow=True)) is not None
    except InputError:
        return True
