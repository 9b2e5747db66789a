"""The configuration of the project in which a command runs: found upward from the working folder, read where there is one.

An option of the command line counts more than a setting, and a setting more than what r0kit does by itself.
"""

import os
from collections.abc import Iterable, Mapping
from re import MULTILINE
from re import compile as pattern
from typing import TYPE_CHECKING, NamedTuple

from r0kit.finding import InputError
from r0kit.source import read_bytes

if TYPE_CHECKING:
    from r0kit.config import Config


class Place(NamedTuple):
    """A file that may hold settings, and the table in it that does."""

    name: str
    table: tuple[str, ...]


PLACES = (Place("r0kit.toml", ()), Place("pyproject.toml", ("tool", "r0kit")))

PITFALLS = tuple(f"P{number:02}" for number in range(32))  # those of `lint`, whose rows `validate` does not load

# What a pyproject.toml with settings of r0kit has somewhere, however it is written; TOML need not be read to tell.
_MENTION = pattern(rb"tool[\"']?\s*\.\s*[\"']?r0kit|^\s*\[?\s*[\"']?tool[\"']?\s*[=\]]", MULTILINE)
_LIMIT = 1 << 20


def config_file(folder: str = "") -> tuple[str, Place] | None:
    """The nearest file with settings for `folder` (the working folder): in it or above, up to the root of a repository."""
    folder = os.path.abspath(folder)
    while True:
        for place in PLACES:
            path = os.path.join(folder, place.name)
            if os.path.lexists(path) and (not place.table or _mentions(path)):
                return os.path.relpath(path), place
        above = os.path.dirname(folder)
        if above == folder or os.path.exists(os.path.join(folder, ".git")):
            return None
        folder = above


def _mentions(path: str) -> bool:
    """Whether a file that is everybody's seems to have settings of r0kit; one that cannot be read has, to be told of."""
    try:
        return _MENTION.search(read_bytes(path, "config", _LIMIT, follow=True)) is not None
    except InputError:
        return True


def config() -> "Config | None":
    """The settings for the working folder, None where there are none. Raises InputError where they cannot be read."""
    found = config_file()
    if found is None:
        return None
    from r0kit.config import read_config  # few folders have settings, and reading TOML costs

    path, place = found
    return read_config(path, place.table, _CHOICES, _rules())


def config_text() -> str:
    """The text of the file with the settings; "" where there is none, or none that can be read."""
    from r0kit.config import text_of  # as above

    found = config_file()
    try:
        return text_of(found[0]) if found is not None else ""
    except InputError:
        return ""


def settled() -> Mapping[str, str]:
    """What the project has settled, by the names of the settings. Raises InputError where its configuration is wrong."""
    found = config()
    if found is not None and found.findings:
        raise InputError(found.findings)
    return found.values if found is not None else {}


def _platforms() -> tuple[str, ...]:
    from r0kit.platform import names

    return tuple(names())


def _strategies() -> tuple[str, ...]:
    from r0kit.partition.model import Strategy

    return tuple(strategy.value for strategy in Strategy)


def _languages() -> tuple[str, ...]:
    from r0kit.render import Lang

    return tuple(lang.value for lang in Lang)


_CHOICES = {"platform": _platforms, "strategy": _strategies, "lang": _languages}


def _rules() -> Iterable[str]:
    from r0kit.validate import RULES

    return (*(rule.id for rule in RULES), *PITFALLS)
