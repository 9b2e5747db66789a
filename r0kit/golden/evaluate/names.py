"""What names mean: the module's definitions, read when they are first needed; imports; constants of libraries."""

from __future__ import annotations

import ast
import builtins
import math

from r0kit.golden.dtypes import BYTES, canonical
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.values import DtypeValue, FunctionValue, LibraryValue, UnknownValue, Value, constant

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

BUILTINS = frozenset(dir(builtins))

CONSTANTS: dict[str, object] = {
    "math.pi": math.pi,
    "math.e": math.e,
    "math.inf": math.inf,
    "math.nan": math.nan,
    "math.tau": math.tau,
    "torch.pi": math.pi,
    "torch.e": math.e,
    "torch.inf": math.inf,
    "torch.nan": math.nan,
    "numpy.pi": math.pi,
    "numpy.e": math.e,
    "numpy.inf": math.inf,
    "numpy.nan": math.nan,
    "torch.__version__": "2.0.0",
    "torch.newaxis": None,
    "numpy.newaxis": None,
}


def of_library(path: str) -> Value:
    """The value of a library's attribute: a dtype, a number, or the thing itself by its path."""
    if path in CONSTANTS:
        return constant(CONSTANTS[path])
    package, _, name = path.rpartition(".")
    if package in ("torch", "numpy") and canonical(name) in BYTES:
        return DtypeValue(canonical(name))
    return LibraryValue(path)


def lookup(run: Run, name: str, scope: Scope) -> Value | None:
    """What `name` means in `scope`; None where it means nothing."""
    found = scope.find(name)
    if found is not None and found is not run.module.scope:
        return found.names[name]
    return run.module.find(name)


def assign(run: Run, name: str, value: Value, scope: Scope) -> None:
    """Let `name` stand for `value`."""
    run.builder.bind(value, name)
    run.journal.put(scope.home(name).names, name, value)


def unknown_name(run: Run, node: ast.Name) -> UnknownValue:
    hint = "define it in this file, or import it at its top"
    return run.unsupported(node, f"the name `{node.id}` is not defined here", hint, "golden.unknown-name")


def do_import(run: Run, statement: ast.Import, scope: Scope) -> None:
    """`import a.b` binds `a`; `import a.b as c` binds `c` to `a.b`."""
    for alias in statement.names:
        name = alias.asname or alias.name.partition(".")[0]
        assign(run, name, LibraryValue(alias.name if alias.asname else name), scope)


def do_import_from(run: Run, statement: ast.ImportFrom, scope: Scope) -> None:
    """`from a import b as c` binds `c` to `a.b`."""
    package = "." * statement.level + (statement.module or "")
    for alias in statement.names:
        if alias.name == "*":
            run.unsupported(statement, f"`from {package} import *` hides which names exist", "import the names you use")
        else:
            assign(run, alias.asname or alias.name, of_library(f"{package}.{alias.name}"), scope)


def function_of(run: Run, node: ast.FunctionDef | ast.Lambda, scope: Scope) -> FunctionValue:
    """A function where it is defined; its defaults are what they are there, and each call gets the same."""
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    pairs = [
        *zip(positional[len(positional) - len(given.defaults) :], given.defaults, strict=True),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]
    defaults = {parameter.arg: run.value(default, scope) for parameter, default in pairs if default is not None}
    return FunctionValue(node, scope, defaults=defaults)


def define(run: Run, statement: ast.FunctionDef, scope: Scope) -> None:
    assign(run, statement.name, function_of(run, statement, scope), scope)
