"""The configuration of the project in which a command runs, read where there is one.

An option of the command line counts more than a setting, and a setting more than what r0kit does by itself.
"""

from collections.abc import Iterable, Mapping

from r0kit.cli.project import config_files
from r0kit.config import Config, read_config, text_of
from r0kit.finding import InputError, Report

PITFALLS = tuple(f"P{number:02}" for number in range(32))  # those of `lint`, whose rows `validate` does not load


def config() -> Config | None:
    """The settings for the working folder, None where there are none. Raises InputError where they cannot be read."""
    for path, table in config_files():
        found = read_config(path, table, _CHOICES, _rules())
        if found is not None:
            return found
    return None


def _text(path: str) -> str:
    """The text of a file with settings; "" where it cannot be read."""
    try:
        return text_of(path)
    except InputError:
        return ""


def configured() -> tuple[Mapping[str, str], list[Report]]:
    """The severities of the project's configuration, and a report on what is wrong with it."""
    try:
        found = config()
    except InputError as error:
        path = error.findings[0].location.path
        return {}, [Report(path, error.findings, _text(path))]
    if found is None:
        return {}, []
    return found.severities, [Report(found.path, found.findings, found.text)] if found.findings else []


def settled() -> Mapping[str, str]:
    """What the project has settled, by the names of the settings. Raises InputError where its configuration is wrong."""
    return _right().values


def severities() -> Mapping[str, str]:
    """The severities that the project gives to rules. Raises InputError where its configuration is wrong."""
    return _right().severities


def _right() -> Config:
    found = config() or Config()
    if found.findings:
        raise InputError(found.findings)
    return found


def _platforms() -> tuple[str, ...]:
    from r0kit.platform import names

    return tuple(names())


def _strategies() -> tuple[str, ...]:
    from r0kit.partition.model import Strategy

    return tuple(strategy.value for strategy in Strategy)


def _languages() -> tuple[str, ...]:
    from r0kit.render import Lang

    return tuple(lang.value for lang in Lang)


_CHOICES = {"platform": _platforms, "strategy": _strategies, "lang": _languages}


def _rules() -> Iterable[str]:
    from r0kit.validate import RULES

    return (*(rule.id for rule in RULES), *PITFALLS)
