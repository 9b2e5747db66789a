"""The contracts in a folder, without those that an ignore file leaves out."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from r0kit.contract.read import RULE
from r0kit.finding import InputError, Report
from r0kit.source import read_text, refusal

NAMES = ("module_interfaces.yaml", "module_interfaces.yml")
IGNORE_FILE = ".r0kitignore"
_LIMIT = 1 << 20  # bytes of an ignore file

Ignored = Callable[[str], bool]  # whether a path (folders end in a slash) is left out


class Found(NamedTuple):
    """The files to check, in order, and a report for each folder in which they could not be found."""

    files: list[str]
    reports: list[Report]


def found(paths: Sequence[str]) -> Found:
    """The files among `paths`, and the contracts in the folders among them, in the order of `paths` and then of names.

    Each file is there once, however often it or a folder that has it is named.
    """
    files: dict[tuple[str, str], str] = {}
    reports: list[Report] = []
    for path in paths:
        inside, refused = _in_folder(path) if os.path.isdir(path) else ([path], [])
        reports += refused
        for file in inside:
            folder, name = os.path.split(file)
            files.setdefault((os.path.realpath(folder), name), file)
    return Found(list(files.values()), reports)


def _in_folder(top: str) -> tuple[list[str], list[Report]]:
    """The contracts below `top`, and a report for each folder that cannot be searched, or for one without any."""
    refused: list[Report] = []

    def unreadable(error: OSError) -> None:
        what = f"cannot be searched: {(error.strerror or str(error)).lower()}"
        hint = f"check its permissions, or name it in {IGNORE_FILE}"
        folder = error.filename or top
        refused.append(Report(folder, refusal(folder, RULE, what, hint).findings))

    try:
        inside = sorted(_inside(top, ignored_near(top), unreadable))
        if not inside and not refused:
            raise refusal(top, RULE, f"has no {NAMES[0]} in it", "name the folder that has the contracts")
    except InputError as error:
        return [], [Report(top, error.findings)]
    return inside, refused


def _inside(top: str, ignored: Ignored, unreadable: Callable[[OSError], None]) -> Iterator[str]:
    """The contracts below `top`. Folders that are hidden, ignored, or links are not entered."""
    for folder, folders, names in os.walk(top, onerror=unreadable):
        named = [name for name in (*folders, *names) if name in NAMES]  # a folder of this name is told of as such
        folders[:] = [
            name for name in sorted(folders) if not name.startswith(".") and not ignored(os.path.join(folder, name, ""))
        ]
        for name in named:
            path = os.path.join(folder, name)
            if not ignored(path):
                yield path.removeprefix(os.path.join(os.curdir, ""))  # annotations of CI name a file from the root on


def ignored_near(folder: str) -> Ignored:
    """What the nearest ignore file leaves out: that in `folder`, or above it up to the root of its repository."""
    at = os.path.abspath(folder)
    while not os.path.lexists(os.path.join(at, IGNORE_FILE)):
        above = os.path.dirname(at)
        if above == at or os.path.lexists(os.path.join(at, ".git")):
            return lambda _path: False
        at = above
    return _patterns(at)


def _patterns(folder: str) -> Ignored:
    from r0kit.cli.ignoring import ignored_by, rules_of  # few folders have an ignore file

    path = os.path.relpath(os.path.join(folder, IGNORE_FILE))
    left_out = ignored_by(rules_of(read_text(path, RULE, _LIMIT).split("\n"), path, RULE))

    def ignored(path: str) -> bool:
        inside = os.path.relpath(path, folder).replace(os.sep, "/")
        return left_out(f"{inside}/" if path.endswith(os.sep) else inside)

    return ignored
