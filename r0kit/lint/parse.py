"""Text of a kernel file -> syntax tree, or the finding that says why there is none. Nothing is run."""

import ast

from r0kit.finding import InputError
from r0kit.source.refused import refusal
from r0kit.syntax import Nested, too_many_digits, tree_of

RULE = "P00"
LIMIT = 4 << 20  # bytes; the largest kernel files that are written by hand have a twentieth of it
DEEPEST = 200  # nodes from the module down to a leaf; hand-written kernels stay under 40


def parse(text: str, path: str) -> ast.Module:
    """The syntax tree of `text`. InputError, with its place, where it is not Python or nested beyond reading."""
    try:
        return tree_of(text, DEEPEST)
    except SyntaxError as error:
        _refuse_long_number(error, text, path)
        line = min(error.lineno or 1, text.count("\n") + 1)
        hint = "`python -m py_compile` on the file shows the place"
        raise refusal(path, RULE, f"is not Python: {error.msg}", hint, line, max(error.offset or 1, 1)) from None
    except Nested as error:
        raise too_deep(path, error.line) from None
    except (RecursionError, MemoryError):
        raise too_deep(path, 1) from None
    except ValueError as error:  # a NUL character, before Python 3.11.4; an integer of thousands of digits
        _refuse_long_number(error, text, path)
        raise refusal(path, RULE, f"is not Python: {error}", "is this the right file?", 1, 1) from None


def _refuse_long_number(error: Exception, text: str, path: str) -> None:
    found = too_many_digits(error, text)
    if found is not None:
        message = f"has an integer of {found.digits} digits, which no kernel holds"
        raise refusal(path, RULE, message, "write it as a float, or as a power", found.line, found.column) from None


def too_deep(path: str, line: int) -> InputError:
    """The error that says of a file that nobody could read it, let alone this."""
    return refusal(path, RULE, "is nested too deeply to be read", "split it into several statements", line, 1)
