"""Comprehensions: loops that build a list or a dictionary, with names of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable

from r0kit.golden.builder import OperationError
from r0kit.golden.evaluate import conditions, containers, loops
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.values import DictValue, SequenceValue, Value


def comprehension(run: Run, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope) -> Value:
    """`[f(x) for x in items if c]`; a generator is read as the list of its items, a set as that of different ones."""
    result = _listed(run, node, scope)
    if isinstance(node, ast.SetComp) and isinstance(result, SequenceValue):
        result.items[:] = containers.once(result.items)
    return result


def _listed(run: Run, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope) -> Value:
    result = SequenceValue([], is_list=True)
    inner = Scope(scope)
    if len(node.generators) == 1 and not node.generators[0].ifs:
        iterable = run.value(node.generators[0].iter, scope)
        if containers.items_of(run, iterable) is None:
            return loops.collect(run, node, iterable, scope)
        _each(run, node, 0, inner, lambda: result.items.append(run.value(node.elt, inner)), iterable)
        return result
    _each(run, node, 0, inner, lambda: result.items.append(run.value(node.elt, inner)))
    return result


def dictionary(run: Run, node: ast.DictComp, scope: Scope) -> Value:
    """`{k: v for ...}`."""
    result = DictValue()
    inner = Scope(scope)

    def add() -> None:
        name = containers.key(run, run.value(node.key, inner))
        result.items[name] = run.value(node.value, inner)

    _each(run, node, 0, inner, add)
    return result


def _each(
    run: Run,
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
    depth: int,
    scope: Scope,
    add: Callable[[], None],
    iterable: Value | None = None,
) -> None:
    """Run `add` for every combination of items that passes the conditions."""
    if depth == len(node.generators):
        add()
        return
    generator = node.generators[depth]
    items = containers.items_of(run, iterable if iterable is not None else run.value(generator.iter, scope))
    if items is None:
        raise OperationError("the number of items is not known before the golden runs", "write it as a loop")
    for item in items:
        run.assign(generator.target, item, scope)
        known = [conditions.truth_of(run, test, scope) for test in generator.ifs]
        if None in known:
            raise OperationError("which items stay depends on data", "compute all of them and choose with torch.where")
        if all(known):
            _each(run, node, depth + 1, scope, add)
