"""Python text -> syntax tree, and what makes one unreadable. Nothing is run, and nothing here words a finding."""

import ast
import re
import warnings
from typing import NamedTuple


class Digits(NamedTuple):
    """An integer literal with more digits than Python converts: how many, and where (from 1)."""

    digits: int
    line: int
    column: int


class Nested(RecursionError):
    """A text that is nested more deeply than its reader walks; `line` is where."""

    def __init__(self, line: int) -> None:
        super().__init__(f"nested too deeply in line {line}")
        self.line = line


def tree_of(text: str, deepest: int) -> ast.Module:
    """The tree of `text`, which is nested at most `deepest` levels deep: Nested where it is not.

    SyntaxError, ValueError, RecursionError or MemoryError as `ast.parse` and `compile`; nothing is run.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd escapes in strings are the file's own business
        tree = ast.parse(text)
        beyond = _line_beyond(tree, deepest)
        if beyond is not None:
            raise Nested(beyond)
        compile(tree, "<file>", "exec", dont_inherit=True)  # two parameters of one name, a `break` outside of a loop
    return tree


def _line_beyond(tree: ast.Module, deepest: int) -> int | None:
    """Line of the first node that is nested more than `deepest` levels deep; None where there is none."""
    level: list[ast.AST] = [tree]
    for _ in range(deepest):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return None
    return next((node.lineno for node in level if isinstance(node, (ast.stmt, ast.expr))), 1)


def too_many_digits(error: Exception, text: str) -> Digits | None:
    """The integer for which Python gave up `text` with `error`; None where it gave up for something else."""
    if "set_int_max_str_digits" not in str(error):
        return None
    found = max(re.finditer(r"\d[\d_]*", text), key=lambda match: len(match.group()))
    before = text[: found.start()]
    column = found.start() - (before.rfind("\n") + 1) + 1
    return Digits(len(found.group().replace("_", "")), before.count("\n") + 1, column)
