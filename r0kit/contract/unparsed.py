"""Why a text is no YAML: the slips that people make, each tried out. Read only where a text has been refused.

A parser says where it gave up, which is often lines behind the slip. What makes the text YAML when it is put right is
what was wrong with it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from re import MULTILINE
from re import compile as pattern
from typing import NamedTuple

from yaml.error import MarkedYAMLError

from r0kit.contract import events
from r0kit.contract.places import Lines
from r0kit.contract.pure import PureParser
from r0kit.contract.slips import AFTER_ALL, IN_A_LINE, OVER_LINES, InALine, cut
from r0kit.finding import Location

_SAID = 200  # characters of what a parser says, which may repeat the text
_READ = 1 << 21  # characters that are read in all the texts that are tried,
_READ_SLOWLY = 1 << 18  # and by PyYAML's own parser
_LONGEST = 2_000  # characters of a line that is looked into
_LINES_BACK = 100  # lines above the place, of which one may begin what does not end

_KEY = pattern(r"^(\s*(?:- +)*)([A-Za-z_]\w*):(?:\s|$)")
_DASH = pattern(r"^(\s*)- ")
_CONFLICT = pattern(r"^(?:<{7} |={7}$|>{7} )", MULTILINE)
_FIRST_KEYS = ("id", "name", "kind", "value", "axis")  # with which the entries of a list begin
_ENDS = 4  # places in a line at which a quote may end, of the first ones and of the last
_FARTHEST = 3  # columns by which a line is mistaken for one of another depth


class Slip(NamedTuple):
    """What may have been wrong: line (from 0) and offset in it, what to do, and the lines as they were meant."""

    line: int
    column: int
    hint: str
    meant: Sequence[str]


def diagnosis(error: MarkedYAMLError, path: str, text: str) -> tuple[Location, str, str]:
    """Where the text is no YAML, why, and what to do: of a slip that is known, else what the parser says."""
    message = f"not YAML: {str(error.problem)[:_SAID]}"
    at = _given_up(error).index
    begun = error.context_mark.index if error.context_mark else at
    slip = None if text[at : at + 1] == "\t" else slip_in(text, at, begun)
    unfinished = begun if "expected ':'" in message else at  # the line in which the key stands
    place, hint = slip or (unfinished, _hint_for(message, text[at : at + 1]))
    return Lines(path, text).at(place), message, hint


def _given_up(error: MarkedYAMLError) -> events.Mark:
    """Where the parser gave up, which both parsers say of each error."""
    return error.problem_mark


def _hint_for(message: str, sign: str) -> str:
    """The hint for what no slip explains; sign: the character at which the parser gave up."""
    if sign == "\t":
        return "indent with spaces; YAML does not allow tabs there"
    if "nesting" in message:
        return "a Module contract is flat"
    if "mapping values are not allowed" in message:
        return 'put text that contains ": " in quotes, and check the indentation'
    return "check the indentation and the quotes here and in the line above"


def slip_in(text: str, at: int, begun: int) -> tuple[int, str] | None:
    """Offset of what is wrong with a text that is no YAML, and what to do; None where no slip that is known explains it.

    at: where the parser gave up; begun: where that began which it was reading.
    """
    conflict = _CONFLICT.search(text)
    if conflict:
        return conflict.start(), "resolve the merge conflict that begins here"
    lines = text.split("\n")
    last = _line_of(text, at)
    slips = _slips(lines, last, _line_of(text, begun))
    most = _READ_SLOWLY if events.FAST is PureParser else _READ
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
        line: int = _given_up(error).line
        return line
    return None


def _slips(lines: list[str], last: int, first: int) -> Iterator[Slip]:
    """What may be wrong in the line in which the parser gave up, in that where it began, and in the one above."""
    above = next((number for number in reversed(range(last)) if lines[number].strip()), last)
    suspects = [number for number in dict.fromkeys((first, last, above)) if len(lines[number]) <= _LONGEST]
    for find in IN_A_LINE:
        yield from _in_lines(lines, suspects, find)
    for number in (last, above):
        yield from _open_over_lines(lines, first, number)
    for number in (last, above):
        yield from _misplaced_dash(lines, number)
    yield from _misplaced(lines, last)
    yield from _open_quotes(lines, last)
    for find in AFTER_ALL:
        yield from _in_lines(lines, suspects, find)


def _slip(lines: list[str], first: int, last: int, column: int, hint: str, meant: str) -> Slip:
    """A slip in the lines from `first` to `last`, for which something else was meant; column: from the start of `first`."""
    return Slip(first, column, hint, [*lines[:first], meant, *lines[last + 1 :]])


def _in_lines(lines: list[str], numbers: Sequence[int], find: Callable[[str], InALine]) -> Iterator[Slip]:
    for number in numbers:
        yield from (_slip(lines, number, number, *found) for found in find(lines[number]))


def _open_over_lines(lines: list[str], first: int, last: int) -> Iterator[Slip]:
    """A bracket of the line `first` that nothing closes up to the line `last`, or something else closes."""
    text = "\n".join(lines[first : last + 1])
    if len(text) <= _LONGEST:
        yield from (_slip(lines, first, last, *found) for found in OVER_LINES(text))


def _misplaced(lines: list[str], number: int) -> Iterator[Slip]:
    """A line with a key that lacks its dash, or that does not stand below those that it belongs to."""
    match = _KEY.match(lines[number])
    if not match or match[1].strip():
        return
    dashed = f"{match[1]}- {lines[number].strip()}"
    hint = f"begin the entry with a dash: `- {cut(lines[number])}`"
    missing = _slip(lines, number, number, match.end(1), hint, dashed)
    moved = _moved(lines, number, match.end(1), _columns_above(lines, number))
    yield from (missing, *moved) if match[2] in _FIRST_KEYS else (*moved, missing)


def _misplaced_dash(lines: list[str], number: int) -> Iterator[Slip]:
    """An entry of a list whose dash does not stand below the others."""
    match = _DASH.match(lines[number])
    if match:
        yield from _moved(lines, number, match.end(1), _dashes_above(lines, number))


def _moved(lines: list[str], number: int, indent: int, columns: Mapping[int, str]) -> Iterator[Slip]:
    """A line of this indentation in each of the columns, the nearest first."""
    for column, like in sorted(columns.items(), key=lambda found: abs(found[0] - indent)):
        if abs(column - indent) <= _FARTHEST:
            hint = f"begin it in column {column + 1}, below {like}"
            yield _slip(lines, number, number, indent, hint, f"{' ' * column}{lines[number].strip()}")


def _above(number: int) -> Iterator[int]:
    """The lines above, of which one may explain what is wrong, the nearest first."""
    return reversed(range(max(0, number - _LINES_BACK), number))


def _dashes_above(lines: Sequence[str], number: int) -> dict[int, str]:
    """The columns in which dashes stand above a line, each with the words for one."""
    columns: dict[int, str] = {}
    for above in _above(number):
        match = _DASH.match(lines[above])
        if match:
            columns.setdefault(match.end(1), f"the dash of line {above + 1}")
    return columns


def _columns_above(lines: Sequence[str], number: int) -> dict[int, str]:
    """The columns in which keys stand above a line, the nearest first, each with the words for such a key."""
    columns: dict[int, str] = {}
    for above in _above(number):
        match = _KEY.match(lines[above])
        if match:
            columns.setdefault(match.end(1), f"`{match[2]}` of line {above + 1}")
    return {**columns, 0: columns.get(0, "the keys of the contract")}


def _open_quotes(lines: list[str], last: int) -> Iterator[Slip]:
    """A quote that its line does not close, in the nearest line that has one."""
    for mark in "\"'":
        odd = (number for number in (last, *_above(last)) if lines[number].count(mark) % 2)
        number = next((number for number in odd if len(lines[number]) <= _LONGEST), None)
        if number is not None:
            yield from _closed(lines, number, lines[number].rindex(mark), mark)


def _closed(lines: list[str], number: int, opening: int, mark: str) -> Iterator[Slip]:
    """The line with the quote closed: at its end, or before what may stand behind it."""
    line = lines[number]
    ends = [column for column in range(opening + 1, len(line)) if line[column] in ",]}"]
    for end in (len(line), *ends[:_ENDS], *ends[-_ENDS:]):
        meant = f"{line[:end]}{mark}{line[end:]}"
        yield _slip(lines, number, number, opening, "close the quote that opens here", meant)
