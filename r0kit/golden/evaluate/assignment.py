"""Assignment to any target."""

from __future__ import annotations

import ast

from r0kit.golden.evaluate import classes, containers, names, stores
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.values import Value


def assign(run: Run, target: ast.expr, value: Value, scope: Scope) -> None:
    """Bind a target: a name, an unpacking, `x[i]` or `a.b`."""
    if isinstance(target, ast.Name):
        names.assign(run, target.id, value, scope)
    elif isinstance(target, ast.Tuple | ast.List):
        for inner, item in zip(target.elts, containers.unpack(run, target, value, target.elts), strict=True):
            assign(run, inner, item, scope)
    elif isinstance(target, ast.Starred):
        assign(run, target.value, value, scope)
    elif isinstance(target, ast.Subscript):
        stores.store(run, target, value, scope)
    elif isinstance(target, ast.Attribute):
        classes.set_attribute(run, target, run.value(target.value, scope), value)
