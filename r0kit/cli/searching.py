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
    """The files among `paths`, and the contracts in the folders among them, in the order of `paths` and then of names."""
    files: list[str] = []
    reports: list[Report] = []
    for path in paths:
        if not os.path.isdir(path):
            files.append(path)
            continue
        try:
            inside = sorted(_inside(path, ignored_near(path)))
            if not inside:
                raise refusal(path, RULE, f"has no {NAMES[0]} in it", "name the folder that has the contracts")
        except InputError as error:
            reports.append(Report(path, error.findings))
        else:
            files += inside
    return Found(files, reports)


def _inside(top: str, ignored: Ignored) -> Iterator[str]:
    """The contracts below `top`. Folders that are hidden, ignored, or links are not entered."""

    def unreadable(error: OSError) -> None:
        what = f"cannot be searched: {(error.strerror or str(error)).lower()}"
        raise refusal(error.filename or top, RULE, what, f"check its permissions, or name it in {IGNORE_FILE}")

    for folder, folders, names in os.walk(top, onerror=unreadable):
        folders[:] = [
            name for name in sorted(folders) if not name.startswith(".") and not ignored(os.path.join(folder, name, ""))
        ]
        for name in names:
            path = os.path.join(folder, name)
            if name in NAMES and not ignored(path):
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
    from pathspec import GitIgnoreSpec  # few folders have an ignore file

    path = os.path.relpath(os.path.join(folder, IGNORE_FILE))
    lines = read_text(path, RULE, _LIMIT).splitlines()
    for number, line in enumerate(lines, 1):
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError as error:
            raise refusal(
                path, RULE, f"has no pattern of gitignore in it: {str(error)[:100]}", "see gitignore(5)", number, 1
            ) from None
    spec = GitIgnoreSpec.from_lines(lines)

    def ignored(path: str) -> bool:
        inside = os.path.relpath(path, folder).replace(os.sep, "/")
        return spec.match_file(f"{inside}/" if path.endswith(os.sep) else inside)

    return ignored
