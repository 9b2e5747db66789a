"""Plain data -> YAML as people write it: short records on one line, long ones opened, comments behind or above.

PyYAML's own emitter decides per document between one-line and open collections and knows no comments, so the layout is
done here; what is read back is held equal to what was written by a property test.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from r0kit.contract.path import Path

WIDTH = 120  # columns of a line, where its values can be divided at all

# Words that some YAML reader takes for a truth value or for nothing; `y` and `n` are names here, as for PyYAML.
_WORDS = frozenset(("null", "true", "false", "yes", "no", "on", "off"))
# Characters that mean something inside a plain scalar; and `=`, so that the lines of mathematics look alike.
_MARKS = frozenset(":#,[]{}&!|>'\"%@`\\?=")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_LONGEST_KEY = 1000  # characters as written; YAML looks no further than 1024 for the colon


def scalar(value: Any) -> str:
    """A number, truth value, None or text, so that any YAML reader gets the same value of the same type."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return _float(value)
    return _text(str.__str__(value))


def one_line(value: Any) -> str:
    """Any value on a single line: `{name: x, shape: "[M, N]"}`."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(_entry(key, entry) for key, entry in value.items())}}}"
    if _is_list(value):
        return f"[{', '.join(map(one_line, value))}]"
    return scalar(value)


@dataclass(frozen=True, slots=True)
class Layout:
    """Opens collections where one line is too short for them, where a comment stands inside, or where asked to.

    comments: text by the path of the value that it is about. It stands behind the value where it is one line and there is
    room, else above.
    """

    comments: Mapping[Path, str] = field(default_factory=dict)

    def pair(self, key: Any, value: Any, at: Path, indent: int, order: Sequence[str] = (), opened: bool = False) -> str:
        """`key: value` with its comment, line ends included. order: of the keys of `value`, or of its records."""
        pad, written = " " * indent, scalar(key)
        line = f"{pad}{written}: {one_line(_sorted(value, order))}"
        if len(written) > _LONGEST_KEY:
            return f"{self._comment(at, indent)}{pad}? {written}\n{pad}: {one_line(value)}\n"
        if _is_open(value) and (opened or not self._fits(line, at)):
            return self._commented(f"{pad}{written}:", at, indent) + self.block(value, at, indent + 2, order)
        return self._commented(line, at, indent)

    def block(self, value: Any, at: Path, indent: int, order: Sequence[str] = ()) -> str:
        """The entries of a mapping or list, one below the other."""
        if isinstance(value, Mapping):
            entries = _sorted(value, order).items()
            return "".join(self.pair(key, entry, (*at, key), indent) for key, entry in entries)
        return "".join(self._item(entry, (*at, index), indent, order) for index, entry in enumerate(value))

    def _item(self, value: Any, at: Path, indent: int, order: Sequence[str]) -> str:
        """An entry of a list, "- " before it. Records with an order of keys are always opened."""
        line = f"{' ' * indent}- {one_line(value)}"
        if not _is_open(value) or (self._fits(line, at) and not order):
            return self._commented(line, at, indent)
        return self._comment(at, indent) + _with_dash(self.block(value, at, indent + 2, order), indent)

    def _fits(self, line: str, at: Path) -> bool:
        """Whether it is short enough, and no comment is about a part of it."""
        return len(line) <= WIDTH and not any(len(path) > len(at) and path[: len(at)] == at for path in self.comments)

    def _commented(self, line: str, at: Path, indent: int) -> str:
        """The line with the comment about `at` behind it, or above where it is long."""
        comment = self._said(at)
        if comment and ("\n" in comment or len(line) + len(comment) + 4 > WIDTH):
            return f"{self._comment(at, indent)}{line}\n"
        return f"{line}  # {comment}\n" if comment else f"{line}\n"

    def _said(self, at: Path) -> str:
        """The comment about `at`, with a mark for the characters that cannot stand in YAML."""
        comment = self.comments.get(at, "")
        return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in comment)

    def _comment(self, at: Path, indent: int) -> str:
        """The comment about `at` on lines of its own."""
        lines = self._said(at).split("\n") if at in self.comments else []
        return "".join(f"{' ' * indent}# {line}\n" for line in lines)


def _with_dash(body: str, indent: int) -> str:
    """The block with "- " before its first line that is no comment; the lines stand two columns deeper already."""
    lines = body.split("\n")
    first = next(index for index, line in enumerate(lines) if not line.lstrip().startswith("#"))
    lines[first] = f"{' ' * indent}- {lines[first][indent + 2 :]}"
    return "\n".join(lines)


def _entry(key: Any, value: Any) -> str:
    written = scalar(key)
    mark = "? " if len(written) > _LONGEST_KEY else ""
    return f"{mark}{written}{' ' if mark else ''}: {one_line(value)}"


def _sorted(value: Any, order: Iterable[str]) -> Any:
    """A mapping with the keys of `order` first; anything else as it is."""
    if not isinstance(value, Mapping) or not order:
        return value
    first = [key for key in order if key in value]
    return {key: value[key] for key in [*first, *(key for key in value if key not in first)]}


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_open(value: Any) -> bool:
    """Whether it is a collection with entries, which can be opened."""
    return bool(value) and (isinstance(value, Mapping) or _is_list(value))


def _float(value: float) -> str:
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    written = repr(float(value))
    # YAML 1.1 takes `1e-05` for text; the exponent needs a point before it.
    return written if "." in written else written.replace("e", ".0e")


def _text(value: str) -> str:
    first = value[:1]
    plain = (first.isalpha() or first == "_") and value.isprintable() and value[-1] != " "
    if plain and value.lower() not in _WORDS and not _MARKS & set(value):
        return value
    return f'"{"".join(map(_escaped, value))}"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    code = ord(character)
    if character.isprintable():
        return character
    if 0xD800 <= code < 0xE000:  # half of a surrogate pair is no character, and no YAML can hold it
        return "\ufffd"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
