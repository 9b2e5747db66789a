"""Text of a kernel file -> syntax tree, or the finding that says why there is none. Nothing is run."""

import ast
import warnings

from r0kit.finding import InputError
from r0kit.source import refusal

RULE = "P00"
LIMIT = 4 << 20  # bytes; the largest kernel files that are written by hand have a twentieth of it
DEEPEST = 200  # nodes from the module down to a leaf; hand-written kernels stay under 40


def parse(text: str, path: str) -> ast.Module:
    """The syntax tree of `text`. InputError, with its place, where it is not Python or nested beyond reading."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes in strings are the file's own business
            tree = ast.parse(text)
    except SyntaxError as error:
        line = min(error.lineno or 1, text.count("\n") + 1)
        hint = "`python -m py_compile` on the file shows the place"
        raise refusal(path, RULE, f"is not Python: {error.msg}", hint, line, max(error.offset or 1, 1)) from None
    except (RecursionError, MemoryError):
        raise too_deep(path, 1) from None
    except ValueError as error:  # an integer of thousands of digits
        raise refusal(path, RULE, f"is not Python: {error}", "is this the right file?", 1, 1) from None
    deep = _line_beyond(tree)
    if deep is not None:
        raise too_deep(path, deep)
    return tree


def _line_beyond(tree: ast.Module) -> int | None:
    """Line of the first node that is nested more than `DEEPEST` levels deep; None where there is none."""
    level: list[ast.AST] = [tree]
    for _ in range(DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return None
    return next((node.lineno for node in level if isinstance(node, (ast.stmt, ast.expr))), 1)


def too_deep(path: str, line: int) -> InputError:
    """The error that says of a file that nobody could read it, let alone this."""
    return refusal(path, RULE, "is nested too deeply to be read", "split it into several statements", line, 1)
