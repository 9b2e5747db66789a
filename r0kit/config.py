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
_VALUE = re.compile(r"\"[^\"]*\"|'[^']*'|[^\s,#\]}]+")
_BARE = re.compile(rf"[ \t]*({_DOTTED})[ \t]*=[ \t]*(?!true\b|false\b)([A-Za-z_][\w-]*)[ \t]*(?:#.*)?\Z")
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


def read_config(path: str, table: Keys, choices: Choices, rules: Iterable[str]) -> Config | None:
    """The settings in `table` of the TOML file `path`, None where it has no such table. rules: those that may have a
    severity.

    Raises InputError where the file cannot be read.
    """
    text = text_of(path)
    data: Any = _toml(text, path)
    for key in table:
        if not isinstance(data, dict) or key not in data:
            return None
        data = data[key]
    reading = _Reading(path, text, table)
    if not isinstance(data, dict):
        reading.wrong((), f"{'.'.join(table)} is a table of settings", "write its settings below [tool.r0kit]")
        data = {}
    values, severities = reading.values(data, choices), reading.severities(data.get(SEVERITY, {}), list(rules))
    findings = sorted(reading.findings, key=lambda finding: finding.location)
    return Config(path, text, values, severities, tuple(findings))


def text_of(path: str) -> str:
    """The text of a TOML file, with LF as line ends. Raises InputError where it cannot be read."""
    text = decode(read_bytes(path, RULE, LIMIT, follow=True), path, RULE)
    return text.replace("\r\n", "\n")


def _toml(text: str, path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        said = str(error) if isinstance(error, ValueError) else "nested too deep"
        at = _AT.search(said)
        lines = text.count("\n") + 1
        place = Location(path, int(at[1]), int(at[2])) if at and at[1] else Location(path, lines, 1)
        message = f"not TOML: {_AT.sub('', said)[:200]}"
        raise InputError([Finding(RULE, Severity.ERROR, message, place, _toml_hint(text, place))]) from None


def _toml_hint(text: str, place: Location) -> str:
    bare = _BARE.match(text.split("\n")[place.line - 1])
    return f'put text in quotes: {bare[1]} = "{bare[2]}"' if bare else "see https://toml.io"


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
                self.wrong((key,), f"there is no setting {key!a}", self._setting_hint(key, choices), of_key=True)
            elif self._is_one_of((key,), value, choices[key]()):
                found[key] = value
        return found

    def _setting_hint(self, key: str, choices: Choices) -> str:
        if key == "tool" and not self._table:
            return "write the settings without [tool.r0kit], which is for pyproject.toml"
        return _hint(key, (*choices, SEVERITY))

    def severities(self, data: Any, rules: list[str]) -> dict[str, str]:
        """The severities of rules that there are."""
        if not isinstance(data, dict):
            self.wrong((SEVERITY,), f"{SEVERITY} is a table of rules", f"write [{'.'.join((*self._table, SEVERITY))}]")
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
        near = get_close_matches(value[:80].lower(), allowed, n=1) if isinstance(value, str) else []
        hint = f'did you mean "{near[0]}"?' if near else f"write one of {', '.join(allowed)}"
        if value is False and "off" in allowed:
            hint = 'write "off", with its quotes'
        self.wrong(keys, f"{_shown(value)} is no {keys[0]}", hint)
        return False

    def wrong(self, keys: Keys, message: str, hint: str, of_key: bool = False) -> None:
        """Note a finding at a key below the table, or at its value."""
        self.findings.append(Finding(RULE, Severity.ERROR, message, self._place((*self._table, *keys), of_key), hint))

    def _place(self, keys: Keys, of_key: bool) -> Location:
        for known in (keys[:count] for count in range(len(keys), 0, -1)):
            if known not in self._places:
                continue
            line, key, value = self._places[known]
            if known != keys:  # in braces behind a key that is in the text
                inner = re.compile(rf"(?<![\w-]){re.escape(keys[-1])}(?![\w-])").search(self._lines[line - 1], value[0])
                return self._span(line, inner.span() if inner else key)
            return self._span(line, key if of_key else value)
        return Location(self._path, 1, 1)

    def _span(self, line: int, columns: tuple[int, int]) -> Location:
        start, end = columns
        return Location(self._path, line, start + 1, line, max(end, start) + 1)


Place = tuple[
    int, tuple[int, int], tuple[int, int]
]  # line (from 1), and the columns (from 0) of a key and of its value


def _places(text: str) -> Iterator[tuple[Keys, Place]]:
    """Each key in full with its place; the value of a table is its own key."""
    table: Keys = ()
    for number, line in enumerate(text.split("\n"), 1):
        header, pair = _TABLE.match(line), _PAIR.match(line)
        if header:
            table = _split(header[1])
            yield table, (number, header.span(1), header.span(1))
        elif pair:
            value = _VALUE.match(line, pair.end())
            yield (
                (*table, *_split(pair[1])),
                (number, pair.span(1), value.span() if value else (pair.end(), pair.end())),
            )


def _shown(value: Any) -> str:
    """A value as it stands in TOML, cut where it is long; tables and arrays by their kind."""
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "an array"
    return ascii(value[:60]) if isinstance(value, str) else str(value).lower()[:60]


def _split(dotted: str) -> Keys:
    return tuple(key.strip("\"'") for key in re.findall(_KEY, dotted))


def _hint(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name[:80], list(known), n=1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
