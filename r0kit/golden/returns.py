"""What a golden returns: how many values, and what each is called."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from r0kit.golden.candidates import Candidate, Function, dotted, own_statements
from r0kit.golden.span import Span, span_of, text_of

Records = Mapping[str, Sequence[str]]

_DEEPEST = 8  # calls of helpers by helpers that are followed


@dataclass(frozen=True, slots=True)
class ReturnValue:
    """A return value: its name, the expression as written, and where it stands."""

    name: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Returned:
    """The values of a golden's return statements: `expressions` of the one that decides, with `names` where they have one.

    doubts: (node, what cannot be told), for findings.
    """

    expressions: tuple[ast.expr, ...] = ()
    names: tuple[str, ...] = ()
    doubts: tuple[tuple[ast.AST, str], ...] = ()


def returned(function: Function, known: Mapping[str, Candidate], records: Records) -> Returned:
    """What `function` returns. Of several return statements the last one decides. records: as `records_of` finds them."""
    return _returned(function, known, records, 0)


def records_of(tree: ast.Module) -> dict[str, tuple[str, ...]]:
    """Fields by class of the module's named tuples and dataclasses, in order."""
    found: dict[str, tuple[str, ...]] = {}
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef):
            fields = [part.target for part in statement.body if isinstance(part, ast.AnnAssign)]
            found[statement.name] = tuple(field.id for field in fields if isinstance(field, ast.Name))
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            found[statement.targets[0].id] = _fields_of_call(statement.value)
    return {name: fields for name, fields in found.items() if fields}


def _fields_of_call(value: ast.expr) -> tuple[str, ...]:
    """Fields of `namedtuple("Out", ["y", "z"])` or `namedtuple("Out", "y z")`; none of anything else."""
    if not isinstance(value, ast.Call) or dotted(value.func) not in ("namedtuple", "collections.namedtuple"):
        return ()
    try:
        return field_names(ast.literal_eval(value.args[1]))
    except (ValueError, IndexError):
        return ()


def field_names(written: object) -> tuple[str, ...]:
    """The fields that the second argument of `namedtuple` names."""
    if isinstance(written, str):
        return tuple(written.replace(",", " ").split())
    return tuple(map(str, written)) if isinstance(written, (list, tuple)) else ()


_CONVERSIONS = frozenset(("to", "float", "half", "bfloat16", "int", "long", "type", "type_as", "contiguous", "clone"))


def named(
    values: Returned, outputs: Sequence[str], lines: Sequence[str], parameters: Collection[str] = ()
) -> tuple[ReturnValue, ...]:
    """The return values with a name each: the variable's, else SPEC's (where it lists as many), else that of the variable
    that is only converted (`y.to(x.dtype)`, if no parameter), else out, out_1, ..."""
    fallback = list(outputs) if len(outputs) == len(values.names) else [""] * len(values.names)
    taken: set[str] = set()
    numbers: Counter[str] = Counter()
    result: list[ReturnValue] = []
    for expression, name, other in zip(values.expressions, values.names, fallback, strict=True):
        source = _converted(expression)
        free = wanted = name or other or (source if source not in parameters else "") or "out"
        while free in taken:
            numbers[wanted] += 1
            free = f"{wanted}_{numbers[wanted]}"
        taken.add(free)
        result.append(ReturnValue(free, text_of(expression, lines), span_of(expression, lines)))
    return tuple(result)


def _returned(function: Function, known: Mapping[str, Candidate], records: Records, depth: int) -> Returned:
    if isinstance(function, ast.Lambda):
        return _values(function.body, {}, known, records, depth)
    statements = list(own_statements(function))
    found = [item for item in statements if isinstance(item, ast.Return) and not _is_none(item.value)]
    assigned = _assigned(statements)
    options = [_values(item.value, assigned, known, records, depth) for item in found if item.value is not None]
    if not options:
        return Returned()
    last = options[-1]
    counts = sorted({len(option.names) for option in options})
    if len(counts) > 1:
        doubt = f"its return statements give {' or '.join(map(str, counts))} values; the last one counts"
        return Returned(last.expressions, last.names, (*last.doubts, (found[-1], doubt)))
    names = [next(filter(None, column), "") for column in zip(*(reversed([o.names for o in options])), strict=True)]
    return Returned(last.expressions, tuple(names), last.doubts)


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _assigned(statements: Sequence[ast.stmt]) -> dict[str, ast.expr | None]:
    """The one expression that each name is assigned; None for a name with several."""
    found: dict[str, ast.expr | None] = {}
    for statement in statements:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name):
                found[target.id] = None if target.id in found else statement.value
    return found


def _values(
    value: ast.expr,
    assigned: Mapping[str, ast.expr | None],
    known: Mapping[str, Candidate],
    records: Records,
    depth: int,
) -> Returned:
    """The values of one returned expression: the parts of a tuple, list, dict or record; else one."""
    if isinstance(value, ast.IfExp):
        return _values(value.body, assigned, known, records, depth)
    if isinstance(value, (ast.Tuple, ast.List)):
        doubts = tuple((item, "how many values it unpacks is not known") for item in value.elts if _is_starred(item))
        return Returned(tuple(value.elts), tuple(map(_plain, value.elts)), doubts)
    if isinstance(value, ast.Dict) and value.keys and all(isinstance(key, ast.Constant) for key in value.keys):
        keys = [str(key.value) if isinstance(key, ast.Constant) else "" for key in value.keys]
        return Returned(tuple(value.values), tuple(keys))
    if isinstance(value, ast.Call) and dotted(value.func) in records:
        return _record(value, records[dotted(value.func)])
    if isinstance(value, ast.Name):
        meant = assigned.get(value.id)
        record = isinstance(meant, ast.Call) and dotted(meant.func) in records
        if isinstance(meant, (ast.Tuple, ast.Dict)) or record or _callee(meant, known):
            inner = _values(meant, {}, known, records, depth) if meant is not None else Returned()
            if len(inner.names) != 1:
                return inner
        return Returned((value,), (value.id,))
    callee = _callee(value, known)
    if callee is not None and depth < _DEEPEST:
        inner = _returned(callee.node, known, records, depth + 1)
        if len(inner.names) > 1:
            return Returned((value,) * len(inner.names), inner.names, inner.doubts)
    return Returned((value,), (_plain(value),))


def _record(value: ast.Call, fields: Sequence[str]) -> Returned:
    """The fields that a call of the class gives."""
    given = dict(zip(fields, value.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in value.keywords if keyword.arg}
    return Returned(tuple(given.values()), tuple(given))


def _callee(value: ast.expr | None, known: Mapping[str, Candidate]) -> Candidate | None:
    return known.get(dotted(value.func)) if isinstance(value, ast.Call) else None


def _is_starred(node: ast.expr) -> bool:
    return isinstance(node, ast.Starred)


def _converted(node: ast.expr) -> str:
    """The variable whose value in another dtype or layout the expression is; "" for any other expression."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CONVERSIONS:
        node = node.func.value
    return _plain(node)


def _plain(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
