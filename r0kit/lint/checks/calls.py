"""Operators, functions and names that the API does not have in this form."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import get_close_matches

from r0kit.finding import Fault, Severity
from r0kit.lint.subject import Subject
from r0kit.lint.trace.model import Op
from r0kit.lint.versions import JUDGED, NEWER, api, names_of

_SIGNS = {"sub": "-", "div": "/", "mul": "*", "pow": "**", "floordiv": "//", "mod": "%"}
_MISSPELT = ("pto", "pyto", "pytorch")
_CONFIGURATION = ("pypto.frontend", "pypto.experimental", "pypto.op", "pypto.pypto_impl", "pypto.pass_config")


def scalar_left(subject: Subject) -> Iterator[Fault]:
    """`1.0 - x`: the reflected operators came with 0.2.0."""
    for op in _scalar_first(subject, "sub", "div", "mul"):
        yield Fault(op.node, f"a scalar stands left of `{_SIGNS[op.name]}` and the tensor right of it")


def scalar_left_of_power(subject: Subject) -> Iterator[Fault]:
    """`2.0 ** x`: these have no reflected operator."""
    for op in _scalar_first(subject, "pow", "floordiv", "mod"):
        yield Fault(op.node, f"a scalar stands left of `{_SIGNS[op.name]}` and the tensor right of it")


def _scalar_first(subject: Subject, *names: str) -> Iterator[Op]:
    for _, op in subject.ops(*names):
        if op.form == "operator" and len(op.args) == 2 and op.args[0].is_scalar and op.args[1].is_tensor:
            yield op


def scalar_first_argument(subject: Subject) -> Iterator[Fault]:
    """`pypto.add(1.0, x)`: the first argument is a tensor."""
    for _, op in subject.ops("add", "sub", "mul", "div", "pow"):
        if op.form != "function" or len(op.args) < 2 or not op.args[0].is_scalar:
            continue
        literal = isinstance(op.node, ast.Call) and op.node.args and isinstance(op.node.args[0], ast.Constant)
        if op.args[1].is_tensor or (literal and op.args[1].kind == "unknown"):
            yield Fault(op.node, f"the first argument of pypto.{op.name} is a scalar, the second the tensor")


def arithmetic_on_closures(subject: Subject) -> Iterator[Fault]:
    """`pypto.mul(delta, -1.0)`: numbers are Python's."""
    for kernel, op in subject.ops():
        plain = op.form == "function" and op.name not in ("full", "maximum", "minimum", "arange", "tril", "triu")
        if plain and kernel.jit and op.args and all(value.is_scalar for value in (*op.args, *op.options.values())):
            name = op.args[0].name or "this"
            yield Fault(op.node, f"pypto.{op.name} is called on numbers alone: {name} is a Python number, not a tensor")


def unknown_names(subject: Subject) -> Iterator[Fault]:
    """`pypto.clamp`: names that this version does not have, each where it occurs first."""
    have = names_of(subject.version if subject.asked else JUDGED)
    yield from _unknown_methods(subject)
    said: set[str] = set()
    modules = _modules(subject)
    for node in subject.nodes:
        if not isinstance(node, ast.Attribute):
            continue
        dotted = subject.names.dotted(node)
        name = dotted.removeprefix("pypto.") if dotted and dotted.startswith("pypto.") else ""
        if name and "." not in name and name not in have | said | modules and not _is_module(name):
            said.add(name)
            fault = _unknown(node, name, have, subject.version)
            yield fault if subject.asked or name not in api().names[NEWER] else fault._replace(severity=Severity.NOTE)


def _unknown_methods(subject: Subject) -> Iterator[Fault]:
    """`x.clamp(0.0, 1.0)` of what is known to be a tensor."""
    newer = frozenset() if subject.asked and subject.version != NEWER else api().newer_methods
    for _, op in subject.ops():
        node = op.node.func if op.form == "method" and isinstance(op.node, ast.Call) else None
        if isinstance(node, ast.Attribute) and node.attr not in api().methods | newer:
            name = _instead(node.attr, names_of(subject.version))
            yield Fault(node, f"pypto.Tensor has no method {node.attr}", name)


def _modules(subject: Subject) -> set[str]:
    """Modules of pypto, or of another package of this name, that the file imports by name or puts there itself."""
    found: set[str] = set()
    for node in subject.nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return {name.split(".")[1] if name.startswith("pypto.") else name for name in found}


def _is_module(name: str) -> bool:
    return f"pypto.{name}" in _CONFIGURATION or name.startswith("_") or name in ("language", "ir", "pil", "runtime")


def _unknown(node: ast.Attribute, name: str, have: frozenset[str], version: str) -> Fault:
    """A name that is not there, or not yet. Not asked for a version, a file with newer names is taken for a newer one."""
    shown = JUDGED if version == NEWER else version
    if name not in api().names[NEWER]:
        return Fault(node, f"pypto {shown} has no pypto.{name}", _instead(name, have))
    hint = _instead(name, have) or f"write it in operations that {shown} has"
    return Fault(node, f"pypto.{name} is newer than pypto {shown}", hint)


def _instead(name: str, have: frozenset[str]) -> str:
    if name in api().aliases:
        return f"write {api().aliases[name]}"
    near = get_close_matches(name, sorted(have), 1, 0.75)
    return f"did you mean pypto.{near[0]}?" if near else ""


def misspelt_module(subject: Subject) -> Iterator[Fault]:
    """`import pto`; and `pto.add` where no name of the file is `pto`."""
    for node in subject.nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in _MISSPELT and _means_pypto(subject, alias.asname or alias.name):
                    yield Fault(alias, f"there is no module {alias.name} with kernels", "write `import pypto`")
        elif isinstance(node, ast.ImportFrom) and node.module in _MISSPELT and not node.level:
            if {alias.name for alias in node.names} <= api().names[NEWER]:
                yield Fault(node, f"there is no module {node.module} with kernels", "write `from pypto import`")
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = node.value.id
            if name in _MISSPELT and name not in _bound(subject) and node.attr in api().names[NEWER]:
                yield Fault(node.value, f"`{name}` is no name of this file", f"write pypto.{node.attr}")


def _means_pypto(subject: Subject, name: str) -> bool:
    """Whether what the file takes from the module are names of the graph API, and no others."""
    used = {
        node.attr
        for node in subject.nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
    }
    return bool(used) and used <= api().names[NEWER]


def _bound(subject: Subject) -> frozenset[str]:
    """Names that the file binds anywhere."""
    stored = {n.id for n in subject.nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    arguments = {n.arg for n in subject.nodes if isinstance(n, ast.arg)}
    return frozenset(stored | arguments | subject.names.aliases.keys())
