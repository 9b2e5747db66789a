"""Shapes of a contract: `"[M, N]"` or a list, each dimension an expression of names, integers and `+ - * //`."""

from collections.abc import Iterator
from keyword import iskeyword
from re import compile as pattern
from typing import Any, NamedTuple

from r0kit.contract.wording import described, shown

# A name, an integer as Python writes them, an operator, or what does not belong in a shape.
_TOKEN = pattern(
    r"([^\W\d]\w*)"
    r"|0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|0(?:_?0)*|[1-9](?:_?[0-9])*"
    r"|(//|[-+*(),])"
    r"|(\S)"
)
_OPERATOR = 2  # group of _TOKEN; the first one is a name, the third what fits nowhere, and an integer is in none

_WORD = pattern(r"[^\W\d]\w*")
MAX_LENGTH = 1_000  # characters

_BEFORE_OPERAND = frozenset(("operand", "+", "-", "("))
_AFTER_OPERAND = frozenset(("+", "-", "*", "//", ")", ",", "end"))


class Shape(NamedTuple):
    """What a shape says: the names in it, each with its dimension (-1 where the shape is one text); or its problem."""

    names: tuple[tuple[str, int], ...] = ()
    problem: str = ""
    dimension: int = -1  # where the problem is


def read_shape(value: Any) -> Shape:
    """The shape that `value` says. A wrong one has a `problem`, and the names that can be made out all the same."""
    if isinstance(value, list):
        return _from_list(value)
    if not isinstance(value, str):
        return Shape(problem=f"{described(value)} is no shape")
    if len(value) > MAX_LENGTH:
        return Shape(problem=f"a shape of {len(value)} characters")
    inner = value.strip()
    if not (inner.startswith("[") and inner.endswith("]")):
        return _wrong(value, f"the shape {shown(value)} is not in brackets")
    return _from_text(inner[1:-1], value)


def _from_list(dimensions: list[Any]) -> Shape:
    names: list[tuple[str, int]] = []
    for index, dimension in enumerate(dimensions):
        if isinstance(dimension, str) and len(dimension) <= MAX_LENGTH:
            shape = _from_text(dimension, dimension, one=True)
        elif isinstance(dimension, int) and not isinstance(dimension, bool):
            continue
        else:
            shape = Shape(problem=f"{described(dimension)} is no dimension")
        names += ((name, index) for name, _ in shape.names)
        if shape.problem:
            return shape._replace(names=tuple(names), dimension=index)
    return Shape(tuple(names))


def _from_text(text: str, whole: str, one: bool = False) -> Shape:
    """Dimensions separated by commas; exactly one of them where `one` is set. `whole` is what messages quote."""
    if not one and not text.strip():
        return Shape()
    names, problem = read_dimensions(text, one)
    return _wrong(whole, f"{problem} the shape {shown(whole)}") if problem else Shape(names)


def read_dimensions(text: str, one: bool = False) -> tuple[tuple[tuple[str, int], ...], str]:
    """The names in the dimensions that `text` says; or none, and the beginning of a message about what is wrong."""
    names: dict[str, int] = {}
    depth, fitting = 0, _BEFORE_OPERAND
    for kind, token in _tokens(text):
        depth += (kind == "(") - (kind == ")")
        if kind not in fitting or depth < 0 or (depth and kind in (",", "end")) or (one and kind == ","):
            return (), f"{shown(token)} does not fit in" if token else "something is missing at the end of"
        fitting = _AFTER_OPERAND if kind in ("operand", ")") else _BEFORE_OPERAND
        if token.isidentifier():
            names[token] = -1
    return tuple(names.items()), ""


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each token: "operand", the operator itself, "other" for what is neither, and an "end"."""
    for match in _TOKEN.finditer(text):
        token = match.group()
        if match.lastindex == _OPERATOR:
            yield token, token
        elif match.lastindex and (iskeyword(token) or not token.isidentifier()):
            yield "other", token
        else:
            yield "operand", token
    yield "end", ""


def _wrong(whole: str, problem: str) -> Shape:
    return Shape(tuple((name, -1) for name in _WORD.findall(whole)), problem)
