"""YAML text -> Document: plain data at once, and the places of its values when somebody asks for them.

The data is what `yaml.safe_load` builds of the plain scalars of YAML 1.1, except that dates stay text. It is built from
the parser's events, without a tree in between, because most files are correct and need no places. `r0kit.contract.places`
reads the events again for those that are not.

Hostile input ends in a finding: nesting, the number of values, what aliases expand to, and digits are bounded, no tag
but those of plain data is accepted, and nothing recurses.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple, NoReturn

from yaml.error import MarkedYAMLError
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from yaml.reader import Reader

from r0kit.contract.events import Event, Mark, events_of
from r0kit.contract.path import Path
from r0kit.contract.scalars import MERGE, NOT_TEXT, SCALAR_TAGS, TAG, PlainScalars, tagged
from r0kit.contract.wording import shown
from r0kit.finding import Finding, InputError, Location, Severity
from r0kit.source import read_text

RULE = "rule0"  # what a text violates that is not one YAML mapping

MAX_DEPTH = 100
MAX_EVENTS = 4_000_000  # a Module has about forty
MAX_TOLD = 10_000  # keys of one kind of mistake
MAX_ALIASED = 100_000  # values that aliases may add to those written out

_COLLECTION_TAGS = {MappingStartEvent: TAG + "map", SequenceStartEvent: TAG + "seq"}

_MISSING, _UNFINISHED = object(), object()  # anchors that do not exist, and whose value has not ended yet
_NO_KEY = "a key of this mapping is a list or a mapping"
_QUOTE = "put text that begins with [ or { in quotes"


class Document(NamedTuple):
    """One YAML document. `data` is plain: None, bool, int, float, str, list, dict.

    duplicates: paths of the keys that occur twice in their mapping (`data` has the last value).
    odd_keys: paths of the keys that are not text.
    """

    path: str
    text: str
    data: Any
    duplicates: tuple[Path, ...] = ()
    odd_keys: tuple[Path, ...] = ()

    def locate(self, paths: Iterable[Path]) -> dict[Path, Location]:
        """The place of each path, that of the nearest parent for what is not in the text. One pass for all of them."""
        from r0kit.contract.places import locate  # most contracts are right and need no places

        return locate(self.path, self.text, paths)


def read(path: str) -> Document:
    """The document in the file `path`. Raises InputError where there is no such text or it is not one YAML document."""
    return parse(read_text(path, RULE), path)


def parse(text: str, path: str) -> Document:
    """The document that `text` is; `path` is what findings call it. Raises InputError where it is not one."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    unreadable = Reader.NON_PRINTABLE.search(text)
    at = unreadable.start() if unreadable else text.find("\ufeff")
    if at >= 0:
        message = f"the character {text[at]!a} cannot stand in YAML"
        _refuse(_place(path, text, at), message, "remove it, or escape it in double quotes")
    builder = _Builder()
    try:
        data = builder.build(events_of(text))
    except _Refusal as refusal:
        _refuse(_place(path, text, refusal.at), refusal.message, refusal.hint)
    except MarkedYAMLError as error:
        from r0kit.contract.unparsed import diagnosis  # most texts are YAML

        _refuse(*diagnosis(error, path, text))
    return Document(path, text, data, tuple(builder.duplicates), tuple(builder.odd_keys))


def _refuse(place: Location, message: str, hint: str) -> NoReturn:
    raise InputError([Finding(RULE, Severity.ERROR, message, place, hint)])


def _place(path: str, text: str, offset: int) -> Location:
    from r0kit.contract.places import Lines  # most texts are read to their end

    return Lines(path, text).at(offset)


class _Refusal(Exception):
    """Why the text is no document: the offset `at` in it, what is wrong, and what to do."""

    def __init__(self, mark: Mark, message: str, hint: str) -> None:
        self.at, self.message, self.hint = mark.index, message, hint


class _Open(NamedTuple):
    """A collection whose end has not been read: the event that began it, and the children that its parent has so far."""

    event: Event
    siblings: list[Any]


class _Builder:
    """Data from events. Children of a mapping are collected flat, keys and values in turn, which `dict` pairs at once."""

    def __init__(self) -> None:
        self.duplicates: list[Path] = []
        self.odd_keys: list[Path] = []
        self._open: list[_Open] = []
        self._plain = PlainScalars()
        self._anchors: dict[str, Any] = {}
        self._aliased = 0
        self._documents = 0

    def build(self, events: Iterator[Event]) -> Any:
        """The value of the only document, None for an empty text. Each turn costs what a large contract may take."""
        children: list[Any] = []
        plain = self._plain
        event: Event = None
        for event in islice(events, MAX_EVENTS):
            kind = event.__class__
            if kind is ScalarEvent:
                value = event.value
                if event.tag is not None or event.anchor is not None:
                    value = self._marked_scalar(event)
                elif event.implicit[0] and value[:1] in NOT_TEXT:
                    value = plain[value] if value in plain else self._scalar(event, value)
                children.append(value)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self._begin(event, children)
                children = []
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                children = self._end(children)
            else:
                self._other(event, children)
        if event.__class__ is not StreamEndEvent:
            raise _Refusal(
                event.start_mark, f"more than {MAX_EVENTS} values and brackets", "this is not a Module contract"
            )
        return children[0] if children else None

    def _begin(self, event: Event, siblings: list[Any]) -> None:
        if len(self._open) == MAX_DEPTH:
            raise _Refusal(event.start_mark, f"nested more than {MAX_DEPTH} deep", "a Module contract is flat")
        if len(siblings) % 2 == 0 and self._open and self._open[-1].event.__class__ is MappingStartEvent:
            raise _Refusal(event.start_mark, _NO_KEY, _QUOTE)
        self._open.append(_Open(event, siblings))
        if event.tag not in (None, "!", _COLLECTION_TAGS[event.__class__]):
            raise _unknown_tag(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = _UNFINISHED

    def _end(self, children: list[Any]) -> list[Any]:
        """Close the innermost collection, whose children these are; returns those of its parent."""
        event, siblings = self._open[-1]
        value = self._mapping(children) if event.__class__ is MappingStartEvent else children
        self._open.pop()
        if event.anchor is not None:
            self._anchors[event.anchor] = value
        siblings.append(value)
        return siblings

    def _other(self, event: Event, children: list[Any]) -> None:
        if event.__class__ is AliasEvent:
            children.append(self._alias(event))
        elif event.__class__ is DocumentStartEvent:
            self._documents += 1
            if self._documents > 1:
                raise _Refusal(event.start_mark, "a second YAML document begins here", "keep one contract in a file")
            if event.version not in (None, (1, 1), (1, 2)):
                raise _Refusal(event.start_mark, "a YAML version other than 1.1 and 1.2", "remove the %YAML line")

    def _marked_scalar(self, event: Event) -> Any:
        """The value of a scalar with a tag, an anchor, or both."""
        value = event.value
        if event.tag is None:
            value = self._scalar(event, value) if event.implicit[0] else value
        elif event.tag in SCALAR_TAGS:
            value = self._scalar(event, value, event.tag)
        elif event.tag != "!":  # which says that it is text
            raise _unknown_tag(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = value
        return value

    def _scalar(self, event: Event, text: str, tag: str | None = None) -> Any:
        try:
            return self._plain[text] if tag is None else tagged(tag, text)
        except ValueError as error:
            raise _Refusal(event.start_mark, str(error), "put it in quotes where it is meant as text") from None

    def _alias(self, event: Event) -> Any:
        """The value that the alias stands for, the same object each time; what it adds to the tree is bounded."""
        value, name = self._anchors.get(event.anchor, _MISSING), shown(event.anchor)
        if value is _MISSING:
            raise _Refusal(event.start_mark, f"no anchor {name} stands before its alias", "write the value out")
        if value is _UNFINISHED:
            raise _Refusal(event.start_mark, f"the alias {name} stands inside its own value", "write the value out")
        self._aliased += _size(value)
        if self._aliased > MAX_ALIASED:
            raise _Refusal(event.start_mark, f"aliases expand to more than {MAX_ALIASED} values", "write them out")
        return value

    def _mapping(self, children: list[Any]) -> dict[Any, Any]:
        keys = children[::2]
        try:
            mapping = dict(zip(keys, children[1::2], strict=True))
        except TypeError:
            raise _Refusal(self._open[-1].event.start_mark, _NO_KEY, _QUOTE) from None
        if len(mapping) != len(keys):
            self._note(self.duplicates, (key for key, times in Counter(keys).items() if times > 1))
        try:
            "".join(mapping)  # the fastest way to ask whether all keys are text
        except TypeError:
            self._note(self.odd_keys, (key for key in mapping if not isinstance(key, str)))
        if "<<" in mapping and any(key is MERGE for key in keys):
            return self._merged(mapping)
        return mapping

    def _merged(self, mapping: dict[Any, Any]) -> dict[Any, Any]:
        """`mapping` with the entries that `<<` stands for; its own win, then those of the first mapping named."""
        named = mapping.pop("<<")
        merged: dict[Any, Any] = {}
        for source in reversed(named if isinstance(named, list) else [named]):
            if not isinstance(source, dict):
                raise _Refusal(self._open[-1].event.start_mark, "<< takes a mapping, or a list of them", "write it out")
            merged.update(source)
        return merged | mapping

    def _note(self, paths: list[Path], keys: Iterable[Any]) -> None:
        """Add the paths of `keys` of the innermost collection, as long as there are not too many to be told."""
        above = tuple(map(_step, self._open, self._open[1:]))
        paths += ((*above, key) for key in islice(keys, MAX_TOLD - len(paths)))


def _step(parent: _Open, child: _Open) -> Any:
    """The key or index at which `child` stands in `parent`. No key is a collection."""
    return child.siblings[-1] if parent.event.__class__ is MappingStartEvent else len(child.siblings)


def _unknown_tag(event: Event) -> _Refusal:
    tag = event.tag.replace(TAG, "!!")
    return _Refusal(
        event.start_mark, f"the tag {shown(tag)} is not that of plain data", "remove it; put text in quotes"
    )


def _size(value: Any) -> int:
    """How many values `value` consists of, expanded: as many as are written, and what aliases have added so far."""
    size, pending = 0, [value]
    while pending:
        size += 1
        part = pending.pop()
        if isinstance(part, dict):
            pending += part.values()
        elif isinstance(part, list):
            pending += part
    return size
