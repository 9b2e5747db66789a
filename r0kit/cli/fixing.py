"""`validate --fix` and `--diff`: contracts put right in their files, or the difference that this would make."""

import sys
from collections.abc import Iterator, Sequence
from difflib import unified_diff

from r0kit.cli.common import CLEAN, FINDINGS, show
from r0kit.cli.output import write_bytes
from r0kit.contract.read import RULE
from r0kit.finding import InputError
from r0kit.report.text import printable
from r0kit.source import decode, read_bytes
from r0kit.validate.fix import fixed

_MARK = "\ufeff".encode()


def fix_files(paths: Sequence[str]) -> int:
    """Put the files right, each in one step, and say so; the exit status is 1 where one cannot be written."""
    status = CLEAN
    for path in paths:
        try:
            content = read_bytes(path, RULE)
            new, changes = _fixed(path, content)
        except InputError:
            continue  # the report says why
        if new != content:
            try:
                write_bytes(path, new)
            except InputError as error:
                show(error.findings)
                status = FINDINGS
                continue
            for change in changes:
                print(printable(f"r0kit validate: {path}: {change}"), file=sys.stderr)
    return status


def show_fixes(paths: Sequence[str]) -> int:
    """Print what `fix_files` would change as a unified diff, and change nothing; the exit status is 1 where it would."""
    status = CLEAN
    for path in paths:
        try:
            content = read_bytes(path, RULE)
            new, _ = _fixed(path, content)
        except InputError as error:
            show(error.findings)
            status = FINDINGS
            continue
        if new != content:
            sys.stdout.write("".join(difference(path, content.decode("utf-8"), new.decode("utf-8"))))
            status = FINDINGS
    return status


def _fixed(path: str, content: bytes) -> tuple[bytes, tuple[str, ...]]:
    result = fixed(decode(content, path, RULE), path)
    mark = _MARK if content.startswith(_MARK) else b""
    return mark + result.text.encode("utf-8"), result.changes


def difference(path: str, old: str, new: str) -> Iterator[str]:
    """The lines of a diff that `git apply` and `patch` take, with the line ends of the file."""
    names = (path, path) if path.startswith("/") else (f"a/{path}", f"b/{path}")
    for line in unified_diff(_lines(old), _lines(new), *names):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """Lines with their ends; a line ends in LF alone, as for the programs that read diffs."""
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [last for last in text.split("\n")[-1:] if last]
