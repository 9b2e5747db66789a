"""One line of `golden_steps` -> its target and an expression: `s = sum(exp(x - m), N)`.

The lines are mathematics in Python's grammar (einsum equations apart). Whatever is something else, a loop or a text that
a person wrote, is told by `UnreadError`; nothing is ever run.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

LONGEST = 2_000  # characters of a line


class UnreadError(ValueError):
    """A line, or an operation, that planning does not know how to read; the message says what it is."""


@dataclass(frozen=True, slots=True)
class Name:
    """A value, a parameter or an axis: which one is decided where it stands."""

    id: str


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written."""

    value: float


@dataclass(frozen=True, slots=True)
class Listed:
    """A list, as a shape is written: its entries as text."""

    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """An operation. Operators have the names of their operations (`a - b` is sub); attrs: keyword arguments as text."""

    op: str
    args: tuple[Node, ...]
    attrs: tuple[tuple[str, str], ...] = ()


Node = Name | Number | Listed | Call

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "logical_and",
    ast.BitOr: "logical_or",
    ast.BitXor: "logical_xor",
    ast.LShift: "bitwise_left_shift",
    ast.RShift: "bitwise_right_shift",
}
UNARY: dict[type[ast.unaryop], str] = {ast.USub: "neg", ast.Invert: "logical_not", ast.UAdd: "clone"}
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
_EQUATION = re.compile(r"\beinsum\(([a-zA-Z,]+->[a-zA-Z]*),")


def read_line(line: str) -> tuple[str, Node]:
    """Target and expression of `target = expression`."""
    if len(line) > LONGEST:
        raise UnreadError(f"a line of {len(line)} characters")
    try:
        body = ast.parse(_EQUATION.sub(r"einsum('\1',", line.strip())).body
        match body:
            case [ast.Assign(targets=[ast.Name(target)], value=value)]:
                return target, _node(value)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, UnreadError):
            raise
        raise UnreadError(f"{line[:60]!r} is no expression") from None
    raise UnreadError(f"{line[:60]!r} is not of the form `value = expression`")


def _node(tree: ast.expr) -> Node:
    match tree:
        case ast.Name(name):
            return Name(name)
        case ast.Constant(value) if isinstance(value, int | float) and not isinstance(value, bool):
            return Number(value)
        case ast.List(entries):
            return Listed(tuple(map(ast.unparse, entries)))
        case ast.BinOp(left, operator, right):
            return Call(BINARY[type(operator)], (_node(left), _node(right)))
        case ast.UnaryOp(operator, operand) if type(operator) in UNARY:
            return Call(UNARY[type(operator)], (_node(operand),))
        case ast.Compare(left, [operator], [right]) if type(operator) in COMPARE:
            return Call(COMPARE[type(operator)], (_node(left), _node(right)))
        case ast.Attribute(value, "T"):
            return Call("transpose", (_node(value),))
        case ast.Call(ast.Name(function), arguments, keywords):
            return _call(function, arguments, keywords)
    raise UnreadError(f"{ast.unparse(tree)[:60]!r} is not an operation that planning reads")


def _call(function: str, arguments: list[ast.expr], keywords: list[ast.keyword]) -> Call:
    attrs = tuple((keyword.arg or "**", ast.unparse(keyword.value)) for keyword in keywords)
    if function == "einsum" and arguments and isinstance(arguments[0], ast.Constant):
        return Call(function, tuple(map(_node, arguments[1:])), (("equation", str(arguments[0].value)), *attrs))
    return Call(function, tuple(map(_node, arguments)), attrs)
