"""Source of a golden -> syntax tree, or the finding that says why there is none. Nothing is run."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize

from r0kit.finding import Finding, InputError, Location, Severity
from r0kit.source import read_text
from r0kit.syntax import Nested, too_many_digits, tree_of

DEEPEST = 1000  # nodes from the module down to a leaf; some versions of Python parse 20,000, which nobody can walk
LIMIT = 2 << 20  # bytes; `ast` needs 250 times that in memory, and a golden of 20,000 lines is half of it


def read_golden(path: str) -> str:
    """Text of the golden file `path`. InputError where it is missing, no text, or larger than any golden."""
    return read_text(path, "golden.read", LIMIT)


def parse_golden(text: str, path: str) -> ast.Module:
    """The syntax tree of `text`. InputError, with line and column, where it is not Python or nested beyond reading."""
    if len(text) > LIMIT:
        raise _error(path, f"the source has more than {LIMIT >> 20} MiB", "is this the right file?", 0, 0)
    try:
        return tree_of(text, DEEPEST)
    except SyntaxError as error:
        _refuse_long_number(error, text, path)
        plain = _without_type_parameters(text) if sys.version_info < (3, 12) else None
        if plain is not None and plain != text:
            return parse_golden(plain, path)
        line = min(error.lineno or 1, text.count("\n") + 1)
        hint = "`python -m py_compile` on the file shows the place"
        raise _error(path, f"not Python: {error.msg} (line {line})", hint, line, max(error.offset or 1, 1)) from None
    except Nested as error:
        raise _too_deep(path, error.line, 1) from None
    except (RecursionError, MemoryError):
        raise _too_deep(path, *_densest(text)) from None
    except ValueError as error:  # a NUL character, before Python 3.11.4; an integer of thousands of digits
        _refuse_long_number(error, text, path)
        raise _error(path, f"not Python: {error}", "is this the right file?", 1, 1) from None


def _refuse_long_number(error: Exception, text: str, path: str) -> None:
    found = too_many_digits(error, text)
    if found is not None:
        message = f"an integer of {found.digits} digits: no tensor holds it"
        raise _error(path, message, "write it as a float, or as a power", found.line, found.column) from None


def _densest(text: str) -> tuple[int, int]:
    """Line and column of the longest line: where an expression is nested that deeply."""
    lines = text.split("\n")
    return max(range(len(lines)), key=lambda index: len(lines[index])) + 1, 1


def _without_type_parameters(text: str) -> str | None:
    """`def f[T](x: T)` of Python 3.12 with blanks for the brackets, so that columns stay; None where it has none."""
    if not re.search(r"\b(?:def|class)\s+\w+\s*\[", text):
        return None
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return None
    lines = text.split("\n")
    for index in range(2, len(tokens)):
        if tokens[index].string == "[" and tokens[index - 2].string in ("def", "class"):
            _blank(lines, tokens[index].start, _closing(tokens, index))
    return "\n".join(lines)


def _closing(tokens: list[tokenize.TokenInfo], opening: int) -> tuple[int, int]:
    """End of the bracket that token `opening` opens."""
    depth = 0
    for token in tokens[opening:]:
        depth += {"[": 1, "]": -1}.get(token.string, 0)
        if depth == 0:
            return token.end
    return tokens[opening].end


def _blank(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> None:
    for row in range(start[0], end[0] + 1):
        line = lines[row - 1]
        first = start[1] if row == start[0] else 0
        last = end[1] if row == end[0] else len(line)
        # A line that is blanked up to its end must go on in the next one.
        filler = " " * (last - first)
        lines[row - 1] = line[:first] + (filler[:-1] + "\\" if row < end[0] and filler else filler) + line[last:]


def _too_deep(path: str, line: int, column: int) -> InputError:
    what = "an expression or a block is nested too deeply to be read"
    return _error(path, what, "split it into several statements", line, column)


def _error(path: str, message: str, hint: str, line: int, column: int) -> InputError:
    return InputError([Finding("golden.syntax", Severity.ERROR, message, Location(path, line, column), hint)])
