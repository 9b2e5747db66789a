"""Why a file cannot be read, or is no text, and what to do: loaded with the first such file."""

import os
import stat
from errno import ELOOP

from r0kit.finding import Finding, InputError, Location, Severity

_BOMS_OF_OTHERS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_SAVE_AS_UTF_8 = "save the file as UTF-8 (`iconv -f {} -t UTF-8` converts it)"


def refusal(path: str, rule: str, what: str, hint: str, line: int = 0, column: int = 0) -> InputError:
    """The error that says of the file `path` that it `what`."""
    place = Location(path, line, column)
    return InputError([Finding(rule, Severity.ERROR, f"{path or 'the empty file name'} {what}", place, hint)])


def unreadable(path: str, rule: str, error: OSError | ValueError) -> InputError:
    """The error for a file that the system does not open or read."""
    if isinstance(error, FileNotFoundError):
        hint = "standard input is not read: write it to a file" if path == "-" else "check the file name"
        return refusal(path, rule, "does not exist", hint)
    if isinstance(error, IsADirectoryError):
        return refusal(path, rule, "is a folder, not a file", "name a file in it")
    if getattr(error, "errno", None) == ELOOP and os.path.islink(path):
        target = os.path.realpath(path)
        hint = "remove the link, which leads to itself" if os.path.islink(target) else f"name the file itself: {target}"
        return refusal(path, rule, "is a symbolic link, not a file", hint)
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    return refusal(path, rule, f"cannot be read: {reason}", "check the name and the permissions of the file")


def irregular(path: str, rule: str, mode: int) -> InputError:
    """The error for something that is no file and can be opened; mode: what `fstat` says of it."""
    what = "a named pipe" if stat.S_ISFIFO(mode) else "a device"
    return refusal(path, rule, f"is {what}, not a file", "name a file that can be read to its end")


def not_utf_8(content: bytes, start: int, path: str, rule: str) -> InputError:
    """The error for bytes of which the one at the offset `start` cannot stand in UTF-8."""
    for mark, encoding in _BOMS_OF_OTHERS:
        if content.startswith(mark):
            return refusal(path, rule, f"is encoded as {encoding}", _SAVE_AS_UTF_8.format(encoding), 1, 1)
    line, column = _place(content[:start].decode().removeprefix("\ufeff"), start)
    if b"\0" in content:
        return refusal(path, rule, "is a binary file", "name a text file", line, column)
    what = f"is not UTF-8 text: byte 0x{content[start]:02x} at line {line}, column {column}"
    return refusal(path, rule, what, _SAVE_AS_UTF_8.format("GBK"), line, column)


def binary(text: str, path: str, rule: str) -> InputError:
    """The error for a text that has a NUL character."""
    what = "is a binary file: it has a NUL character"
    return refusal(path, rule, what, "name a text file", *_place(text, text.index("\0")))


def _place(text: str, offset: int) -> tuple[int, int]:
    """Line and column of the character after the first `offset` ones of `text`."""
    before = text[:offset]
    return before.count("\n") + 1, len(before) - before.rfind("\n")
