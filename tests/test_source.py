"""Files that cannot be read, or are no text: what is said of each, where, and what to do."""

import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from r0kit.finding import Finding, InputError, Location, Severity
from r0kit.source import read_bytes, read_text

MIB = 1 << 20


@pytest.fixture(autouse=True)
def nothing_waits() -> Iterator[None]:
    """A test that waits for a pipe fails instead."""

    def give_up(*_: object) -> None:
        raise TimeoutError("reading waits")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def refused(path: str, follow: bool = False) -> Finding:
    with pytest.raises(InputError) as caught:
        if follow:
            read_bytes(path, "rule", MIB, follow=True)
        else:
            read_text(path, "rule", MIB)
    (finding,) = caught.value.findings
    assert (finding.rule, finding.severity, finding.location.path) == ("rule", Severity.ERROR, path)
    return finding


def _socket(path: Path) -> None:
    socket.socket(socket.AF_UNIX).bind(str(path))


def _link_to_socket(path: Path) -> None:
    _socket(path.with_name("s"))
    path.symlink_to("s")


def _link(path: Path) -> None:
    path.with_name("target").write_text("x")
    path.symlink_to("target")


@pytest.mark.parametrize(
    ("make", "said", "hint"),
    [
        (lambda path: None, "does not exist", "check the file name"),
        (Path.mkdir, "is a folder, not a file", "name a file in it"),
        (os.mkfifo, "is a named pipe, not a file", "name a file that can be read to its end"),
        (_socket, "cannot be read: no such device or address", "check the name and the permissions of the file"),
        (lambda path: path.write_bytes(b"x" * (MIB + 1)), "has more than 1 MiB", "is this the right file?"),
        (_link, "is a symbolic link, not a file", "name the file itself: {folder}/target"),
        (
            lambda path: path.symlink_to(path),
            "is a symbolic link, not a file",
            "remove the link, which leads to itself",
        ),
    ],
)
def test_what_is_no_file(make: Callable[[Path], object], said: str, hint: str, tmp_path: Path) -> None:
    make(tmp_path / "c")
    finding = refused(f"{tmp_path}/c")
    assert finding.message == f"{tmp_path}/c {said}"
    assert finding.hint == hint.format(folder=os.path.realpath(tmp_path))
    assert finding.location == Location(f"{tmp_path}/c")


@pytest.mark.parametrize(
    ("path", "message", "hint"),
    [
        ("", "the empty file name does not exist", "check the file name"),
        ("-", "- does not exist", "standard input is not read: write it to a file"),
        ("/dev/null", "/dev/null is a device, not a file", "name a file that can be read to its end"),
        ("a\0b", "a\0b cannot be read: embedded null byte", "check the name and the permissions of the file"),
    ],
)
def test_names(path: str, message: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    finding = refused(path)
    assert (finding.message, finding.hint) == (message, hint)


def test_a_loop_on_the_way_is_none_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    said = "cannot be read: too many levels of symbolic links"
    assert refused(f"{tmp_path}/loop/c").message == f"{tmp_path}/loop/c {said}"


def test_a_link_that_is_followed_may_lead_to_what_is_no_file(tmp_path: Path) -> None:
    _link_to_socket(tmp_path / "c")
    assert refused(f"{tmp_path}/c", follow=True).message.endswith("c cannot be read: no such device or address")


def test_a_link_that_is_followed(tmp_path: Path) -> None:
    _link(tmp_path / "c")
    assert read_bytes(f"{tmp_path}/c", "rule", follow=True) == b"x"


GBK = "save the file as UTF-8 (`iconv -f GBK -t UTF-8` converts it)"


@pytest.mark.parametrize(
    ("content", "said", "place", "hint"),
    [
        *(
            (
                f"\ufeff{'op: x'}".encode(f"{encoding}-{order}"),
                f"is encoded as {encoding}",
                (1, 1),
                GBK.replace("GBK", encoding),
            )
            for encoding in ("UTF-16", "UTF-32")
            for order in ("le", "be")
        ),
        (b"ab\nc\xff\n", "is not UTF-8 text: byte 0xff at line 2, column 2", (2, 2), GBK),
        ("批\n批".encode() + b"\xfe", "is not UTF-8 text: byte 0xfe at line 2, column 2", (2, 2), GBK),
        (b"\xef\xbb\xbfab\xff", "is not UTF-8 text: byte 0xff at line 1, column 3", (1, 3), GBK),
        (b"\xef\xbb\xbf\xff", "is not UTF-8 text: byte 0xff at line 1, column 1", (1, 1), GBK),
        (b"\xef\xbb\xbfa\n\xfe", "is not UTF-8 text: byte 0xfe at line 2, column 1", (2, 1), GBK),
        (b"ab\xff\0", "is a binary file", (1, 3), "name a text file"),
        (b"ab\ncd\0", "is a binary file: it has a NUL character", (2, 3), "name a text file"),
    ],
)
def test_what_is_no_text(content: bytes, said: str, place: tuple[int, int], hint: str, tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_bytes(content)
    finding = refused(str(path))
    assert (finding.message, finding.hint) == (f"{path} {said}", hint)
    assert finding.location == Location(str(path), *place)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", ""),
        (b"\xef\xbb\xbfa", "a"),
        (b"a\r\nb\rc\n", "a\nb\nc\n"),
        (b"\r\n\r\n", "\n\n"),
        ("a\u2028\x85b".encode(), "a\u2028\x85b"),
        (b"x" * MIB, "x" * MIB),
    ],
)
def test_a_text_without_its_mark_and_with_one_kind_of_line_ends(content: bytes, text: str, tmp_path: Path) -> None:
    (tmp_path / "c").write_bytes(content)
    assert read_text(str(tmp_path / "c"), "rule", MIB) == text


def test_a_contract_may_have_64_mib() -> None:
    from r0kit.source import LIMIT

    assert LIMIT == 64 * MIB
