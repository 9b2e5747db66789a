"""What a project has settled in `[tool.r0kit]` of pyproject.toml, or in r0kit.toml: read, checked, with places."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from r0kit.finding import Finding, InputError, Location, Severity
from r0kit.source import decode, read_bytes

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RULE = "config"
LIMIT = 1 << 20  # bytes
SEVERITY = "severity"
SEVERITIES = (*(severity.value for severity in Severity), "off")
FIXED = ("rule0", "P00")  # what cannot be read is never anything but an error

_KEY = r"(?:[A-Za-z0-9_-]+|\"[^\"\n]*\"|'[^'\n]*')"
_DOTTED = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_TABLE = re.compile(rf"[ \t]*\[[ \t]*({_DOTTED})[ \t]*\]")
_PAIR = re.compile(rf"[ \t]*({_DOTTED})[ \t]*=[ \t]*")
_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z")

Keys = tuple[str, ...]
Choices = Mapping[str, Callable[[], tuple[str, ...]]]  # the settings there are, and what each may be


class Config(NamedTuple):
    """The settings of a project: values by their names, severities by rule; what is wrong with them is left out of both."""

    path: str = ""
    text: str = ""
    values: Mapping[str, str] = {}
    severities: Mapping[str, str] = {}
    findings: tuple[Finding, ...] = ()


def read_config(path: str, table: Keys, choices: Choices, rules: Iterable[str]) -> Config:
    """The settings in `table` of the TOML file `path`. rules: those that may have a severity.

    Raises InputError where the file cannot be read.
    """
    text = decode(read_bytes(path, RULE, LIMIT, follow=True), path, RULE)
    data: Any = _toml(text, path)
    for key in table:
        data = data.get(key, {}) if isinstance(data, dict) else {}
    reading = _Reading(path, text, table)
    if not isinstance(data, dict):
        reading.wrong((), f"{'.'.join(table)} is a table of settings", "write its settings below [tool.r0kit]")
        data = {}
    values, severities = reading.values(data, choices), reading.severities(data.get(SEVERITY, {}), list(rules))
    return Config(path, text, values, severities, tuple(reading.findings))


def _toml(text: str, path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        said = str(error) if isinstance(error, ValueError) else "nested too deep"
        at = _AT.search(said)
        lines = text.count("\n") + 1
        place = Location(path, int(at[1]), int(at[2])) if at and at[1] else Location(path, lines, 1)
        message = f"not TOML: {_AT.sub('', said)[:200]}"
        raise InputError([Finding(RULE, Severity.ERROR, message, place, "see https://toml.io")]) from None


class _Reading:
    """One file being read: what is wrong with it so far, and where its keys are."""

    def __init__(self, path: str, text: str, table: Keys) -> None:
        self.findings: list[Finding] = []
        self._path, self._table, self._places = path, table, dict(_places(text))
        self._lines = text.split("\n")

    def values(self, data: Mapping[str, Any], choices: Choices) -> dict[str, str]:
        """The settings that are known and have a value that they may have."""
        found = {}
        for key, value in data.items():
            if key == SEVERITY:
                continue
            if key not in choices:
                self.wrong((key,), f"there is no setting {key!a}", _hint(key, (*choices, SEVERITY)), of_key=True)
            elif self._is_one_of((key,), value, choices[key]()):
                found[key] = value
        return found

    def severities(self, data: Any, rules: list[str]) -> dict[str, str]:
        """The severities of rules that there are."""
        if not isinstance(data, dict):
            self.wrong((SEVERITY,), f"{SEVERITY} is a table of rules", f"write [{'.'.join(self._table)}.severity]")
            return {}
        found = {}
        for rule, value in data.items():
            if rule not in rules:
                hint = _hint(rule, rules)
                self.wrong((SEVERITY, rule), f"there is no rule {rule!a}", hint, of_key=True)
            elif rule in FIXED:
                self.wrong((SEVERITY, rule), f"{rule} is always an error", "remove the line", of_key=True)
            elif self._is_one_of((SEVERITY, rule), value, SEVERITIES):
                found[rule] = value
        return found

    def _is_one_of(self, keys: Keys, value: Any, allowed: tuple[str, ...]) -> bool:
        if isinstance(value, str) and value in allowed:
            return True
        self.wrong(keys, f"{str(value)[:60]!a} is no {keys[0]}", f"write one of {', '.join(allowed)}")
        return False

    def wrong(self, keys: Keys, message: str, hint: str, of_key: bool = False) -> None:
        """Note a finding at a key below the table, or at its value."""
        self.findings.append(Finding(RULE, Severity.ERROR, message, self._place((*self._table, *keys), of_key), hint))

    def _place(self, keys: Keys, of_key: bool) -> Location:
        for known in (keys[:count] for count in range(len(keys), 0, -1)):
            if known not in self._places:
                continue
            line, key_column, value_column = self._places[known]
            if known != keys:  # in braces behind a key that is in the text
                inner = re.compile(rf"(?<![\w-]){re.escape(keys[-1])}(?![\w-])").search(
                    self._lines[line - 1], value_column - 1
                )
                return Location(self._path, line, inner.start() + 1 if inner else key_column)
            return Location(self._path, line, key_column if of_key else value_column)
        return Location(self._path, 1, 1)


def _places(text: str) -> Iterator[tuple[Keys, tuple[int, int, int]]]:
    """Each key in full with its line, its column and that of its value (of a table: its own)."""
    table: Keys = ()
    for number, line in enumerate(text.split("\n"), 1):
        header, pair = _TABLE.match(line), _PAIR.match(line)
        if header:
            table = _split(header[1])
            yield table, (number, header.start(1) + 1, header.start(1) + 1)
        elif pair:
            yield (*table, *_split(pair[1])), (number, pair.start(1) + 1, pair.end() + 1)


def _split(dotted: str) -> Keys:
    return tuple(key.strip("\"'") for key in re.findall(_KEY, dotted))


def _hint(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name[:80], list(known), n=1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
