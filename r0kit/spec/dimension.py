"""Dimension expressions of a SPEC: which symbols they have, their value, and the symbol that an extent determines."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Mapping
from functools import lru_cache

LONGEST = 200  # characters; no dimension of a tensor needs more, and `ast` pays for depth

_Line = tuple[int, int]  # (a, b): the value a * x + b for the one unknown x


@lru_cache(maxsize=4096)
def parse(text: str) -> ast.expr:
    """The expression `text` of names, integers, `+ - * //` and parentheses. ValueError where it is anything else."""
    if len(text) > LONGEST:
        raise ValueError(f"a dimension of {len(text)} characters")
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:
        raise ValueError(f"{text!r} is no expression") from error
    _check(node, text)
    return node


def symbols(dimension: str | int) -> tuple[str, ...]:
    """Symbols of a dimension in the order in which they occur, each once. ValueError as for `parse`."""
    if isinstance(dimension, int):
        return ()
    names = [node for node in ast.walk(parse(dimension)) if isinstance(node, ast.Name)]
    return tuple(dict.fromkeys(node.id for node in sorted(names, key=lambda node: node.col_offset)))


def readable(dimension: str | int) -> bool:
    """Whether `symbols` and `value` can read it."""
    try:
        symbols(dimension)
    except ValueError:
        return False
    return True


def value(dimension: str | int, bindings: Mapping[str, int]) -> int | None:
    """Its extent under `bindings`; None where a symbol is not bound or a division is by zero. ValueError: see `parse`."""
    if isinstance(dimension, int):
        return dimension
    line = _line(parse(dimension), bindings, unknown=None)
    return line[1] if line else None


def solve(equations: Iterable[tuple[str | int, int]]) -> dict[str, int]:
    """The symbols that `dimension == extent` determines, plain names first, then expressions with one unknown left."""
    bindings: dict[str, int] = {}
    pending: list[tuple[str, int]] = []
    for dimension, extent in equations:
        if isinstance(dimension, str) and dimension.isidentifier():
            bindings.setdefault(dimension, extent)
        elif isinstance(dimension, str) and readable(dimension):
            pending.append((dimension, extent))
    return _propagate(pending, bindings)


def _propagate(equations: list[tuple[str, int]], bindings: dict[str, int]) -> dict[str, int]:
    """`bindings` and what follows from them; each equation is looked at when its last but one unknown is bound."""
    open_symbols = [set(symbols(dimension)) - bindings.keys() for dimension, _ in equations]
    users: dict[str, list[int]] = {}
    for index, names in enumerate(open_symbols):
        for name in names:
            users.setdefault(name, []).append(index)
    ready = deque(index for index, names in enumerate(open_symbols) if len(names) == 1)
    while ready:
        index = ready.popleft()
        unknown = next(iter(open_symbols[index]), None)
        found = _solution(*equations[index], bindings, unknown) if unknown is not None else None
        if found is None or unknown is None:
            continue
        bindings[unknown] = found
        for user in users[unknown]:
            open_symbols[user].discard(unknown)
            if len(open_symbols[user]) == 1:
                ready.append(user)
    return bindings


def contradicted(equations: Iterable[tuple[str | int, int]]) -> bool:
    """Whether no extents of the symbols make all the equations hold that can be read."""
    known = [(dimension, extent) for dimension, extent in equations if readable(dimension)]
    bindings = solve(known)
    return any(value(dimension, bindings) not in (None, extent) for dimension, extent in known)


def _solution(dimension: str, extent: int, bindings: Mapping[str, int], unknown: str) -> int | None:
    """The one value of `unknown` for which the equation holds; None where there is none, or where it is not linear."""
    line = _line(parse(dimension), bindings, unknown)
    if line is None or line[0] == 0 or (extent - line[1]) % line[0]:
        return None
    return (extent - line[1]) // line[0]


def _check(node: ast.expr, text: str) -> None:
    match node:
        case ast.Name():
            return
        case ast.Constant(value) if type(value) is int:
            return
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv(), right):
            _check(left, text)
            _check(right, text)
        case ast.UnaryOp(ast.UAdd() | ast.USub(), operand):
            _check(operand, text)
        case _:
            raise ValueError(f"{text!r} has more than names, integers and + - * //")


def _line(node: ast.expr, bindings: Mapping[str, int], unknown: str | None) -> _Line | None:
    """The expression as a * unknown + b, or None where it is not one."""
    match node:
        case ast.Constant(value):
            return 0, int(str(value))
        case ast.Name(name):
            return (1, 0) if name == unknown else (0, bindings[name]) if name in bindings else None
        case ast.UnaryOp(operator, operand):
            line = _line(operand, bindings, unknown)
            return (-line[0], -line[1]) if line and isinstance(operator, ast.USub) else line
        case ast.BinOp(left, operator, right):
            a, b = _line(left, bindings, unknown), _line(right, bindings, unknown)
            return _combine(operator, a, b) if a and b else None
    return None


def _combine(operator: ast.operator, a: _Line, b: _Line) -> _Line | None:
    match operator:
        case ast.Add():
            return a[0] + b[0], a[1] + b[1]
        case ast.Sub():
            return a[0] - b[0], a[1] - b[1]
        case ast.Mult() if a[0] == 0 or b[0] == 0:
            return a[0] * b[1] + b[0] * a[1], a[1] * b[1]
        case ast.FloorDiv() if a[0] == b[0] == 0 and b[1] != 0:
            return 0, a[1] // b[1]
    return None
