"""Why a text is no YAML: the slips that people make, each tried out. Read only where a text has been refused.

A parser says where it gave up, which is often lines behind the slip. What makes the text YAML when it is put right is
what was wrong with it.
"""

from collections.abc import Callable, Iterator, Sequence
from re import compile as pattern
from typing import NamedTuple

from yaml.error import MarkedYAMLError

from r0kit.contract import events
from r0kit.contract.wording import full_width, in_ascii

_READ, _READ_SLOWLY = (
    1 << 21,
    1 << 18,
)  # characters that are read in all the texts that are tried, by PyYAML's own parser
_LONGEST = 2_000  # characters of a line that is looked into
_LINES_BACK = 100  # lines above the place, of which one may begin what does not end
_SHOWN = 60  # characters of a line that a hint repeats

_CLOSING = {"[": "]", "{": "}"}
_QUOTED = pattern(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'")
_HEAD = r"^(\s*(?:- +)*)"  # blanks and dashes before a key or a text
_NO_BLANK = pattern(_HEAD + r"([A-Za-z_]\w*):(?=[^\s:])(.*)")
_EQUALS = pattern(_HEAD + r"([A-Za-z_]\w*)\s*=\s*(.*)")
_DASH = pattern(r"^(\s*)-(?=[A-Za-z_\"'{\[])(.*)")
_COMMA = pattern(r"(?<=[\w\"'\]}])\s+(?=[A-Za-z_]\w*:\s|[{\[])")
_UNQUOTED = pattern(_HEAD + r"((?:[A-Za-z_]\w*:\s+)?)(\S.*)")
_ODD_START = pattern(r"(?<=[\[,{ ])[@`%*&!|>][^,\]}]*")
_KEY = pattern(_HEAD + r"([A-Za-z_]\w*):(?:\s|$)")


class Slip(NamedTuple):
    """What may have been wrong: line (from 0) and column (from 0) of it, what to do, and the lines as they were meant."""

    line: int
    column: int
    hint: str
    meant: Sequence[str]


def slip_in(text: str, at: int, begun: int) -> tuple[int, str] | None:
    """Offset of what is wrong with a text that is no YAML, and what to do; None where no slip that is known explains it.

    at: where the parser gave up; begun: where that began which it was reading.
    """
    lines = text.split("\n")
    last = _line_of(text, at)
    slips = _slips(lines, last, _line_of(text, begun))
    most = _READ_SLOWLY if events.FAST is events.PureParser else _READ
    slip = _that_explains(slips, last, most // (len(text) + 1))
    return (sum(len(line) + 1 for line in lines[: slip.line]) + slip.column, slip.hint) if slip else None


def _that_explains(slips: Iterator[Slip], last: int, most: int) -> Slip | None:
    """The first slip without which the text is YAML; else the first without which it is YAML beyond the line `last`."""
    further = None
    for slip, _ in zip(slips, range(most), strict=False):
        wrong = _first_wrong(slip.meant)
        if wrong is None:
            return slip
        further = slip if further is None and wrong > last else further
    return further


def _line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset)


def _first_wrong(lines: Sequence[str]) -> int | None:
    """The line (from 0) at which a parser gives up, None where it does not."""
    try:
        for _ in events.events_of("\n".join(lines)):
            pass
    except MarkedYAMLError as error:
        return error.problem_mark.line if error.problem_mark else 0
    return None


def _slips(lines: list[str], last: int, first: int) -> Iterator[Slip]:
    """What may be wrong in the line in which the parser gave up, in that where it began, and in the one above."""
    above = next((number for number in range(last - 1, -1, -1) if lines[number].strip()), last)
    suspects = [number for number in dict.fromkeys((first, last, above)) if len(lines[number]) <= _LONGEST]
    for find in _IN_A_LINE:
        for number in suspects:
            for column, hint, meant in find(lines[number]):
                yield Slip(number, column, hint, [*lines[:number], meant, *lines[number + 1 :]])
    yield from _open_over_lines(lines, first, above)
    yield from _misplaced(lines, last)
    yield from _open_quotes(lines, last)
    for number in suspects:
        for column, hint, meant in _unquoted(lines[number]):
            yield Slip(number, column, hint, [*lines[:number], meant, *lines[number + 1 :]])


InALine = Iterator[tuple[int, str, str]]  # column, hint, and the line as it was meant


def _full_width_marks(line: str) -> InALine:
    """Marks as an input method for Chinese writes them, outside of what is in quotes."""
    odd = [(column, mark) for column, mark in enumerate(_without_quoted(line)) if full_width(mark)]
    if odd:
        marks = dict(odd)
        meant = "".join(_blank_behind(in_ascii(mark)) if at in marks else mark for at, mark in enumerate(line))
        yield odd[0][0], full_width(odd[0][1]), meant


def _without_quoted(line: str) -> str:
    """The line with something else, of the same length, for what is in quotes."""
    return _QUOTED.sub(lambda match: "_" * len(match[0]), line)


def _blank_behind(mark: str) -> str:
    return f"{mark} " if mark in ":," else mark


def _no_blank_behind_the_dash(line: str) -> InALine:
    if match := _DASH.match(line):
        yield match.end(1), f"write a blank behind the dash: `- {_cut(match[2])}`", f"{match[1]}- {match[2]}"


def _no_blank_behind_the_colon(line: str) -> InALine:
    if match := _NO_BLANK.match(line):
        key, rest = match[2], match[3]
        yield match.start(2), f"write a blank behind the colon: `{key}: {_cut(rest)}`", f"{match[1]}{key}: {rest}"


def _equals_sign(line: str) -> InALine:
    if match := _EQUALS.match(line):
        yield match.start(2), f"write `{match[2]}: {_cut(match[3])}`", f"{match[1]}{match[2]}: {match[3]}"


def _no_comma(line: str) -> InALine:
    for match in _COMMA.finditer(line):
        what = line[match.end() :].split(":")[0]
        yield match.end(), f"write a comma before `{_cut(what)}`", f"{line[: match.start()]}, {line[match.end() :]}"


def _open_bracket(line: str) -> InALine:
    """A bracket that nothing closes, or one of the other kind."""
    plain = _without_quoted(line)
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
        elif mark in "]}":
            yield column, f"remove the {mark} that closes nothing", f"{line[:column]}{line[column + 1 :]}"
    if opened:
        closing = "".join(_CLOSING[plain[column]] for column in reversed(opened))
        yield opened[-1], f"close the bracket that opens here: {closing}", f"{line.rstrip()}{closing}"


def _open_over_lines(lines: list[str], first: int, last: int) -> Iterator[Slip]:
    """A bracket of the line `first` that nothing closes up to the line `last`."""
    text = "\n".join(lines[first : last + 1])
    if first < last and len(text) <= _LONGEST:
        for at, hint, meant in _open_bracket(text):
            line, column = text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1
            yield Slip(first + line, column, hint, [*lines[:first], *meant.split("\n"), *lines[last + 1 :]])


def _unquoted(line: str) -> InALine:
    """A text that must be in quotes: an entry in brackets, or all behind the key or the dash."""
    for odd in _ODD_START.finditer(line):
        meant = f"{line[: odd.start()]}{_in_quotes(odd[0])}{line[odd.end() :]}"
        yield odd.start(), f"put text that begins with {odd[0][0]} in quotes", meant
    match = _UNQUOTED.match(line)
    if match is not None and (match[1].strip() or match[2]):
        reason = "contains ': '" if ": " in match[3] else f"begins with {match[3][0]}"
        yield (
            match.start(3),
            f"put text that {reason} in quotes",
            f"{match[1]}{match[2]}{_in_quotes(match[3].rstrip())}",
        )


def _in_quotes(text: str) -> str:
    return "'{}'".format(text.replace("'", "''"))


_IN_A_LINE: tuple[Callable[[str], InALine], ...] = (
    *(_full_width_marks, _no_blank_behind_the_dash, _no_blank_behind_the_colon, _equals_sign, _no_comma),
    _open_bracket,
)


def _misplaced(lines: list[str], number: int) -> Iterator[Slip]:
    """A line that lacks its dash, or that does not stand below those that it belongs to."""
    match = _KEY.match(lines[number])
    if not match:
        return
    indent = match.end(1)
    dashed = f"{lines[number][:indent]}- {lines[number][indent:]}"
    hint = f"begin the entry with a dash: `- {_cut(lines[number][indent:])}`"
    yield Slip(number, indent, hint, [*lines[:number], dashed, *lines[number + 1 :]])
    for column, like in sorted(_columns_above(lines, number).items(), key=lambda found: abs(found[0] - indent)):
        if column != indent and not match[1].strip():
            moved = f"{' ' * column}{lines[number][indent:]}"
            hint = f"begin it in column {column + 1}, below {like}"
            yield Slip(number, indent, hint, [*lines[:number], moved, *lines[number + 1 :]])


def _columns_above(lines: Sequence[str], number: int) -> dict[int, str]:
    """The columns in which keys stand above a line, the nearest first, each with the words for such a key."""
    columns: dict[int, str] = {}
    for above in range(number - 1, max(-1, number - _LINES_BACK), -1):
        match = _KEY.match(lines[above])
        if match:
            columns.setdefault(match.end(1), f"`{match[2]}` of line {above + 1}")
    return {**columns, 0: columns.get(0, "the keys of the contract")}


def _open_quotes(lines: list[str], last: int) -> Iterator[Slip]:
    """A quote that its line does not close, in the nearest line that has one."""
    for mark in "\"'":
        for number in range(last, max(-1, last - _LINES_BACK), -1):
            line = lines[number]
            if line.count(mark) % 2 and len(line) <= _LONGEST:
                yield from _closed(lines, number, line.rindex(mark), mark)
                break


def _closed(lines: list[str], number: int, opening: int, mark: str) -> Iterator[Slip]:
    """The line with the quote closed: at its end, or before what may stand behind it."""
    line = lines[number].rstrip()
    ends = [column for column in range(opening + 1, len(line)) if line[column] in ",]}" or line[column:][:2] == " #"]
    for end in (len(line), *reversed(ends[:4]), *ends[-4:]):
        meant = f"{line[:end]}{mark}{line[end:]}"
        yield Slip(number, opening, "close the quote that opens here", [*lines[:number], meant, *lines[number + 1 :]])


def _cut(text: str) -> str:
    text = "".join(c if c.isprintable() else "\ufffd" for c in text.strip())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
