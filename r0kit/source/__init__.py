"""Bytes of an input file -> text, or the finding that says why not. On the path of `validate`: nothing heavy here."""

import os
import stat

LIMIT = 64 << 20  # bytes; what design.md section 4 allows a contract

_OPENED = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # no waiting; nothing is translated on Windows
_OF_ITSELF = getattr(os, "O_NOFOLLOW", 0)


def read_text(path: str, rule: str, limit: int = LIMIT) -> str:
    """Text of the UTF-8 file `path`, a leading byte order mark left out and every line end as "\\n".

    rule: id that a finding gets; limit: size in bytes above which the file is refused.
    InputError where it is missing, no regular file, too large, unreadable, or not UTF-8 text.
    """
    return decode(read_bytes(path, rule, limit), path, rule).replace("\r\n", "\n").replace("\r", "\n")


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
                from r0kit.source.refused import irregular  # hardly ever wanted, as the others below

                raise irregular(path, rule, mode)
            content = file.read(limit + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        from r0kit.source.refused import unreadable

        raise unreadable(path, rule, error) from None
    if len(content) > limit:
        from r0kit.source.refused import refusal

        raise refusal(path, rule, f"has more than {limit >> 20} MiB", "is this the right file?")
    return content


def decode(content: bytes, path: str, rule: str) -> str:
    """`content` as UTF-8 without its byte order mark; line ends stay. InputError that names the first wrong byte."""
    try:
        text = content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        from r0kit.source.refused import not_utf_8

        raise not_utf_8(content, error.start, path, rule) from None
    if "\0" in text:
        from r0kit.source.refused import binary

        raise binary(text, path, rule)
    return text
