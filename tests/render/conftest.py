"""Reviewed outputs: `python -m pytest tests/render --refresh` writes them anew; read the diff before you commit it."""

from collections.abc import Callable
from pathlib import Path

import pytest

EXPECTED = Path(__file__).parent / "expected"


@pytest.fixture
def expected(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the reviewed file tests/render/expected/<name>, or write that file under --refresh."""

    def compare(name: str, text: str) -> None:
        file = EXPECTED / name
        if request.config.getoption("--refresh"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
        assert text == file.read_bytes().decode("utf-8")

    return compare
