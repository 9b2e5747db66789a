"""What a mutant is made of: a module of Python with one node of its tree replaced.

A condition is made true and made false, a comparison turned round or its bound moved by one, an `and` or `or` becomes the
other or loses an operand, a number is moved by one, True becomes False, a member of a table, an alternative of a pattern
or a bound of a slice is left out, and so is a statement or a yielded fault; `any` becomes `all`, `min` becomes `max`.
"""

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from itertools import pairwise
from typing import Any, NamedTuple

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Place(NamedTuple):
    """Where a node stands: in a field of `holder` (at `index` where that is a list), and in the body of which function."""

    holder: ast.AST
    field: str
    index: int | None
    where: str  # outermost function or method; "" outside of all
    function: Function | None

    @property
    def node(self) -> ast.AST:
        """The node that stands there."""
        value = getattr(self.holder, self.field)
        return value if self.index is None else value[self.index]

    def put(self, node: ast.AST) -> None:
        """Let another node stand there."""
        if self.index is None:
            setattr(self.holder, self.field, node)
        else:
            getattr(self.holder, self.field)[self.index] = node


class Change(NamedTuple):
    """A node to put at a place, and what that means in words."""

    place: Place
    what: str
    new: ast.AST

    @contextmanager
    def made(self) -> Iterator[None]:
        """The change made for a while."""
        old = self.place.node
        self.place.put(ast.fix_missing_locations(ast.copy_location(self.new, old)))
        try:
            yield
        finally:
            self.place.put(old)


def changes(tree: ast.Module) -> Iterator[Change]:
    """Every change of a module, from its top to its end."""
    for place in places(tree):
        node = place.node
        for kind, change in _CHANGES:
            if isinstance(node, kind):
                yield from (Change(place, what, new) for what, new in change(node))
        if _can_be_left_out(place):
            yield Change(place, f"`{_short(node)}` left out", ast.Pass())


def places(holder: ast.AST, where: str = "", function: Function | None = None) -> Iterator[Place]:
    """The places of the nodes that may change: not those of types, nor of what only a type checker runs."""
    for field, index, child in _children(holder):
        mine = where, function
        if function is None and isinstance(holder, Function) and field == "body":
            mine = where, holder
        elif function is None and isinstance(child, Function | ast.ClassDef):
            mine = f"{where}.{child.name}".removeprefix("."), None
        yield Place(holder, field, index, mine[0] if mine[1] else "", mine[1])
        yield from places(child, *mine)


_UNION = (ast.BinOp, ast.BitOr, ast.Name, ast.Load)
_UNTOUCHED = ("annotation", "returns", "decorator_list", "bases", "ctx")


def _children(holder: ast.AST) -> Iterator[tuple[str, int | None, ast.AST]]:
    is_strict = isinstance(holder, ast.keyword) and holder.arg == "strict"  # where lengths are equal, a word to readers
    for field, value in ast.iter_fields(holder):
        if field not in _UNTOUCHED and not is_strict:
            parts = enumerate(value) if isinstance(value, list) else [(None, value)]
            yield from ((field, at, part) for at, part in parts if isinstance(part, ast.AST) and not _is_of_types(part))


def _is_of_types(node: ast.AST) -> bool:
    """Whether it is there for a type checker or a reader: a docstring, a union of types, slots, what a module exports."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    if isinstance(node, ast.Assign):
        is_union = isinstance(node.value, ast.BinOp) and all(isinstance(part, _UNION) for part in ast.walk(node.value))
        return is_union or ast.unparse(node.targets[0]) in ("__slots__", "__all__")
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


Found = Iterator[tuple[str, ast.AST]]


def _with(node: ast.AST, **fields: Any) -> Any:
    new = copy(node)
    for field, value in fields.items():
        setattr(new, field, value)
    return new


def _without(parts: Sequence[Any], index: int) -> list[Any]:
    return [*parts[:index], *parts[index + 1 :]]


def _put(parts: Sequence[Any], index: int, part: Any) -> list[Any]:
    return [*parts[:index], part, *parts[index + 1 :]]


def _short(node: ast.AST) -> str:
    said = " ".join(ast.unparse(node).split())
    return said if len(said) <= 80 else f"{said[:77]}..."


def _truth(node: ast.If | ast.IfExp | ast.While) -> Found:
    for truth in (True, False):
        yield f"`{ast.unparse(node.test)}` made {truth}", _with(node, test=ast.Constant(truth))


_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.Lt: ast.GtE,
    ast.Gt: ast.LtE,
    ast.In: ast.NotIn,
    ast.Is: ast.IsNot,
}
_TURNED |= {there: here for here, there in _TURNED.items()}
_MOVED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}


def _compared(node: ast.Compare) -> Found:
    said = ast.unparse(node)
    for index, operator in enumerate(node.ops):
        which = f", number {index + 1}" if len(node.ops) > 1 else ""
        yield f"`{said}` turned round{which}", _with(node, ops=_put(node.ops, index, _TURNED[type(operator)]()))
        if type(operator) in _MOVED:
            moved = _put(node.ops, index, _MOVED[type(operator)]())
            yield f"`{said}` with its bound moved{which}", _with(node, ops=moved)


def _logic(node: ast.BoolOp) -> Found:
    said = ast.unparse(node)
    other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield f"`{said}` with the other operator", _with(node, op=other)
    for index, operand in enumerate(node.values):
        rest = _without(node.values, index)
        yield f"`{said}` without `{ast.unparse(operand)}`", _with(node, values=rest) if len(rest) > 1 else rest[0]


def _negation(node: ast.UnaryOp) -> Found:
    if isinstance(node.op, ast.Not):
        yield f"`{ast.unparse(node)}` without its not", _with(node, operand=ast.UnaryOp(ast.Not(), node.operand))


def _sides(node: ast.BinOp) -> Found:
    """One side alone: of a union (of types, too), of an intersection, and what is subtracted from."""
    if isinstance(node.op, ast.BitOr | ast.BitAnd | ast.Sub):
        for side in (node.left,) if isinstance(node.op, ast.Sub) else (node.left, node.right):
            yield f"`{ast.unparse(node)}` only `{ast.unparse(side)}`", side


def _filters(node: ast.comprehension) -> Found:
    for index, test in enumerate(node.ifs):
        yield f"`if {ast.unparse(test)}` left out", _with(node, ifs=_without(node.ifs, index))


def _switched_off(node: ast.keyword) -> Found:
    if node.arg == "check":
        nothing = ast.parse("lambda _: ()", mode="eval").body
        yield f"the rule {ast.unparse(node.value)} switched off", _with(node, value=nothing)


def _constant(node: ast.Constant) -> Found:
    if type(node.value) is int:
        yield f"{node.value} made {node.value + 1}", ast.Constant(node.value + 1)
    elif type(node.value) is bool:
        yield f"{node.value} made {not node.value}", ast.Constant(not node.value)


def _members(node: ast.Tuple | ast.List | ast.Set) -> Found:
    """Each member of a table of constants left out."""
    if all(map(_is_constant, node.elts)):
        for index, member in enumerate(node.elts):
            rest = _without(node.elts, index)
            new = (
                ast.parse("set()", mode="eval").body
                if isinstance(node, ast.Set) and not rest
                else _with(node, elts=rest)
            )
            yield f"{_short(member)} left out of {_short(node)}", new


def _is_constant(node: ast.AST) -> bool:
    if isinstance(node, ast.Starred | ast.UnaryOp):
        return _is_constant(node.value if isinstance(node, ast.Starred) else node.operand)
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Tuple) and all(map(_is_constant, node.elts)))


def _items(node: ast.Dict) -> Found:
    """Each entry of a mapping left out."""
    for index, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
        rest = _with(node, keys=_without(node.keys, index), values=_without(node.values, index))
        yield f"{_short(key or value)} left out of a mapping", rest


def _caught(node: ast.ExceptHandler) -> Found:
    if isinstance(node.type, ast.Tuple):
        for index, member in enumerate(node.type.elts):
            rest = _with(node.type, elts=_without(node.type.elts, index))
            yield f"{ast.unparse(member)} not caught", _with(node, type=rest)


_OTHER = {"any": "all", "all": "any", "min": "max", "max": "min", "sorted": "list", "reversed": "list"}
_OF_TEXT = ("strip", "lstrip", "rstrip", "lower", "removeprefix", "removesuffix", "replace")


def _called(node: ast.Call) -> Found:
    """Another function called; another text given to a method; a method of text not called at all."""
    function = node.func
    if isinstance(function, ast.Name) and function.id in _OTHER and not node.keywords:
        other = ast.Name(_OTHER[function.id], ast.Load())
        yield f"`{_short(node)}` with {other.id}", _with(node, func=other)
    if not isinstance(function, ast.Attribute):
        return
    for index, value in enumerate(node.args):
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value:
            changed = _put(node.args, index, ast.Constant(f"{value.value}~"))
            yield f"{value.value!r} of `{_short(node)}` changed", _with(node, args=changed)
    if function.attr in _OF_TEXT:
        yield f"`{_short(node)}` without {function.attr}", function.value


def _kinds(node: ast.Call) -> Found:
    """Each field of a record of the contract's structure without the kind that its value must have."""
    fields = node.args[0] if node.args else None
    if ast.unparse(node.func) == "Record" and isinstance(fields, ast.Dict):
        for index, (key, kind) in enumerate(zip(fields.keys, fields.values, strict=True)):
            if ast.unparse(kind) != "ANY":
                free = _with(fields, values=_put(fields.values, index, ast.Constant(None)))
                yield (
                    f"{_short(key or kind)} made anything, not {_short(kind)}",
                    _with(node, args=_put(node.args, 0, free)),
                )


def _bounds(node: ast.Slice) -> Found:
    for field in ("lower", "upper", "step"):
        if getattr(node, field) is not None:
            yield f"`[{ast.unparse(node)}]` without its {field} bound", _with(node, **{field: None})


def _pattern(node: ast.Call) -> Found:
    """Each alternative of a regular expression left out."""
    written = node.args[0] if node.args else None
    is_one = ast.unparse(node.func) in ("pattern", "search") and isinstance(written, ast.Constant)
    for alternative, rest in alternatives(written.value) if is_one and isinstance(written.value, str) else ():
        yield f"the alternative {alternative!r} left out", _with(node, args=_put(node.args, 0, ast.Constant(rest)))


def alternatives(regex: str) -> Iterator[tuple[str, str]]:
    """Each alternative of a regular expression, and the expression that lacks it."""
    opened: list[list[int]] = [[-1]]  # of each open group: where its alternatives begin, less one
    index = 0
    while index < len(regex):
        sign = regex[index]
        if sign == "(":
            opened.append([_start_of_group(regex, index)])
        elif sign == "|":
            opened[-1].append(index)
        elif sign == ")":
            yield from _each_left_out(regex, [*opened.pop(), index])
        index = _end_of_set(regex, index) if sign == "[" else index + 1 + (sign == "\\")
    yield from _each_left_out(regex, [*opened[0], len(regex)])


def _start_of_group(regex: str, at: int) -> int:
    """Where the content of a group begins, less one: behind `(`, `(?:`, `(?i:`, `(?<!` or `(?=`."""
    if regex[at + 1] != "?":
        return at
    return next(index for index in range(at + 2, len(regex)) if regex[index] in ":!=")


def _end_of_set(regex: str, start: int) -> int:
    """The index behind the set of characters that begins at `start`."""
    first = index = start + 1 + (regex[start + 1] == "^")
    while index == first or regex[index] != "]":
        index += 2 if regex[index] == "\\" else 1
    return index + 1


def _each_left_out(regex: str, marks: Sequence[int]) -> Iterator[tuple[str, str]]:
    for start, end in pairwise(marks) if len(marks) > 2 else ():
        first = start == marks[0]
        rest = regex[: start + 1] + regex[end + 1 :] if first else regex[:start] + regex[end:]
        yield regex[start + 1 : end], rest


def _yielded(node: ast.Expr) -> Found:
    if isinstance(node.value, ast.Yield | ast.YieldFrom):
        nothing = ast.YieldFrom(ast.Tuple([], ast.Load()))  # the function stays a generator
        yield f"`{_short(node)}` left out", _with(node, value=nothing)


def _can_be_left_out(place: Place) -> bool:
    """Whether a statement says something of its own: it is not all that a condition decides, nor the end of a function."""
    node, beside = place.node, getattr(place.holder, place.field)
    if isinstance(node, ast.Return | ast.Raise | ast.Continue | ast.Break):
        alone = isinstance(place.holder, ast.If) and len(beside) == 1
        return not alone and not (place.holder is place.function and place.index == len(beside) - 1)
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], ast.Subscript | ast.Attribute)
    return isinstance(node, ast.AugAssign) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))


_CHANGES: tuple[tuple[Any, Callable[[Any], Found]], ...] = (
    (ast.If | ast.IfExp | ast.While, _truth),
    (ast.Compare, _compared),
    (ast.BoolOp, _logic),
    (ast.UnaryOp, _negation),
    (ast.BinOp, _sides),
    (ast.comprehension, _filters),
    (ast.keyword, _switched_off),
    (ast.Constant, _constant),
    (ast.Tuple | ast.List | ast.Set, _members),
    (ast.Dict, _items),
    (ast.ExceptHandler, _caught),
    (ast.Call, _called),
    (ast.Call, _kinds),
    (ast.Call, _pattern),
    (ast.Slice, _bounds),
    (ast.Expr, _yielded),
)
