"""Everything in a golden file that could be its golden: functions at any depth, classes with `forward`, and aliases."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

Function = ast.FunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Candidate:
    """A named callable.

    node: the function that is called, behind aliases, partials and factories. owner: the class whose method it is.
    nested: it is defined inside a function. bound: arguments that a `functools.partial` has given by name; given: how
    many it has given by position. closure: arguments of the factory that returned it.
    """

    name: str
    qualified: str
    line: int
    node: Function
    owner: ast.ClassDef | None = None
    nested: bool = False
    conditional: bool = False
    bound: Mapping[str, ast.expr] = field(default_factory=dict)
    given: int = 0
    closure: Mapping[str, ast.expr] = field(default_factory=dict)


def candidates(tree: ast.Module) -> list[Candidate]:
    """All of them in the order of the file; of several definitions of one name in one block, the last."""
    functions = [*_definitions(tree)]
    known = {candidate.qualified: candidate for candidate in functions}
    last: dict[str, Candidate] = {}
    for candidate in [*functions, *_aliases(tree.body, known)]:
        before = last.get(candidate.qualified)
        if before is not None and candidate.conditional and not before.conditional:
            continue
        last[candidate.qualified] = candidate
    return sorted(last.values(), key=lambda candidate: candidate.line)


def is_static(node: ast.FunctionDef) -> bool:
    return any(isinstance(item, ast.Name) and item.id == "staticmethod" for item in node.decorator_list)


def _definitions(tree: ast.Module) -> Iterator[Candidate]:
    """Functions and classes, outer ones first. A stack, for files may nest as deep as `ast` can read."""
    within: tuple[str, ast.ClassDef | None, bool, bool] = ("", None, False, False)
    pending = [(statement, *within) for statement in reversed(tree.body)]
    while pending:
        statement, scope, owner, nested, conditional = pending.pop()
        if isinstance(statement, ast.FunctionDef):
            if not _is_overload(statement):
                name = scope + statement.name
                yield Candidate(statement.name, name, statement.lineno, statement, owner, nested, conditional)
            within = (f"{scope}{statement.name}.", None, True, conditional)
        elif isinstance(statement, ast.ClassDef):
            within = (f"{scope}{statement.name}.", statement, nested, conditional)
        else:
            branches = isinstance(statement, (ast.If, ast.Try, ast.For, ast.While, ast.Match))
            within = (scope, owner, nested, conditional or branches)
        pending.extend((child, *within) for child in reversed([*_blocks(statement)]))


def _blocks(statement: ast.stmt) -> Iterator[ast.stmt]:
    """Statements directly inside a compound statement."""
    for block in ("body", "orelse", "finalbody"):
        yield from (child for child in getattr(statement, block, ()) if isinstance(child, ast.stmt))
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield from part.body


def _is_overload(node: ast.FunctionDef) -> bool:
    names = [item.attr if isinstance(item, ast.Attribute) else getattr(item, "id", "") for item in node.decorator_list]
    return "overload" in names


# Aliases


def _aliases(body: list[ast.stmt], known: Mapping[str, Candidate]) -> Iterator[Candidate]:
    """`f_golden = g`, `= lambda ...`, `= functools.partial(g, ...)`, `= factory(...)`, `= wrapper(g)` of a module."""
    found: dict[str, Candidate] = {}
    for statement in body:
        for inner in (statement, *_blocks(statement)) if isinstance(statement, (ast.If, ast.Try)) else (statement,):
            target = _target(inner)
            value = getattr(inner, "value", None)
            if target and isinstance(value, ast.expr):
                meant = _meant(value, {**known, **found}, 0)
                if meant is not None:
                    alias = replace(
                        meant,
                        name=target,
                        qualified=target,
                        line=inner.lineno,
                        nested=False,
                        conditional=inner is not statement,
                    )
                    found[target] = alias
                    yield alias


def _target(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id
    return ""


def _meant(value: ast.expr, known: Mapping[str, Candidate], depth: int) -> Candidate | None:
    """The function that an expression stands for, or None."""
    if depth > 8:
        return None
    if isinstance(value, ast.Lambda):
        return Candidate("<lambda>", "<lambda>", value.lineno, value)
    if isinstance(value, (ast.Name, ast.Attribute)):
        return known.get(dotted(value))
    if not isinstance(value, ast.Call):
        return None
    if dotted(value.func) in ("functools.partial", "partial") and value.args:
        inner = _meant(value.args[0], known, depth + 1)
        return _partial(inner, value) if inner else None
    factory = known.get(dotted(value.func))
    if factory is not None:
        return made_by(factory, value, known, depth)
    # A wrapper: `torch.no_grad()(f)`, `torch.compile(f)`.
    return _meant(value.args[0], known, depth + 1) if len(value.args) == 1 else None


def _partial(inner: Candidate, call: ast.Call) -> Candidate:
    bound = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    given = inner.given + len(call.args) - 1
    return replace(inner, bound={**inner.bound, **bound}, given=given)


def made_by(
    factory: Candidate, call: ast.Call | None, known: Mapping[str, Candidate], depth: int = 0
) -> Candidate | None:
    """The function that `factory` returns, with the arguments of `call` as its closure; None where it returns none."""
    if not isinstance(factory.node, ast.FunctionDef) or depth > 8:
        return None
    prefix = factory.qualified + "."
    inside = {name.removeprefix(prefix): function for name, function in known.items() if name.startswith(prefix)}
    returned = [item.value for item in own_statements(factory.node) if isinstance(item, ast.Return) and item.value]
    made = _meant(returned[-1], {**known, **inside}, depth + 1) if returned else None
    if made is None or made.node is factory.node:
        return None
    closure = {**factory.closure, **_arguments(factory.node, call)} if call else made.closure
    return replace(made, nested=True, closure=closure)


def _arguments(function: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr]:
    """Arguments of `call` by the names of the parameters of `function`, its defaults included."""
    signature = function.args
    names = [argument.arg for argument in (*signature.posonlyargs, *signature.args)]
    values = dict(zip(names[len(names) - len(signature.defaults) :], signature.defaults, strict=True))
    keyword_defaults = zip(signature.kwonlyargs, signature.kw_defaults, strict=True)
    values |= {argument.arg: default for argument, default in keyword_defaults if default is not None}
    values |= dict(zip(names, call.args, strict=False))
    return values | {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}


def own_statements(function: ast.FunctionDef) -> Iterator[ast.stmt]:
    """Statements of a function at any depth, those of functions and classes inside it left out; in source order."""
    pending = list(reversed(function.body))
    while pending:
        statement = pending.pop()
        yield statement
        if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            pending.extend(reversed([*_blocks(statement)]))


def dotted(node: ast.expr) -> str:
    """`a.b.c` as text; "" where it is anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""
