"""Reviewed outputs: `python -m pytest tests/render tests/diff --refresh` writes them anew."""

from pathlib import Path

import pytest
from reviewed import Expected, comparer


@pytest.fixture
def expected(request: pytest.FixtureRequest) -> Expected:
    """Compare a text with the reviewed file tests/render/expected/<name>, or write that file under --refresh."""
    return comparer(Path(__file__).parent / "expected", request)
