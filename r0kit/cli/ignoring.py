"""Patterns of an ignore file, as gitignore(5) has them.

Folders are asked about before what is in them, and what is in one that is left out is never asked about; so a pattern says
something about the entry alone that it matches, and the last one that does decides.
"""

from collections.abc import Callable, Sequence
from re import DOTALL, Pattern, escape
from re import compile as pattern
from typing import NamedTuple

from r0kit.source import refusal

_CLASS = pattern(r"\[([!^]?)(\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]", DOTALL)
_ITEM = pattern(r"\[:\w+:\]|\\.|.", DOTALL)
_NAMED = {
    "[:alpha:]": "a-zA-Z",
    "[:digit:]": "0-9",
    "[:alnum:]": "a-zA-Z0-9",
    "[:xdigit:]": "0-9A-Fa-f",
    "[:upper:]": "A-Z",
    "[:lower:]": "a-z",
    "[:space:]": r"\s",
    "[:blank:]": r" \t",
    "[:punct:]": r"!-/:-@\[-`{-~",
}


class Rule(NamedTuple):
    """One pattern: whether it leaves out or takes back what it matches, and whether that must be a folder."""

    leaves_out: bool
    of_folders: bool
    matches: Pattern[str]


def rules_of(lines: Sequence[str], path: str, rule: str) -> list[Rule]:
    """The patterns in `lines`, those of the file `path`. Raises InputError where one is none."""
    rules = []
    for number, line in enumerate(lines, 1):
        text = _without_blanks(line)
        if text and not text.startswith("#"):
            try:
                rules.append(_rule(text))
            except ValueError as error:
                what = f"has no pattern of gitignore in it: {str(error)[:100]}"
                raise refusal(path, rule, what, "see gitignore(5)", number, 1) from None
    return rules


def ignored_by(rules: Sequence[Rule]) -> Callable[[str], bool]:
    """Whether a path, relative to the ignore file and with a slash at the end of a folder's, is left out."""
    backwards = rules[::-1]

    def ignored(path: str) -> bool:
        name = path.rstrip("/")
        is_folder = name != path
        found = (rule for rule in backwards if (is_folder or not rule.of_folders) and rule.matches.fullmatch(name))
        last = next(found, None)
        return last is not None and last.leaves_out

    return ignored


def _without_blanks(line: str) -> str:
    """The line without the blanks at its end; one behind a backslash counts."""
    text = line.rstrip(" ")
    backslashes = len(text) - len(text.rstrip("\\"))
    return text + " " if backslashes % 2 and text != line else text


def _rule(text: str) -> Rule:
    leaves_out = not text.startswith("!")
    text = text.removeprefix("!")
    bare = text.removesuffix("/")
    if not bare:
        raise ValueError("nothing to match")
    return Rule(leaves_out, bare != text, pattern(_expression(bare), DOTALL))


def _expression(text: str) -> str:
    """The pattern as a regular expression on whole paths."""
    if "/" not in text:
        return f"(?:.*/)?{_segment(text)}"
    parts = text.removeprefix("/").split("/")
    last = len(parts) - 1
    said = []
    for index, part in enumerate(parts):
        if len(part) > 1 and set(part) == {"*"}:
            said.append(".+" if index == last else "(?:.+/)?")
        else:
            said.append(_segment(part) + "/" * (index < last))
    return "".join(said)


def _segment(text: str) -> str:
    """A pattern without a slash."""
    said, at = "", 0
    while at < len(text):
        char = text[at]
        if char == "\\":
            if at + 1 == len(text):
                raise ValueError("a backslash at its end")
            said += escape(text[at + 1])
            at += 2
        elif char == "[":
            match = _CLASS.match(text, at)
            if match is None:
                raise ValueError("a bracket that is not closed")
            said += _one_of(match[2], negated=bool(match[1]))
            at = match.end()
        else:
            said += {"*": "[^/]*", "?": "[^/]"}.get(char) or escape(char)
            at += 1
    return said


def _one_of(inside: str, negated: bool) -> str:
    """What stands in brackets, without the brackets."""
    items = _ITEM.findall(inside)
    said, at = "", 0
    while at < len(items):
        first, last = items[at], items[at + 2] if items[at + 1 : at + 2] == ["-"] and at + 2 < len(items) else ""
        if first.startswith("[:") and len(first) > 1:
            said += _NAMED.get(first, "")
        elif last:
            said += _range(first[-1], last[-1])
            at += 2
        else:
            said += escape(first[-1])
        at += 1
    return f"(?!/)[{'^' * negated}{said}]" if said else "(?!/)." if negated else "(?!)"


def _range(first: str, last: str) -> str:
    return f"{escape(first)}-{escape(last)}" if first <= last else ""
