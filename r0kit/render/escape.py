"""Text from a contract made safe for the place it goes to: Markdown (tables included), Mermaid labels, plain lines.

Every value of a contract is foreign: a name may hold `|`, backticks, `<script>`, line breaks or our own markers.
"""

import re
import unicodedata
from collections.abc import Callable
from html import escape
from typing import NamedTuple, NewType

Safe = NewType("Safe", str)
"""Text that may stand as it is in a document of the kind it was made for, in a table cell too."""


class Ink(NamedTuple):
    """How a kind of document writes text. code, prose: any value as inline code, or as running text that reads as
    written; pattern: a sentence pattern of r0kit's own, in which `**` stands around what is strong."""

    code: Callable[[object], Safe]
    prose: Callable[[object], Safe]
    pattern: Callable[[str], str]


_STRONG = re.compile(r"\*\*(.*?)\*\*")
_ACTS_IN_HTML = re.compile("[&<>\"']")
_SPACES = re.compile(r"\s+")
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn"}  # controls, direction overrides, lone surrogates, unassigned
_BREAKS_CODE_SPAN = set("`|\\<")
_MARKUP = set("\\`*_[]<>&|~$#")
_STARTS_BLOCK = re.compile(r"(?:\d+[.)]|[-+=])(?= |$)")  # at the start of a list entry these would begin another one


def plain(value: object) -> str:
    """`value` on one line: runs of white space become one space, characters that cannot be seen become U+FFFD."""
    text = _text(value)
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip(" ")
    return _seen(_SPACES.sub(" ", text).strip())


def _seen(line: str) -> str:
    if line.isprintable():
        return line
    return "".join("\ufffd" if unicodedata.category(char) in _HIDDEN else char for char in line)


def code(value: object) -> Safe:
    """`value` as inline code; as `<code>` with character references where a code span would end early."""
    line = plain(value)
    if not line:
        return Safe("")
    if _BREAKS_CODE_SPAN.isdisjoint(line):
        return Safe(f"`{line}`")
    return Safe(f"<code>{_references(line)}</code>")


def prose(value: object) -> Safe:
    """`value` as running text: it reads as written, and none of it acts as Markdown or HTML."""
    line = plain(value)
    if not _MARKUP.isdisjoint(line):
        line = "".join(_shield(line, index) for index in range(len(line)))
    start = _STARTS_BLOCK.match(line)
    return Safe(f"{line[: start.end() - 1]}\\{line[start.end() - 1 :]}" if start else line)


def html_code(value: object) -> Safe:
    """`value` as inline code of an HTML page; its direction cannot reach beyond it."""
    line = plain(value)
    return Safe(f"<code>{_escaped(line)}</code>" if line else "")


def html_prose(value: object) -> Safe:
    """`value` as running text of an HTML or SVG document, in an attribute too."""
    return Safe(_escaped(plain(value)))


def html_source(line: str) -> Safe:
    """A line of source for preformatted text: every blank stays, and what cannot be seen becomes U+FFFD."""
    return Safe(escape(_seen(line)))


def _escaped(line: str) -> str:
    return escape(line) if _ACTS_IN_HTML.search(line) else line


def _html_pattern(pattern: str) -> str:
    """The pattern as HTML. A Module stays with its number, and an arrow with its ends."""
    pattern = pattern.replace(" {id}", "\u00a0{id}").replace(" → ", "\u00a0→\u00a0")
    return _STRONG.sub(r"<strong>\1</strong>", escape(pattern, quote=False))


def mermaid(value: object) -> str:
    """`value` for a quoted Mermaid label, with Mermaid's own `#code;` references for all but words and spaces."""
    return "".join(char if _harmless(char) else f"#{ord(char)};" for char in plain(value))


def _text(value: object) -> str:
    if value.__class__ is str:
        return str(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        nested = any(isinstance(item, (list, tuple, dict)) for item in value)
        return ("; " if nested else ", ").join(_text(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{_text(key)}: {_text(item)}" for key, item in value.items())
    return str(value)


def _references(line: str) -> str:
    return "".join(
        char if char.isalnum() or char in " .,:()=+-/" or ord(char) > 127 else f"&#{ord(char)};" for char in line
    )


def _shield(line: str, index: int) -> str:
    char = line[index]
    if char not in _MARKUP or _inside_word(line, index) or (char == "*" and _between_spaces(line, index)):
        return char
    return f"&#{ord(char)};" if char in "<>&|$~" else f"\\{char}"


def _inside_word(line: str, index: int) -> bool:
    """Whether the character is an underscore that Markdown leaves alone, as in `row_max`."""
    return line[index] == "_" and line[index - 1 : index].isalnum() and line[index + 1 : index + 2].isalnum()


def _between_spaces(line: str, index: int) -> bool:
    return line[index - 1 : index] == " " and line[index + 1 : index + 2] == " "


def _harmless(char: str) -> bool:
    return char.isalnum() or char in " .,:()[]=+/_-" or ord(char) > 127


MARKDOWN = Ink(code, prose, str)
PLAIN = Ink(lambda value: Safe(plain(value)), lambda value: Safe(plain(value)), lambda text: _STRONG.sub(r"\1", text))
HTML = Ink(html_code, html_prose, _html_pattern)
