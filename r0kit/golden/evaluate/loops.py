"""Loops."""

from __future__ import annotations

import ast

from r0kit.golden.builder import OperationError
from r0kit.golden.evaluate import conditions, containers
from r0kit.golden.evaluate.flow import Break, Flow, Raised, Returned
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.values import Value

MOST_TRIPS = 64


def run_while(run: Run, node: ast.While, scope: Scope) -> Flow | None:
    for _ in range(MOST_TRIPS):
        known = conditions.truth_of(run, node.test, scope)
        if known is None:
            break
        if not known:
            return run.block(node.orelse, scope)
        flow = run.block(node.body, scope)
        if isinstance(flow, Break):
            return None
        if isinstance(flow, Returned | Raised):
            return flow
    raise OperationError("a `while` loop whose number of trips is not known before the golden runs")


def run_for(run: Run, node: ast.For, scope: Scope) -> Flow | None:
    items = containers.items_of(run, run.value(node.iter, scope))
    if items is None:
        raise OperationError("symbolic loop")
    for item in items:
        run.assign(node.target, item, scope)
        flow = run.block(node.body, scope)
        if isinstance(flow, Break):
            return None
        if isinstance(flow, Returned | Raised):
            return flow
    return run.block(node.orelse, scope)


def collect(run: Run, node: ast.AST, target: ast.expr, iterable: Value, element: ast.expr, scope: Scope) -> Value:
    raise OperationError("symbolic comprehension")
