"""Statements: one function per kind of syntax, in the table `STATEMENTS`. Each says how it leaves its block."""

from __future__ import annotations

import ast
from collections.abc import Callable

from r0kit.golden.evaluate import classes, conditions, containers, loops, names, stores
from r0kit.golden.evaluate.flow import Break, Continue, Flow, Raised, Returned
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.scalars import Constant
from r0kit.golden.values import NONE, LibraryValue, ScalarValue, SequenceValue, TensorValue, Value


def _assign(run: Run, node: ast.Assign, scope: Scope) -> Flow | None:
    value = run.value(node.value, scope)
    for target in node.targets:
        run.assign(target, value, scope)
    return None


def _annotated(run: Run, node: ast.AnnAssign, scope: Scope) -> Flow | None:
    """`x: T = v`; the annotation says nothing about the value."""
    if node.value is not None:
        run.assign(node.target, run.value(node.value, scope), scope)
    return None


def _augmented(run: Run, node: ast.AugAssign, scope: Scope) -> Flow | None:
    """`x += y`: in place for a tensor or a list, a new value for everything else."""
    if isinstance(node.target, ast.Subscript):
        stores.augment(run, node.target, node, scope)
        return None
    loaded = _loaded(node.target)
    before = run.value(loaded, scope)
    right = run.value(node.value, scope)
    if isinstance(before, TensorValue):
        run.assign(node.target, stores.augmented_tensor(run, node, before, right), scope)
    elif isinstance(before, SequenceValue) and before.is_list and isinstance(node.op, ast.Add):
        more = containers.spread(run, node.value, right)
        run.journal.edit(before.items, lambda: before.items.extend(more))
    else:
        run.assign(node.target, run.binary(node, type(node.op), before, right), scope)
    return None


def _loaded(target: ast.expr) -> ast.expr:
    """The target as an expression to read."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    assert isinstance(target, ast.Attribute)
    return ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)


def _expression(run: Run, node: ast.Expr, scope: Scope) -> Flow | None:
    if not isinstance(node.value, ast.Constant):  # a docstring, or a string that serves as a comment
        run.value(node.value, scope)
    return None


def _return(run: Run, node: ast.Return, scope: Scope) -> Flow | None:
    return Returned(NONE if node.value is None else run.value(node.value, scope))


def _raise(run: Run, node: ast.Raise, scope: Scope) -> Flow | None:
    message = "the golden raises an exception here on the first p0 case"
    run.note(node, "golden.raises", message, "check the p0 case and the parameters in SPEC.md")
    return Raised()


def _assert(run: Run, node: ast.Assert, scope: Scope) -> Flow | None:
    """Equalities of extents become constraints; what the first p0 case breaks is a finding."""
    tests = node.test.values if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And) else [node.test]
    for test in tests:
        _assert_one(run, test, run.value(test, scope))
    return None


def _assert_one(run: Run, node: ast.expr, value: Value) -> None:
    said = conditions.equalities(value.scalar, True) if isinstance(value, ScalarValue) else None
    if said and all(conditions.require(run, node, left, right) for left, right in said):
        return
    if isinstance(value, ScalarValue) and isinstance(value.scalar, Constant):
        known: bool | None = bool(value.scalar.value)
    else:
        known = conditions.decide(run, value, node)
    if known is False:
        message = f"the assertion `{run.source.written(node)}` fails on the first p0 case"
        run.note(node, "golden.assertion", message, "check the p0 case and the parameters in SPEC.md")


def _while(run: Run, node: ast.While, scope: Scope) -> Flow | None:
    return loops.run_while(run, node, scope)


def _for(run: Run, node: ast.For, scope: Scope) -> Flow | None:
    return loops.run_for(run, node, scope)


def _with(run: Run, node: ast.With, scope: Scope) -> Flow | None:
    """The block runs; contexts that change what it computes are named."""
    for item in node.items:
        context = item.context_expr
        function = run.value(context.func, scope) if isinstance(context, ast.Call) else None
        path = function.path if isinstance(function, LibraryValue) else ""
        if path not in _TRANSPARENT:
            message = f"the effect of `with {run.source.written(context)}` on the block is not read"
            run.note(context, "golden.unsupported", message, "spell out the casts that it makes")
        if item.optional_vars is not None:
            run.assign(item.optional_vars, NONE, scope)
    return run.block(node.body, scope)


_TRANSPARENT = {
    "torch.no_grad",
    "torch.inference_mode",
    "torch.enable_grad",
    "torch.set_grad_enabled",
    "torch.autograd.set_grad_enabled",
    "torch.device",
    "torch.profiler.record_function",
    "warnings.catch_warnings",
    "contextlib.nullcontext",
    "numpy.errstate",
}


def _try(run: Run, node: ast.Try, scope: Scope) -> Flow | None:
    """The body is taken to raise nothing; import fallbacks are so common that they get no finding."""
    if not all(isinstance(inner, ast.Import | ast.ImportFrom) for inner in node.body):
        run.note(node, "golden.unsupported", "the `try` body is read as if it raised nothing", "remove the `try`")
    for block in (node.body, node.orelse, node.finalbody):
        flow = run.block(block, scope)
        if flow is not None:
            return flow
    return None


def _delete(run: Run, node: ast.Delete, scope: Scope) -> Flow | None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            run.journal.drop(scope.home(target.id).names, target.id)
        elif isinstance(target, ast.Subscript):
            stores.delete_item(run, target, scope)
    return None


def _outer(run: Run, node: ast.Global | ast.Nonlocal, scope: Scope) -> Flow | None:
    for name in node.names:
        found = run.module.scope if isinstance(node, ast.Global) else scope.parent and scope.parent.find(name)
        if found is not None:
            scope.outer[name] = found
    return None


def _silent(function: Callable[..., None]) -> Callable[..., Flow | None]:
    def read(run: Run, node: ast.stmt, scope: Scope) -> Flow | None:
        function(run, node, scope)
        return None

    return read


def _leaving(flow: Flow | None) -> Callable[..., Flow | None]:
    return lambda run, node, scope: flow


STATEMENTS: dict[type[ast.stmt], Callable[..., Flow | None]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Expr: _expression,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.For: _for,
    ast.While: _while,
    ast.With: _with,
    ast.Try: _try,
    ast.Delete: _delete,
    ast.Global: _outer,
    ast.Nonlocal: _outer,
    ast.Import: _silent(names.do_import),
    ast.ImportFrom: _silent(names.do_import_from),
    ast.FunctionDef: _silent(names.define),
    ast.ClassDef: _silent(classes.define),
    ast.Pass: _leaving(None),
    ast.Break: _leaving(Break()),
    ast.Continue: _leaving(Continue()),
}
