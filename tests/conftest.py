"""Options of the test suite."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the campaigns marked `long`, and larger samples")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long"):
        return
    skip = pytest.mark.skip(reason="a campaign: run with --long")
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def long_mode(request: pytest.FixtureRequest) -> bool:
    """Whether the suite runs in its long mode."""
    return bool(request.config.getoption("--long"))
