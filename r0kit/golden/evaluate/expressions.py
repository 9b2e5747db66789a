"""Expressions: one function per kind of syntax, in the table `EXPRESSIONS`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from r0kit.golden.evaluate import arithmetic, comprehensions, containers, names, trial
from r0kit.golden.evaluate.attributes import attribute
from r0kit.golden.evaluate.calls import call_expression
from r0kit.golden.evaluate.conditions import decide, merged
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.scalars import Constant
from r0kit.golden.values import (
    EllipsisValue,
    ScalarValue,
    SliceValue,
    UnknownValue,
    Value,
    constant,
)


def _constant(run: Run, node: ast.Constant, scope: Scope) -> Value:
    value = _written(run, node, scope)
    return trial.of_value(run.trials, node, value) if run.trials else value


def _name(run: Run, node: ast.Name, scope: Scope) -> Value:
    value = _written(run, node, scope)
    return trial.of_name(run.trials, node, value) if run.trials else value


def _written(run: Run, node: ast.Constant | ast.Name, scope: Scope) -> Value:
    """A constant or name as it stands, before it is taken for a tile."""
    if isinstance(node, ast.Constant):
        return EllipsisValue() if node.value is ... else constant(node.value)
    value = names.lookup(run, node.id, scope)
    return names.unknown_name(run, node) if value is None else value


def _attribute(run: Run, node: ast.Attribute, scope: Scope) -> Value:
    return attribute(run, node, run.value(node.value, scope), node.attr)


def _binary(run: Run, node: ast.BinOp, scope: Scope) -> Value:
    """`a + b + c ...` leans to the left and can be long, so the left spine is walked in a loop."""
    spine = [node]
    while isinstance(spine[-1].left, ast.BinOp):
        spine.append(spine[-1].left)
    first = spine[-1].left
    value = run.value(first, scope)
    for part in reversed(spine):
        run.budget.spend(len(run.builder.steps))
        right = run.value(part.right, scope)
        if run.trials and isinstance(value, ScalarValue) and isinstance(right, ScalarValue):
            left = value
            value = _tile_beside(run, first, left, right, scope) if part is spine[-1] else left
            right = _tile_beside(run, part.right, right, left, scope)
        value = arithmetic.binary(run, part, type(part.op), run.storage.renew(value), right)
    return value


def _tile_beside(run: Run, node: ast.expr, value: Value, other: Value, scope: Scope) -> Value:
    """An operand beside the number of a trip: where it is the extent of that loop's tile, it means that."""
    if not isinstance(node, ast.Constant | ast.Name):
        return value
    return trial.beside(run.trials, _written(run, node, scope), other) or value


def _unary(run: Run, node: ast.UnaryOp, scope: Scope) -> Value:
    operand = run.value(node.operand, scope)
    if not isinstance(node.op, ast.Not):
        return arithmetic.unary(run, node, type(node.op), operand)
    known = decide(run, operand, node)
    return constant(not known) if known is not None else UnknownValue("its operand depends on data")


def _boolean(run: Run, node: ast.BoolOp, scope: Scope) -> Value:
    """`and` / `or` with Python's short circuit; the value is that of the operand that decides."""
    stops = isinstance(node.op, ast.Or)
    value: Value = constant(stops)
    unknown: Value | None = None
    for operand in node.values:
        value = run.value(operand, scope)
        known = decide(run, value, operand)
        if known is stops:
            return value
        if known is None and unknown is None:
            unknown = value
    return unknown if unknown is not None else value


def _compare(run: Run, node: ast.Compare, scope: Scope) -> Value:
    left = run.value(node.left, scope)
    result: Value = constant(True)
    for operator, right_node in zip(node.ops, node.comparators, strict=True):
        right = run.value(right_node, scope)
        result = arithmetic.compare(run, node, type(operator), left, right)
        if len(node.ops) > 1 and decide(run, result, node) is False:
            return result
        left = right
    return result


def _conditional(run: Run, node: ast.IfExp, scope: Scope) -> Value:
    test = run.value(node.test, scope)
    known = decide(run, test, node.test)
    if known is not None:
        return run.value(node.body if known else node.orelse, scope)
    message = f"`{run.source.written(node.test)}` depends on data, which decides the value of this expression"
    run.note(node.test, "golden.data-dependent-branch", message, "compute both and choose with torch.where")
    return merged(run, node, test, [run.value(node.body, scope), run.value(node.orelse, scope)])


def _lambda(run: Run, node: ast.Lambda, scope: Scope) -> Value:
    return names.function_of(run, node, scope)


def _slice(run: Run, node: ast.Slice, scope: Scope) -> Value:
    parts = (node.lower, node.upper, node.step)
    return SliceValue(*(None if part is None else run.value(part, scope) for part in parts))


def _subscript(run: Run, node: ast.Subscript, scope: Scope) -> Value:
    base = run.value(node.value, scope)
    return containers.item(run, node, base, run.value(node.slice, scope))


def _walrus(run: Run, node: ast.NamedExpr, scope: Scope) -> Value:
    value = run.value(node.value, scope)
    names.assign(run, node.target.id, value, scope)
    return value


def _formatted(run: Run, node: ast.JoinedStr, scope: Scope) -> Value:
    """An f-string: its text where every part is constant, so that it can be a key; otherwise "" ."""
    text = ""
    for part in node.values:
        value = run.value(part.value, scope) if isinstance(part, ast.FormattedValue) else run.value(part, scope)
        known = isinstance(value, ScalarValue) and isinstance(value.scalar, Constant)
        if not known or (isinstance(part, ast.FormattedValue) and part.format_spec is not None):
            return constant("")
        text += str(value.scalar.value) if isinstance(value, ScalarValue) and isinstance(value.scalar, Constant) else ""
    return constant(text)


def _starred(run: Run, node: ast.Starred, scope: Scope) -> Value:
    return run.value(node.value, scope)


EXPRESSIONS: dict[type[ast.expr], Callable[..., Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.Call: call_expression,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Lambda: _lambda,
    ast.NamedExpr: _walrus,
    ast.JoinedStr: _formatted,
    ast.Starred: _starred,
    ast.Tuple: containers.display,
    ast.List: containers.display,
    ast.Set: containers.display,
    ast.Dict: containers.dictionary,
    ast.ListComp: comprehensions.comprehension,
    ast.SetComp: comprehensions.comprehension,
    ast.GeneratorExp: comprehensions.comprehension,
    ast.DictComp: comprehensions.dictionary,
}
