"""Python expressions as `ruff format` writes them, so that generated files pass it at any line length from 88 up.

Only the expressions that stage functions are made of: names, calls, operators, subscripts, constants and tuples.
"""

from __future__ import annotations

import ast
import json

WIDTH = 88  # the default of ruff and black; what fits here is left alone by wider settings too
_INDENT = "    "
_ATOM, _POWER, _UNARY = 20, 15, 14

_BINARY: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", 12),
    ast.Sub: ("-", 12),
    ast.Mult: ("*", 13),
    ast.Div: ("/", 13),
    ast.FloorDiv: ("//", 13),
    ast.Mod: ("%", 13),
    ast.MatMult: ("@", 13),
    ast.LShift: ("<<", 11),
    ast.RShift: (">>", 11),
    ast.BitAnd: ("&", 10),
    ast.BitXor: ("^", 9),
    ast.BitOr: ("|", 8),
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_UNARY_SIGNS: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}


def parse(text: str) -> ast.expr:
    """The expression `text`. SyntaxError where it is none."""
    return ast.parse(text, mode="eval").body


def written(node: ast.expr) -> str:
    """`node` on one line."""
    return _write(node)[0]


def statement(prefix: str, node: ast.expr, depth: int = 1) -> list[str]:
    """Lines of `prefix` and then `node` at indentation `depth`; what does not fit is opened at its outermost bracket."""
    return _opened(prefix, node, "", depth)


def names(node: ast.expr) -> list[str]:
    """Every name in `node`, as often as it occurs."""
    return [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]


def substituted(node: ast.expr, replacements: dict[str, ast.expr]) -> ast.expr:
    """`node` with names replaced by expressions; `node` itself must not be used afterwards."""
    result = _Substitution(replacements).visit(node)
    assert isinstance(result, ast.expr)
    return result


class _Substitution(ast.NodeTransformer):
    def __init__(self, replacements: dict[str, ast.expr]) -> None:
        self.replacements = replacements

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.replacements.get(node.id, node)


def _opened(prefix: str, node: ast.expr, suffix: str, depth: int) -> list[str]:
    line = f"{_INDENT * depth}{prefix}{written(node)}{suffix}"
    match node:
        case _ if len(line) <= WIDTH:
            return [line]
        case ast.Call(func, args, keywords) if args or keywords:
            items = [line for arg in args for line in _opened("", arg, ",", depth + 1)]
            items += [
                line for k in keywords for line in _opened(f"{k.arg}=" if k.arg else "**", k.value, ",", depth + 1)
            ]
            return [f"{_INDENT * depth}{prefix}{_at(func, _ATOM)}(", *items, f"{_INDENT * depth}){suffix}"]
        case ast.Tuple(elements) | ast.List(elements) if elements:
            left, right = "()" if isinstance(node, ast.Tuple) else "[]"
            items = [line for element in elements for line in _opened("", element, ",", depth + 1)]
            return [f"{_INDENT * depth}{prefix}{left}", *items, f"{_INDENT * depth}{right}{suffix}"]
    if suffix or not isinstance(node, (ast.BinOp, ast.Compare)):
        return [line]
    return [f"{_INDENT * depth}{prefix}(", *_chain(node, depth + 1), f"{_INDENT * depth})"]


def _chain(node: ast.expr, depth: int) -> list[str]:
    """An operator's operands on lines of their own, those of its left operand with equal precedence too."""
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        sign, level = _BINARY[type(node.op)]
        same = isinstance(node.left, ast.BinOp) and _BINARY.get(type(node.left.op), ("", 0))[1] == level
        left = _chain(node.left, depth) if same else [f"{_INDENT * depth}{_at(node.left, level)}"]
        return [*left, f"{_INDENT * depth}{sign} {_at(node.right, level + 1)}"]
    return [f"{_INDENT * depth}{written(node)}"]


def _at(node: ast.expr, level: int) -> str:
    """`node` as an operand of something that binds as tightly as `level`."""
    text, own = _write(node)
    return text if own >= level else f"({text})"


def _write(node: ast.expr) -> tuple[str, int]:
    """The text of `node` and how tightly its outermost operator binds."""
    match node:
        case ast.Name(name):
            return name, _ATOM
        case ast.Constant(value):
            return _constant(value)
        case ast.Attribute(value, name):
            return f"{_at(value, _ATOM)}.{name}", _ATOM
        case ast.Call(func, args, keywords):
            given = [written(arg) for arg in args]
            given += [f"{k.arg}={written(k.value)}" if k.arg else f"**{written(k.value)}" for k in keywords]
            return f"{_at(func, _ATOM)}({', '.join(given)})", _ATOM
        case ast.Subscript(value, index):
            return f"{_at(value, _ATOM)}[{_index(index)}]", _ATOM
        case ast.Tuple(elements):
            return f"({', '.join(map(written, elements))}{',' if len(elements) == 1 else ''})", _ATOM
        case ast.List(elements):
            return f"[{', '.join(map(written, elements))}]", _ATOM
        case ast.Starred(value):
            return f"*{_at(value, 8)}", _ATOM
    return _operator(node)


def _operator(node: ast.expr) -> tuple[str, int]:
    match node:
        case ast.BinOp(left, ast.Pow(), right):
            space = "" if _simple(left) and not isinstance(left, ast.UnaryOp) and _exponent(right) else " "
            return f"{_at(left, _POWER + 1)}{space}**{space}{_at(right, _UNARY)}", _POWER
        case ast.BinOp(left, operator, right):
            sign, level = _BINARY[type(operator)]
            return f"{_at(left, level)} {sign} {_at(right, level + 1)}", level
        case ast.UnaryOp(ast.Not(), operand):
            return f"not {_at(operand, 6)}", 6
        case ast.UnaryOp(sign, operand):
            power = isinstance(operand, ast.BinOp) and isinstance(operand.op, ast.Pow)
            return f"{_UNARY_SIGNS[type(sign)]}{_at(operand, _ATOM if power else _UNARY)}", _UNARY
        case ast.Compare(left, [operator], [right]):
            return f"{_at(left, 8)} {_COMPARE[type(operator)]} {_at(right, 8)}", 7
        case ast.BoolOp(operator, values):
            word, level = ("and", 5) if isinstance(operator, ast.And) else ("or", 4)
            return f" {word} ".join(_at(value, level + 1) for value in values), level
        case ast.IfExp(test, body, orelse):
            return f"{_at(body, 4)} if {_at(test, 4)} else {_at(orelse, 3)}", 3
    return f"({ast.unparse(node)})", _ATOM


def _constant(value: object) -> tuple[str, int]:
    if isinstance(value, str):
        return _quoted(value), _ATOM
    text = "..." if value is ... else repr(value)
    if isinstance(value, (float, complex)):
        text = text.replace("e+", "e")
    # `1.real` does not parse, so an integer binds less tightly than an attribute does.
    return text, _UNARY if text.startswith("-") else _ATOM - 1 if type(value) is int else _ATOM


def _quoted(value: str) -> str:
    """In double quotes, unless single ones need fewer escapes."""
    single = repr(value)
    escapes = value.count('"') > value.count("'")
    return single if escapes and single.startswith("'") else json.dumps(value, ensure_ascii=False)


def _index(node: ast.expr) -> str:
    if isinstance(node, ast.Tuple) and node.elts:
        text = ", ".join(
            _slice(element) if isinstance(element, ast.Slice) else written(element) for element in node.elts
        )
        return f"{text}," if len(node.elts) == 1 else text
    return _slice(node) if isinstance(node, ast.Slice) else written(node)


def _slice(node: ast.Slice) -> str:
    bounds = [node.lower, node.upper, *([node.step] if node.step else [])]
    plain = all(bound is None or _simple_bound(bound) for bound in bounds)
    text = ""
    for position, bound in enumerate(bounds):
        if position:
            text += ":" if plain or not text else " :" if not text.endswith(":") else ":"
        if bound is not None:
            text += written(bound) if plain or not text else f" {written(bound)}"
    return text


def _simple(node: ast.expr) -> bool:
    """Whether ruff leaves out the spaces around a `**` next to it."""
    match node:
        case ast.Name():
            return True
        case ast.Constant(value):
            return isinstance(value, (int, float, complex)) and not isinstance(value, bool)
        case ast.Attribute(value):
            return _simple(value)
        case ast.UnaryOp(ast.USub() | ast.UAdd() | ast.Invert(), operand):
            return _simple(operand)
    return False


def _exponent(node: ast.expr) -> bool:
    """Whether the exponent `node` lets the spaces be left out; of a tower, all of it must."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return _simple(node.left) and _exponent(node.right)
    return _simple(node)


def _simple_bound(node: ast.expr) -> bool:
    """Whether ruff leaves out the spaces around a `:` next to it."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.UnaryOp(_, operand):
            return isinstance(operand, (ast.Name, ast.Constant))
    return False
