"""The file as a scope: its top-level definitions are read when they are first needed."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator, Sequence

from r0kit.golden.evaluate.flow import Flow
from r0kit.golden.evaluate.scope import Journal, Scope
from r0kit.golden.values import LibraryValue, Value

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
BUILTINS = frozenset(dir(builtins))


class Module:
    """The file as a scope. A definition is read when it is first asked for, so that what no golden uses costs nothing.

    bound: name -> statements at the top level that bind it, in order; pending: those not read yet.
    """

    def __init__(
        self, tree: ast.Module, journal: Journal, run: Callable[[Sequence[ast.stmt], Scope], Flow | None]
    ) -> None:
        self.scope = Scope(None)
        self._journal, self._run = journal, run
        self.pending: dict[str, list[ast.stmt]] = {}
        for statement in tree.body:
            for name in bound_names(statement):
                self.pending.setdefault(name, []).append(statement)
        self.bound = dict(self.pending)

    def find(self, name: str) -> Value | None:
        """What `name` means at the top level of the file, or as a builtin; None where it means nothing."""
        statements = self.pending.get(name)
        if statements:
            self._journal.drop(self.pending, name)
            self._read(statements)
        value = self.scope.names.get(name)
        if value is not None:
            return value
        return LibraryValue(f"builtins.{name}") if name in BUILTINS else None

    def _read(self, statements: list[ast.stmt]) -> None:
        last = statements[-1]
        only = [last] if isinstance(last, (*_FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)) else statements
        self._run(only, self.scope)


def bound_names(statement: ast.AST) -> Iterator[str]:
    """Names that a statement binds in its own scope, those of nested blocks included."""
    names = _BINDERS.get(type(statement))
    if names is not None:
        yield from names(statement)
        return
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, (ast.stmt, ast.ExceptHandler, ast.withitem)):
            yield from bound_names(child)
        elif isinstance(child, ast.expr):
            yield from _stored(child)


_CHANGING = frozenset(
    ("append", "extend", "insert", "pop", "popitem", "remove", "clear", "update", "setdefault", "sort", "reverse")
)


def changed_names(statement: ast.AST) -> set[str]:
    """Names whose tensor, list or dictionary a statement may change: `x[i] = v`, `x += v`, `x.add_(v)`, `l.append(v)`."""
    found: set[str] = set()
    for inner in ast.walk(statement):
        match inner:
            case ast.AugAssign(target=place) | ast.Subscript(value=place, ctx=ast.Store() | ast.Del()):
                found.add(_root(place))
            case ast.Call(func=ast.Attribute(value=place, attr=method)) if method.endswith("_") or method in _CHANGING:
                found.add(_root(place))
    return found - {""}


def _root(node: ast.AST) -> str:
    """The name that an item, an attribute or a method's result is of: `x` of `x[i].T.add_`."""
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _stored(node: ast.expr) -> Iterator[str]:
    """Names stored by an expression: targets, and walruses inside."""
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            yield node.id
        return
    stack: list[ast.AST] = [node]
    while stack:
        inner = stack.pop()
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner.id
        if not isinstance(inner, ast.Lambda):
            stack.extend(ast.iter_child_nodes(inner))


def _imported(statement: ast.AST) -> Iterator[str]:
    for alias in getattr(statement, "names", ()):
        yield alias.asname or alias.name.partition(".")[0]


def _imported_from(statement: ast.AST) -> Iterator[str]:
    for alias in getattr(statement, "names", ()):
        yield alias.asname or alias.name


def _defined(statement: ast.AST) -> Iterator[str]:
    yield getattr(statement, "name", "")


_BINDERS: dict[type[ast.AST], Callable[[ast.AST], Iterator[str]]] = {
    ast.Import: _imported,
    ast.ImportFrom: _imported_from,
    ast.FunctionDef: _defined,
    ast.AsyncFunctionDef: _defined,
    ast.ClassDef: _defined,
}
