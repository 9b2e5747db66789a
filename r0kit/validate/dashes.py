"""Entries of a list that run into one another, because the dash of the second is missing: told once, and put right for
the rules, which else would judge one entry with half of the values of another."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from r0kit.contract.path import KEY, Path
from r0kit.contract.read import Document, parse
from r0kit.contract.wording import shown, spell
from r0kit.finding import Finding, InputError, Location, Severity

RULE = "rule18"

_ROUNDS = 10  # dashes that may be missing one behind another
_READ = 2_000_000  # characters that are read to look for them
_NAMED = 3  # keys that a message names


class Missing(NamedTuple):
    """An entry that is two: its path, the keys that occur twice in it, where the second begins, the column of its dash."""

    path: Path
    keys: list[Any]
    second: Location
    dash: int


def with_dashes(document: Document) -> tuple[Document, list[Finding]]:
    """A document with keys that occur twice, with the dashes that are missing, all else where it was; and the findings."""
    told: list[Finding] = []
    for _ in range(min(_ROUNDS, _READ // len(document.text))):
        missing = list(_missing(document))
        if not missing:
            break
        try:
            new = parse(_written(document.text, missing), document.path)
        except InputError:
            break
        lines = document.text.split("\n")
        told += (_finding(lines, each) for each in missing)
        document = new
    return document, told


def _missing(document: Document) -> Iterator[Missing]:
    twice: dict[Path, list[Any]] = {}
    for *above, key in document.duplicates:
        twice.setdefault(tuple(above), []).append(key)
    lines = document.text.split("\n")
    keys_of = {path: [(*path, key, KEY) for key in keys] for path, keys in twice.items()}
    places = document.locate(part for path, keys in keys_of.items() for part in (path[:-1], path, *keys))
    for path, keys in twice.items():
        listed, entry = places[path[:-1]], places[path]
        has_dashes = _sign(lines, listed) == "-" and _sign(lines, entry) != "{"  # no mapping in a mapping, no braces
        if has_dashes and len(keys) > 1:
            yield Missing(path, keys, min(places[key] for key in keys_of[path]), listed.column)


def _sign(lines: Sequence[str], place: Location) -> str:
    return lines[place.line - 1][place.column - 1 : place.column]


def _written(text: str, missing: Iterable[Missing]) -> str:
    """The text with a dash for the blank that stands where each of the second entries must have one."""
    lines = text.split("\n")
    for each in missing:
        line = lines[each.second.line - 1]
        lines[each.second.line - 1] = f"{line[: each.dash - 1]}-{line[each.dash :]}"
    return "\n".join(lines)


def _finding(lines: Sequence[str], each: Missing) -> Finding:
    names, place = ", ".join(map(shown, each.keys[:_NAMED])), each.second
    line = lines[place.line - 1][place.column - 1 :].rstrip()
    others = " and others" * (len(each.keys) > _NAMED)
    message = f"{spell(each.path)} has {names}{others} twice: a second entry begins here"
    hint = f"begin it with a dash: {shown(f'- {line}')}"
    return Finding(RULE, Severity.ERROR, message, place, hint)
