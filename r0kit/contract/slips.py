"""Slips in one line of YAML: what people write, and what they mean by it. Each is tried out by `r0kit.contract.unparsed`."""

from collections.abc import Callable, Iterator
from re import Match, Pattern
from re import compile as pattern
from typing import NamedTuple

from r0kit.contract.likeness import full_width, in_ascii
from r0kit.contract.structure import CONTRACT, INPUT, MODULE, TENSOR, VERIFICATION

_KNOWN = "|".join(set().union(*(record.fields for record in (CONTRACT, MODULE, INPUT, TENSOR, VERIFICATION))))

_SHOWN = 60  # characters of a line that a hint repeats
_CLOSING = {"[": "]", "{": "}"}
_QUOTED = pattern(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|(?<!\S)#.*")  # or a comment
_ODD_START = pattern(r"(?<=[\[,{ ])[@`%*&!|>][^,\]}]*")
_HEAD = r"^(\s*(?:- +)*)"  # blanks and dashes before a key or a text
_WORD = r"[A-Za-z_]\w*"
_KEY = f"({_WORD})"
_UNQUOTED = pattern(rf"{_HEAD}((?:{_WORD}:\s+)?)(\S.*)")

InALine = Iterator[tuple[int, str, str]]  # column (from 0) of a slip, what to do, and the line as it was meant


class Row(NamedTuple):
    """A slip that a pattern finds: the group of it that is marked, what was meant, and what to do."""

    found: Pattern[str]
    marked: int
    meant: Callable[[Match[str]], str]
    hint: Callable[[Match[str]], str]

    def slips_in(self, line: str) -> InALine:
        """Each slip of this kind; a line is changed only where it is found."""
        for match in self.found.finditer(line):
            meant = f"{line[: match.start()]}{self.meant(match)}{line[match.end() :]}"
            yield match.start(self.marked), self.hint(match), meant


def _full_width_marks(line: str) -> InALine:
    """Marks as an input method for Chinese writes them, outside of what is in quotes."""
    odd = [(column, mark) for column, mark in enumerate(without_quoted(line)) if full_width(mark)]
    if odd:
        marks = dict(odd)
        meant = "".join(f"{in_ascii(mark)} " if at in marks else mark for at, mark in enumerate(line))
        yield odd[0][0], full_width(odd[0][1]), meant


def _odd_blanks(line: str) -> InALine:
    """Blanks that are none for YAML, which no editor shows."""
    odd = [(column, mark) for column, mark in enumerate(line) if mark.isspace() and not mark.isascii()]
    for width in (1, 2) if odd else ():
        hint = f"U+{ord(odd[0][1]):04X} stands there, which is no blank for YAML: write blanks"
        yield odd[0][0], hint, "".join(" " * width if (at, mark) in odd else mark for at, mark in enumerate(line))


def _open_bracket(line: str) -> InALine:
    """A bracket that nothing closes, or one of the other kind."""
    plain = without_quoted(line)
    opened: list[int] = []
    for column, mark in enumerate(plain):
        if mark in _CLOSING:
            opened.append(column)
        elif opened and mark == _CLOSING[plain[opened[-1]]]:
            opened.pop()
        elif opened and mark in ")]}":
            right = _CLOSING[plain[opened[-1]]]
            yield column, f"write {right} before {mark}", f"{line[:column]}{right}{line[column:]}"
            yield column, f"write {right}", f"{line[:column]}{right}{line[column + 1 :]}"
            yield _closes_nothing(line, column)
        elif mark in "]}":
            yield _closes_nothing(line, column)
    if opened:
        closing, end = "".join(_CLOSING[plain[column]] for column in reversed(opened)), len(plain.rstrip())
        yield opened[-1], f"close the bracket that opens here: {closing}", f"{line[:end]}{closing}{line[end:]}"


def _closes_nothing(line: str, column: int) -> tuple[int, str, str]:
    return column, f"remove the {line[column]} that closes nothing", f"{line[:column]}{line[column + 1 :]}"


def _split(match: Match[str]) -> str:
    return f"{match[1]}{match[2]}\n{' ' * len(match[1])}{match[3]}"


_BULLET = Row(
    pattern(r"^(\s*)([*•·–—])\s+(?=\S)"),
    2,
    lambda match: f"{match[1]}- ",
    lambda match: "begin the entry with a dash: -",
)

_ROWS = (
    Row(
        pattern(r"^(\s*)(-)(?=[A-Za-z_\"'{\[])(.*)"),
        2,
        lambda match: f"{match[1]}- {match[3]}",
        lambda match: f"write a blank behind the dash: `- {cut(match[3])}`",
    ),
    Row(
        pattern(rf"{_HEAD}{_KEY}:(?=[^\s:])(.*)"),
        2,
        lambda match: f"{match[1]}{match[2]}: {match[3]}",
        lambda match: f"write a blank behind the colon: `{match[2]}: {cut(match[3])}`",
    ),
    Row(
        pattern(rf"{_HEAD}{_KEY}\s*=\s*(.*)"),
        2,
        lambda match: f"{match[1]}{match[2]}: {match[3]}",
        lambda match: f"write `{match[2]}: {cut(match[3])}`",
    ),
    Row(
        pattern(rf"{_HEAD}({_KNOWN})(?:\s+([^\s:].*)|\s*)$"),
        2,
        lambda match: f"{match[1]}{match[2]}: {match[3] or ''}",
        lambda match: f"write a colon behind the key: `{match[2]}:{' ' * bool(match[3])}{cut(match[3] or '')}`",
    ),
    Row(pattern(r"(?<=\S)(,)\s*$"), 1, lambda match: "", lambda match: "remove the comma at the end of the line"),
    Row(
        pattern(rf"{_HEAD}({_WORD}:\s+[^\s\[{{\"'].*?)(?<=\S)(?:,\s+|\s+)((?:{_KNOWN}):\s.*)"),
        3,
        _split,
        lambda match: f"begin `{match[3].partition(':')[0]}` on a line of its own",
    ),
    Row(
        pattern(r"(?<=[\w\"'\]}])\s+(?=([A-Za-z_]\w*:\s|[{\[]))"),
        1,
        lambda match: ", ",
        lambda match: f"write a comma before `{match[1].partition(':')[0]}`",
    ),
    Row(pattern(r"(\")([\]})]+)"), 1, lambda match: f'{match[2]}"', lambda match: f'write {match[2]}" for "{match[2]}'),
)

IN_A_LINE: tuple[Callable[[str], InALine], ...] = (
    *(_odd_blanks, _BULLET.slips_in, _full_width_marks),
    *(row.slips_in for row in _ROWS),
    _open_bracket,
)

# What else may be wrong with a line, where it is not in the wrong place either.
_LAST_ROWS = (
    Row(
        pattern(r"^(\s*-) +([^:#]+)$"),
        2,
        lambda match: match[1],
        lambda match: "write it as `key: value`, as what follows is",
    ),
    Row(
        pattern(rf"{_HEAD}({_WORD}:)\s+(\S.*)"),
        3,
        lambda match: f"{match[1]}{match[2]}",
        lambda match: f"remove it: what `{match[2]}` stands for follows in the next line",
    ),
)


def _unquoted(line: str) -> InALine:
    """A text that must be in quotes: an entry in brackets, or all behind the key or the dash."""
    for odd in _ODD_START.finditer(line):
        meant = f"{line[: odd.start()]}{_in_quotes(odd[0])}{line[odd.end() :]}"
        yield odd.start(), f"put text that begins with {odd[0][0]} in quotes", meant
    match = _UNQUOTED.match(line)
    if match is not None and (match[1].strip() or match[2]):
        text = match[3]
        reason = "contains ': '" if ": " in text else f"begins with {text[0]}"
        yield match.start(3), f"put text that {reason} in quotes", f"{match[1]}{match[2]}{_in_quotes(text)}"


def _in_quotes(text: str) -> str:
    return "'{}'".format(text.replace("'", "''"))


AFTER_ALL: tuple[Callable[[str], InALine], ...] = (_unquoted, *(row.slips_in for row in _LAST_ROWS))

OVER_LINES = _open_bracket


def without_quoted(line: str) -> str:
    """The line with something else, of the same length, for what is in quotes, and blanks for a comment."""
    return _QUOTED.sub(lambda match: (" " if match[0][0] == "#" else "_") * len(match[0]), line)


def cut(text: str) -> str:
    """A part of a line as it can stand in a hint."""
    text = "".join(c if c.isprintable() else "\ufffd" for c in text.strip())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
