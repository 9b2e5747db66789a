"""What the tests against the wheel share."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def wheel_cache(request: pytest.FixtureRequest) -> Path:
    """Where the library that computes values is kept from one run to the next; building it takes a minute."""
    cache: pytest.Cache = request.config.cache  # type: ignore[assignment]
    return Path(cache.mkdir("pypto"))
