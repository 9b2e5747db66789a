"""What can be put right without a question: counts and flags that the Modules tell, older spellings, the order of keys.

A text is changed only at the values in question. Each result is read again: a change after which the contract does not
say exactly what was meant is not made.
"""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from re import compile as pattern
from typing import Any, NamedTuple

from r0kit.contract.path import KEY, Path
from r0kit.contract.read import Document, parse
from r0kit.contract.structure import is_integer
from r0kit.contract.wire import producer
from r0kit.contract.wording import shown, spell
from r0kit.finding import InputError
from r0kit.validate.modules import true_flags
from r0kit.validate.order import ordered
from r0kit.validate.subject import Entry, Subject

_LINE_END = pattern("\r\n|\r|\n")
_MARKED = r"((?:[&!]\S*\s+)*[\"']?)"  # an anchor, a tag or a quote before the value
_NUMBER = pattern(_MARKED + r"([-+]?[0-9][0-9_a-fA-FxXob.]*)")
_TRUTH = pattern(_MARKED + r"([A-Za-z]+)")
_OLDER = pattern(_MARKED + r"(phase)(?=_)")
_MOST = 200  # changes that are tried one by one, where all of them together are not right


class Fixed(NamedTuple):
    """A text with all that could be put right, and what has changed, in words."""

    text: str
    changes: tuple[str, ...] = ()


class Change(NamedTuple):
    """A value to write at `path`: what `old` matches there, in its second group, is replaced by `new`.

    meant: the value that is read afterwards; None as `old` says that the key is missing and stands behind module_count.
    """

    path: Path
    old: Any
    new: str
    meant: Any


def fixed(text: str, path: str) -> Fixed:
    """`text`, whose line ends may be of any kind, put right. Raises InputError where it is no YAML document."""
    document = parse(text, path)
    changes = list(_changes(Subject(document)))
    text, made = _applied(text, document, changes)
    text, moved = ordered(text, lambda new: _reads(new, parse(text, path).data))
    return Fixed(text, (*(_told(change, document) for change in made), *moved))


def _changes(subject: Subject) -> Iterator[Change]:
    count, modules = subject.root.data.get("module_count"), subject.root.data.get("modules")
    if is_integer(count) and isinstance(modules, list) and count != len(modules):
        yield Change(("module_count",), _NUMBER, str(len(modules)), len(modules))
    for key, truth in true_flags(subject).items():
        value = subject.root.data.get(key, False)
        if isinstance(value, bool) and value is not truth:
            yield Change((key,), _TRUTH if key in subject.root.data else None, str(truth).lower(), truth)
    for entry, key in _sources(subject):
        source = entry.data.get(key)
        if isinstance(source, str) and source.startswith("phase_") and producer(source) is not None:
            yield Change(entry.at(key), _OLDER, "module", source.replace("phase", "module"))


def _sources(subject: Subject) -> Iterator[tuple[Entry, str]]:
    """Every entry that names a Module, and the key under which it does."""
    for module in subject.modules:
        yield from ((wire, "source") for wire in module.inputs)
        yield from ((entry, "from") for entry in module.entries("boundary"))
    yield from ((final, "source") for final in subject.finals)


def _applied(text: str, document: Document, changes: Sequence[Change]) -> tuple[str, list[Change]]:
    """The text with these changes made, and those that could be: all at once, or else each that leads to what it means."""
    text, made = _made(text, document, changes)
    if made or len(changes) > _MOST:
        return text, made
    for change in changes:
        text, one = _made(text, parse(text, document.path), [change])
        made += one
    return text, made


def _made(text: str, document: Document, changes: Sequence[Change]) -> tuple[str, list[Change]]:
    """The text with all of these changes, or as it is where the result would not say what they mean."""
    meant = deepcopy(document.data)
    for change in changes:
        _put(meant, change.path, change.meant)
    new = _edited(text, _edits(text, document, changes))
    return (new, list(changes)) if _reads(new, meant) else (text, [])


def _put(data: Any, path: Path, value: Any) -> None:
    *above, last = path
    for step in above:
        data = data[step]
    data[last] = value


def _reads(text: str, meant: Any) -> bool:
    """Whether `text` is a contract that says `meant`. Values that are equal in Python are of one type here."""
    try:
        return repr(_plain(parse(text, "").data)) == repr(_plain(meant))
    except InputError:
        return False


def _plain(data: Any) -> Any:
    """`data` with the keys of each mapping in one order."""
    if isinstance(data, dict):
        return sorted(((repr(key), _plain(value)) for key, value in data.items()), key=lambda pair: pair[0])
    return list(map(_plain, data)) if isinstance(data, list) else data


Edit = tuple[int, int, str]  # from, to, and what to write there


def _edits(text: str, document: Document, changes: Sequence[Change]) -> list[Edit]:
    """The edits of the text as it is, but for values that are not written as ones that can be changed."""
    places = document.locate([*(change.path for change in changes), (), ("module_count",), ("module_count", KEY)])
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def offset(path: Path, end: bool = False) -> int:
        place = places[path]
        line, column = (place.end_line, place.end_column) if end else (place.line, place.column)
        return starts[line - 1] + column - 1

    edits = (_edit(text, change, offset) for change in changes)
    return [edit for edit in edits if edit is not None]


def _edit(text: str, change: Change, offset: Callable[..., int]) -> Edit | None:
    if change.old is None:
        return _inserted(text, change, offset)
    start = offset(change.path)
    match = change.old.match(text, start)
    return (match.start(2), match.end(2), change.new) if match else None


def _inserted(text: str, change: Change, offset: Callable[..., int]) -> Edit:
    """The key and its value on a line below module_count, or behind it where the contract is written in braces."""
    end = offset(("module_count",), end=True)
    entry = f"{change.path[0]}: {change.new}"
    if text[offset(())] == "{":
        return (end, end, f", {entry}")
    above = text[: offset(("module_count", KEY))]
    indent = above[max(above.rfind("\n"), above.rfind("\r")) + 1 :]
    line_end = _LINE_END.search(text, end)
    at = line_end.start() if line_end else len(text)
    return (at, at, f"{''.join(_LINE_END.findall(text)[:1])}{indent}{entry}")


def _edited(text: str, edits: Sequence[Edit]) -> str:
    parts, last = [], 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        parts += [text[last:start], new]
        last = end
    return "".join((*parts, text[last:]))


def _told(change: Change, document: Document) -> str:
    old = document.data
    for step in change.path:
        old = old.get(step) if isinstance(old, dict) else old[step]
    was = f" (was {shown(old)})" if change.old is not None else " (was missing)"
    return f"{spell(change.path)}: {shown(change.meant)}{was}"
