"""Reviewed outputs: files in a folder `expected`, written anew under --refresh; read the diff before you commit it."""

from collections.abc import Callable
from pathlib import Path

import pytest

Expected = Callable[[str, str], None]


def comparer(folder: Path, request: pytest.FixtureRequest) -> Expected:
    """Compares a text with the reviewed file `folder`/<name>, or writes that file under --refresh."""

    def compare(name: str, text: str) -> None:
        file = folder / name
        if request.config.getoption("--refresh"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
        assert text == file.read_bytes().decode("utf-8")

    return compare
