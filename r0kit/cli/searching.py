"""The files in a folder that a command is for, without those that an ignore file leaves out."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from r0kit.contract.read import RULE
from r0kit.finding import InputError, Report
from r0kit.source import read_text
from r0kit.source.refused import refusal

IGNORE_FILE = ".r0kitignore"
_LIMIT = 1 << 20  # bytes of an ignore file

Ignored = Callable[[str], bool]  # whether a path (folders end in a slash) is left out


class Wanted(NamedTuple):
    """What is looked for. names: whether a file is one, by its name; holds: and by its path; what: in words.

    rule: of findings about the search.
    """

    names: Callable[[str], bool]
    what: str
    rule: str
    holds: Callable[[str], bool] = lambda _: True


CONTRACTS = Wanted({"module_interfaces.yaml", "module_interfaces.yml"}.__contains__, "module_interfaces.yaml", RULE)


class Found(NamedTuple):
    """The files to check, in order, and a report for each folder in which they could not be found."""

    files: list[str]
    reports: list[Report]


def found(paths: Sequence[str], wanted: Wanted) -> Found:
    """The files among `paths`, and those wanted in the folders among them, in the order of `paths` and then of names.

    Each file is there once, however often it or a folder that has it is named.
    """
    files: dict[tuple[str, str], str] = {}
    reports: list[Report] = []
    for path in paths:
        inside, refused = _in_folder(path, wanted) if os.path.isdir(path) else ([path], [])
        reports += refused
        for file in inside:
            folder, name = os.path.split(file)
            files.setdefault((_real(folder), name), file)
    return Found(list(files.values()), reports)


def _real(folder: str) -> str:
    """The folder itself, whatever links lead to it; as it is named where that cannot be told."""
    try:
        return os.path.realpath(folder)
    except (OSError, ValueError):  # the working folder is gone; a NUL in the name
        return folder


def _in_folder(top: str, wanted: Wanted) -> tuple[list[str], list[Report]]:
    """The files wanted below `top`, and a report for each folder that cannot be searched, or for one without any."""
    refused: list[Report] = []

    def unreadable(error: OSError) -> None:
        what = f"cannot be searched: {(error.strerror or str(error)).lower()}"
        hint = f"check its permissions, or name it in {IGNORE_FILE}"
        folder = _brief(error.filename or top)
        refused.append(Report(folder, refusal(folder, wanted.rule, what, hint).findings))

    try:
        ignored = ignored_near(top, wanted.rule)
        if ignored(os.path.join(top, "")):  # named, and so looked through
            ignored = _nothing
        inside = sorted(_inside(top, wanted, ignored, unreadable))
        if not inside and not refused:
            raise refusal(top, wanted.rule, f"has no {wanted.what} in it", "name a folder that has")
    except InputError as error:
        return [], [Report(top, error.findings)]
    except FileNotFoundError as error:  # the working folder is gone
        unreadable(error)
        return [], refused
    return inside, refused


def _inside(top: str, wanted: Wanted, ignored: Ignored, unreadable: Callable[[OSError], None]) -> Iterator[str]:
    """The files wanted below `top`. Folders that are hidden, ignored, or links are not entered."""
    for folder, folders, names in os.walk(top, onerror=unreadable):
        named = [name for name in (*folders, *names) if wanted.names(name)]  # a folder of this name is told of as such
        folders[:] = [
            name for name in sorted(folders) if not name.startswith(".") and not ignored(os.path.join(folder, name, ""))
        ]
        for name in named:
            path = os.path.join(folder, name)
            if not ignored(path) and wanted.holds(path):
                yield _brief(path)


def _brief(path: str) -> str:
    """A path below the working folder without the dot: annotations of CI name a file from the root on."""
    return path.removeprefix(os.path.join(os.curdir, "")) or path


def _nothing(_path: str) -> bool:
    return False


def ignored_near(folder: str, rule: str) -> Ignored:
    """What the nearest ignore file leaves out: that in `folder`, or above it up to the root of its repository."""
    at = os.path.abspath(folder)
    while not os.path.lexists(os.path.join(at, IGNORE_FILE)):
        above = os.path.dirname(at)
        if above == at or os.path.lexists(os.path.join(at, ".git")):
            return _nothing
        at = above
    return _patterns(at, rule)


def _patterns(folder: str, rule: str) -> Ignored:
    """Folders are asked about before what is in them, and what is in one that is left out is never asked about."""
    from pathspec import GitIgnoreSpec, PathSpec  # few folders have an ignore file

    path = os.path.relpath(os.path.join(folder, IGNORE_FILE))
    lines = read_text(path, rule, _LIMIT).split("\n")
    for number, line in enumerate(lines, 1):
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError as error:
            what = f"has no pattern of gitignore in it: {str(error)[:100]}"
            raise refusal(path, rule, what, "see gitignore(5)", number, 1) from None
    of_files = GitIgnoreSpec.from_lines(lines)
    of_folders = PathSpec(
        of_files.patterns
    )  # the last pattern decides: `!*/` takes back every folder that `*` leaves out

    def ignored(path: str) -> bool:
        inside = os.path.relpath(path, folder).replace(os.sep, "/")
        return of_folders.match_file(f"{inside}/") if path.endswith(os.sep) else of_files.match_file(inside)

    return ignored
