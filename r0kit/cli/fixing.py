"""`validate --fix` and `--diff`: contracts put right in their files, or the difference that this would make."""

import os
import sys
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from itertools import islice
from re import compile as pattern

from r0kit.cli.common import CLEAN, FINDINGS, show
from r0kit.cli.output import RULE as RULE_OF_OUTPUT
from r0kit.cli.output import write_bytes
from r0kit.contract.read import RULE
from r0kit.finding import InputError, printable
from r0kit.source import decode, read_bytes
from r0kit.source.refused import refusal
from r0kit.validate.fix import fixed

_MARK = "\ufeff".encode()
_ODD = pattern(r'[\x00-\x1f\x7f"\\\ud800-\udfff]')  # in a name: it is written in quotes
_ESCAPES = {ord("\n"): r"\n", ord("\t"): r"\t", ord("\r"): r"\r", ord('"'): r"\"", ord("\\"): r"\\"}


def fix_files(paths: Sequence[str]) -> int:
    """Put the files right, each in one step, and say so; the exit status is 1 where one cannot be written."""
    status = CLEAN
    for path in dict.fromkeys(paths):
        try:
            content = read_bytes(path, RULE)
            new, changes = _fixed(path, content)
        except InputError:
            continue  # the report says why
        if new != content:
            try:
                _replace(path, content, new)
            except InputError as error:
                show(error.findings)
                status = FINDINGS
                continue
            for change in changes:
                print(printable(f"r0kit validate: {path}: {change}"), file=sys.stderr)
    return status


def _replace(path: str, content: bytes, new: bytes) -> None:
    """Write `new` for `content`; not over what somebody else has written there in the meantime."""
    if read_bytes(path, RULE) != content:
        raise refusal(path, RULE_OF_OUTPUT, "has been changed in the meantime, and is left as it is", "run this again")
    write_bytes(path, new)


def show_fixes(paths: Sequence[str]) -> int:
    """Print what `fix_files` would change as a unified diff, and change nothing; the exit status is 1 where it would."""
    status = CLEAN
    for path in dict.fromkeys(paths):
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
    path = _straight(path)
    names = (path, path) if path.startswith("/") else (f"a/{path}", f"b/{path}")
    before, after = map(_name, names)
    yield from (f"--- {before}\n", f"+++ {after}\n")
    for line in islice(unified_diff(_lines(old), _lines(new)), 2, None):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _straight(path: str) -> str:
    """`path` without `./` and the like, which `git apply` refuses, where that leads to the same file."""
    straight = os.path.normpath(path)
    try:
        return straight if os.path.samefile(straight, path) else path
    except OSError:
        return path


def _name(path: str) -> str:
    """A name in the head of a diff: as it is, or in quotes as `git` writes it, so that it stays one line of that head."""
    if _ODD.search(path):
        return '"{}"'.format("".join(map(_escaped, os.fsencode(path))))
    return f"{path}\t" if " " in path else path


def _escaped(byte: int) -> str:
    return _ESCAPES.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}")


def _lines(text: str) -> list[str]:
    """Lines with their ends; a line ends in LF alone, as for the programs that read diffs."""
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [last for last in text.split("\n")[-1:] if last]
