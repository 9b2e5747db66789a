"""Bytes of an input file -> text, or the finding that says why not. On the path of `validate`: nothing heavy here."""

import os
import stat
from errno import ELOOP

from r0kit.finding import Finding, InputError, Location, Severity

LIMIT = 64 << 20  # bytes; what design.md section 4 allows a contract

_BOMS_OF_OTHERS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_OPENED = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # no waiting; nothing is translated on Windows
_OF_ITSELF = getattr(os, "O_NOFOLLOW", 0)
_SAVE_AS_UTF_8 = "save the file as UTF-8 (`iconv -f {} -t UTF-8` converts it)"


def read_text(path: str, rule: str, limit: int = LIMIT) -> str:
    """Text of the UTF-8 file `path`, a leading byte order mark left out and every line end as "\\n".

    rule: id that a finding gets; limit: size in bytes above which the file is refused.
    InputError where it is missing, no regular file, too large, unreadable, or not UTF-8 text.
    """
    text = decode(read_bytes(path, rule, limit), path, rule)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def read_bytes(path: str, rule: str, limit: int = LIMIT, follow: bool = False) -> bytes:
    """Content of the regular file `path`; InputError as for `read_text`. Never waits on a pipe or a device.

    What is named must be the file itself: a symbolic link would have another file read than the one that was named. Folders
    on the way to it may be links, and what nobody has named (a configuration) as well: follow.
    """
    try:
        handle = os.open(path, os.O_RDONLY | (_OPENED if follow else _OPENED | _OF_ITSELF))
        with open(handle, "rb") as file:
            mode = os.fstat(handle).st_mode
            if not stat.S_ISREG(mode):
                raise refusal(path, rule, f"is {_kind(mode)}, not a file", "name a file that can be read to its end")
            content = file.read(limit + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise _unreadable(path, rule, error) from None
    if len(content) > limit:
        raise refusal(path, rule, f"has more than {limit >> 20} MiB", "is this the right file?")
    return content


def decode(content: bytes, path: str, rule: str) -> str:
    """`content` as UTF-8 without its byte order mark; line ends stay. InputError that names the first wrong byte."""
    for mark, encoding in _BOMS_OF_OTHERS:
        if content.startswith(mark):
            raise refusal(path, rule, f"is encoded as {encoding}", _SAVE_AS_UTF_8.format(encoding), 1, 1)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _not_utf_8(content, error.start, path, rule) from None
    if "\0" in text:
        raise refusal(
            path, rule, "is a binary file: it has a NUL character", "name a text file", *_place(text, text.index("\0"))
        )
    return text


def refusal(path: str, rule: str, what: str, hint: str, line: int = 0, column: int = 0) -> InputError:
    """The error that says of the file `path` that it `what`."""
    place = Location(path, line, column)
    return InputError([Finding(rule, Severity.ERROR, f"{path or 'the empty file name'} {what}", place, hint)])


def _unreadable(path: str, rule: str, error: OSError | ValueError) -> InputError:
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


def _not_utf_8(content: bytes, start: int, path: str, rule: str) -> InputError:
    line, column = _place(content[:start].decode("utf-8-sig"), start)
    if b"\0" in content:
        return refusal(path, rule, "is a binary file", "name a text file", line, column)
    what = f"is not UTF-8 text: byte 0x{content[start]:02x} at line {line}, column {column}"
    return refusal(path, rule, what, _SAVE_AS_UTF_8.format("GBK"), line, column)


def _place(text: str, offset: int) -> tuple[int, int]:
    """Line and column of the character after the first `offset` ones of `text`."""
    before = text[:offset]
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a named pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
