"""Entries of a list that run into one another, because the dash of the second is missing: told once, and put right for
the rules, which else would judge one entry with half of the values of another."""

from collections.abc import Iterable, Iterator

from r0kit.contract.path import KEY, Path
from r0kit.contract.read import Document, parse
from r0kit.contract.wording import shown, spell
from r0kit.finding import Finding, InputError, Location, Severity

RULE = "rule18"

_ROUNDS = 10  # dashes that may be missing one behind another
_READ = 1 << 21  # characters that are read to look for them
_NAMED = 3  # keys that a message names


def with_dashes(document: Document) -> tuple[Document, list[Finding]]:
    """The document with the dashes that are missing, all else where it was, and a finding for each."""
    told: list[Finding] = []
    for _ in range(min(_ROUNDS, _READ // (len(document.text) + 1))):
        missing = list(_missing(document))
        if not missing:
            break
        try:
            new = parse(_written(document.text, (place for _, _, place in missing)), document.path)
        except InputError:
            break
        told += (_finding(document, *each) for each in missing)
        document = new
    return document, told


Missing = tuple[
    Path, list[str], Location
]  # the entry that is two, the keys that occur twice in it, where the second begins


def _missing(document: Document) -> Iterator[Missing]:
    twice: dict[Path, list[str]] = {}
    for *above, key in document.duplicates:
        if above and isinstance(above[-1], int) and isinstance(key, str):
            twice.setdefault(tuple(above), []).append(key)
    if not twice:
        return
    lines = document.text.split("\n")
    places = document.locate((*path, key, KEY) for path, keys in twice.items() for key in keys)
    for path, keys in twice.items():
        second = min(places[(*path, key, KEY)] for key in keys)
        before = lines[second.line - 1][: second.column - 1]
        if len(keys) > 1 and len(before) > 1 and not before.strip(" "):
            yield path, keys, second


def _written(text: str, places: Iterable[Location]) -> str:
    """The text with a dash before each of the places, for two blanks."""
    lines = text.split("\n")
    for place in places:
        line = lines[place.line - 1]
        lines[place.line - 1] = f"{line[: place.column - 3]}- {line[place.column - 1 :]}"
    return "\n".join(lines)


def _finding(document: Document, path: Path, keys: list[str], place: Location) -> Finding:
    names = ", ".join(map(shown, keys[:_NAMED]))
    line = document.text.split("\n")[place.line - 1][place.column - 1 :].rstrip()
    message = f"{spell(path)} has {names}{' and others' * (len(keys) > _NAMED)} twice: a second entry begins here"
    hint = f"begin it with a dash: {shown(f'- {line}')}"
    return Finding(RULE, Severity.ERROR, message, place, hint)
