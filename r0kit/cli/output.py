"""Files that a command writes: whole or not at all."""

import os
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress

from r0kit.source.refused import refusal

RULE = "io.write"


def named(output: str | None) -> str | None:
    """The file that an option `-o` names; None for standard output, which `-` stands for as it does elsewhere."""
    return None if output == "-" else output


def write_text(path: str, text: str) -> None:
    """Put `text` (UTF-8, line ends as they are) into the file `path`, as `write_bytes` does."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str, content: bytes) -> None:
    """Put `content` into the file `path` in one step: a new file is filled beside it, then takes its place.

    Whatever goes wrong on the way, an old file stays as it was. A symbolic link stays one, and leads to no other folder;
    permissions are kept, a read-only file is not replaced, and what is no regular file (`/dev/stdout`, a pipe) is written
    to as it is. Raises InputError (rule `io.write`).
    """
    try:
        refuse_stray_link(path)
        target = os.path.realpath(path)
        _refuse_read_only(path, target)
        if _is_special(target) or _is_stream(path):
            with open(path, "wb") as file:
                file.write(content)
        else:
            _replace(target, content)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise refusal(
            path, RULE, f"cannot be written: {reason.lower()}", "name a file in a folder that can be written to"
        ) from None


def refuse_inputs(path: str, read: Iterable[str | None], hint: str) -> None:
    """A slip of the hand must not replace what a person wrote by what is made of it: `path` is none of the files `read`."""
    for other in read:
        if other is not None and os.path.exists(other) and os.path.exists(path) and os.path.samefile(other, path):
            raise refusal(path, RULE, "is one of the files that are read", hint)


def refuse_stray_link(path: str) -> None:
    """A link that leads out of its folder is no place to write to: whoever follows it expects another file there."""
    if _is_stream(path) or not os.path.islink(path):
        return
    target = os.path.realpath(path)
    if os.path.dirname(target) != os.path.realpath(os.path.dirname(path) or "."):
        hint = "name that file itself, or remove the link"
        raise refusal(path, RULE, f"is a link to {target}, in another folder", hint)


def _refuse_read_only(path: str, target: str) -> None:
    """A file that nobody may write to is not replaced either, though its folder would allow it."""
    if os.path.isfile(target) and not os.stat(target).st_mode & 0o222:
        raise refusal(path, RULE, "is read-only", "allow writing to it, or name another file")


def _is_stream(path: str) -> bool:
    """Whether it is a name of an open stream, such as /dev/stdout, which leads to wherever the shell has sent it."""
    return os.path.abspath(path).startswith(("/dev/std", "/dev/fd/", "/proc/self/fd/"))


def _is_special(target: str) -> bool:
    """Whether `target` exists and is neither a file nor a folder."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _replace(target: str, content: bytes) -> None:
    if os.path.isdir(target):
        raise IsADirectoryError(None, "is a folder", target)
    handle, fresh = tempfile.mkstemp(dir=os.path.dirname(target), prefix=f".{os.path.basename(target)[:100]}.")
    try:
        with open(handle, "wb") as file:
            _keep_owner(fresh, target)
            os.chmod(fresh, _permissions(target))
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, target)
    except BaseException:
        os.unlink(fresh)
        raise


def _keep_owner(fresh: str, target: str) -> None:
    """Root, as containers run commands, gives a file back to whom it belongs; others may not, and need not."""
    with suppress(OSError):
        old = os.stat(target)
        if hasattr(os, "chown") and (old.st_uid, old.st_gid) != (os.getuid(), os.getgid()):
            os.chown(fresh, old.st_uid, old.st_gid)


def _permissions(target: str) -> int:
    """Those of the old file; for a new one what the process's mask leaves of read and write for all."""
    try:
        return stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
