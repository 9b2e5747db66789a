"""Options of the test suite."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the campaigns marked `long`, and larger samples")
    parser.addoption(
        "--refresh", action="store_true", help="write reviewed outputs anew instead of comparing with them"
    )
    parser.addoption(
        "--wheel", action="store_true", help="also compile kernels with the pypto wheel, which takes minutes"
    )
    parser.addoption("--packaging", action="store_true", help="also build and install the package, which takes minutes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for marker in ("long", "packaging", "wheel"):
        if config.getoption(f"--{marker}"):
            continue
        skip = pytest.mark.skip(reason=f"slow: run with --{marker}")
        for item in items:
            if item.get_closest_marker(marker):
                item.add_marker(skip)


@pytest.fixture(scope="session")
def long_mode(request: pytest.FixtureRequest) -> bool:
    """Whether the suite runs in its long mode."""
    return bool(request.config.getoption("--long"))
