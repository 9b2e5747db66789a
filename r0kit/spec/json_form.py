"""JSON with the line and column of every value. `json` gives none, so only its strings are used."""

from __future__ import annotations

import re
from bisect import bisect_right
from json import JSONDecodeError, JSONDecoder
from math import isfinite
from typing import Any, NoReturn

from r0kit.spec.model import Place
from r0kit.spec.node import DEEPEST, Node, unreadable

RULE = "spec.json"
_LONGEST_NUMBER = 300  # characters

_STRINGS = JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[^\s,:{}\[\]\"]{1,20}")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}
_NOT_FINITE = {"NaN", "Infinity", "-Infinity"}


def parse_json(text: str, path: str, first: Place) -> Node:
    """The one JSON value of `text`, which begins at `first` in the file `path`. InputError names what is malformed."""
    return _Parser(text, path, first).document()


class _Parser:
    def __init__(self, text: str, path: str, first: Place) -> None:
        self.text, self.path, self.first = text, path, first
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def document(self) -> Node:
        node, end = self.value(self.skip(0), 0)
        end = self.skip(end)
        if end < len(self.text):
            self.fail(
                end, f"after the end of the JSON value stands {self.shown(end)}", "keep one JSON object in the block"
            )
        return node

    def value(self, at: int, depth: int) -> tuple[Node, int]:
        if depth > DEEPEST:
            self.fail(at, f"is nested more than {DEEPEST} levels deep", "a machine contract needs six levels")
        opening = self.text[at : at + 1]
        if opening == "{":
            return self.mapping(at, depth)
        if opening == "[":
            return self.sequence(at, depth)
        if opening == '"':
            content, end = self.string(at)
            return Node(content, self.place(at), content), end
        return self.scalar(at)

    def mapping(self, at: int, depth: int) -> tuple[Node, int]:
        entries: dict[str, Node] = {}
        repeated: list[tuple[str, Place]] = []
        end = self.skip(at + 1)
        while not self.closed(end, "}", at):
            if self.text[end] != '"':
                self.fail(end, f"a key in double quotes is missing before {self.shown(end)}", 'write "key": value')
            key, after = self.string(end)
            if key in entries:
                repeated.append((key, self.place(end)))
            entry, end = self.value(self.skip(self.expect(":", self.skip(after))), depth + 1)
            entries.setdefault(key, entry)
            end = self.comma(self.skip(end), "}", at)
        return Node(entries, self.place(at), repeated=tuple(repeated)), end + 1

    def sequence(self, at: int, depth: int) -> tuple[Node, int]:
        entries: list[Node] = []
        end = self.skip(at + 1)
        while not self.closed(end, "]", at):
            entry, end = self.value(end, depth + 1)
            entries.append(entry)
            end = self.comma(self.skip(end), "]", at)
        return Node(entries, self.place(at)), end + 1

    def closed(self, at: int, bracket: str, opened: int) -> bool:
        if at >= len(self.text):
            self.fail(opened, f"a {bracket!r} is missing: what opens here is never closed", f"add {bracket}")
        return self.text[at] == bracket

    def comma(self, at: int, bracket: str, opened: int) -> int:
        """Position of the next entry after the comma at `at`, or of the closing bracket."""
        if self.closed(at, bracket, opened):
            return at
        after = self.skip(self.expect(",", at))
        if self.text[after : after + 1] == bracket:
            self.fail(after, f"a comma stands before {bracket!r}", "JSON allows no comma after the last entry")
        return after

    def string(self, at: int) -> tuple[str, int]:
        try:
            content, end = _STRINGS.raw_decode(self.text, at)
        except JSONDecodeError as error:
            what = f"a string is malformed: {error.msg.lower().removesuffix(' at').removesuffix(' starting')}"
            self.fail(min(error.pos, len(self.text)), what, 'close it with " and escape \\ and line ends')
        return str(content), end

    def scalar(self, at: int) -> tuple[Node, int]:
        number = _NUMBER.match(self.text, at)
        if number and not _WORD.match(self.text, number.end()):
            return self.number(at, number), number.end()
        word = _WORD.match(self.text, at)
        written = word.group() if word else ""
        if written in _NOT_FINITE:
            self.fail(at, f"{written} is no number in JSON", "write a finite number")
        if written not in _WORDS:
            allowed = "a value is a number, true, false, null, a string, [...] or {...}"
            self.fail(at, f"a value is missing before {self.shown(at)}", allowed)
        return Node(_WORDS[written], self.place(at), written), at + len(written)

    def number(self, at: int, match: re.Match[str]) -> Node:
        written = match.group()
        if len(written) > _LONGEST_NUMBER:
            self.fail(at, f"a number of {len(written)} characters", "write a number of usual size")
        whole = match.group(1) is None and match.group(2) is None
        value: int | float = int(written) if whole else float(written)
        if not whole and not isfinite(value):
            self.fail(at, f"the number {written} is too large", "write a number that fits a double")
        return Node(value, self.place(at), written)

    def expect(self, mark: str, at: int) -> int:
        if self.text[at : at + 1] != mark:
            self.fail(
                at, f"a {mark!r} is missing before {self.shown(at)}", "see the line above for an unfinished entry"
            )
        return at + 1

    def skip(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def shown(self, at: int) -> str:
        word = _WORD.match(self.text, at)
        return repr(word.group() if word else self.text[at]) if at < len(self.text) else "the end of the block"

    def place(self, at: int) -> Place:
        row = bisect_right(self.starts, at) - 1
        column = at - self.starts[row] + (self.first.column if row == 0 else 1)
        return Place(self.first.line + row, column)

    def fail(self, at: int, what: str, hint: str) -> NoReturn:
        place = self.place(at)
        message = f"the machine contract is not JSON: at line {place.line}, column {place.column}, {what}"
        raise unreadable(self.path, RULE, message, place, hint)
