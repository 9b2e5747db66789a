"""Calls: functions of the file are inlined with a scope of their own, everything else goes to a table."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from r0kit.golden.evaluate import classes, containers, library, methods
from r0kit.golden.evaluate.budget import DEPTH
from r0kit.golden.evaluate.flow import Raised, Returned
from r0kit.golden.evaluate.operations import opaque
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.values import (
    NONE,
    DictValue,
    FunctionValue,
    LayerValue,
    LibraryValue,
    MethodValue,
    NativeValue,
    ObjectValue,
    SequenceValue,
    UnknownValue,
    Value,
)

_RECURSION = 24  # times that one function may be open inside itself


def call_expression(run: Run, node: ast.Call, scope: Scope) -> Value:
    """`f(a, *b, k=c, **d)`."""
    function = run.value(node.func, scope)
    early = library.BEFORE_ARGUMENTS.get(function.path) if isinstance(function, LibraryValue) else None
    if early is not None:
        return early(run, node, scope)
    args: list[Value] = []
    for argument in node.args:
        value = run.value(argument, scope)
        args.extend(containers.spread(run, argument, value) if isinstance(argument, ast.Starred) else [value])
    kwargs: dict[str, Value] = {}
    for keyword in node.keywords:
        value = run.value(keyword.value, scope)
        if keyword.arg is not None:
            kwargs[keyword.arg] = value
        elif isinstance(value, DictValue):
            kwargs.update({str(name): item for name, item in value.items.items()})
        else:
            run.unsupported(keyword.value, "only a dictionary can be unpacked into keyword arguments")
    return call(run, function, args, kwargs, node)


def call(run: Run, function: Value, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    """The value of `function(*args, **kwargs)`; its Steps stand at `node`."""
    apply = _CALLERS.get(type(function))
    if apply is None:
        return run.unsupported(node, f"`{run.source.written(node)}` calls something that is no function")
    return apply(run, function, args, kwargs, node)


def _unknown(
    run: Run, function: UnknownValue, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST
) -> Value:
    return opaque(run, node, [*args, *kwargs.values()])


def _layer(run: Run, function: LayerValue, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    return library.call_layer(run, function, args, kwargs, node)


def _native(
    run: Run, function: NativeValue, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST
) -> Value:
    return function.call(args, kwargs)


def _object(
    run: Run, function: ObjectValue, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST
) -> Value:
    return classes.call_object(run, function, args, kwargs, node)


def inline(
    run: Run, function: FunctionValue, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST
) -> Value:
    """Read the body of a function of the file with its parameters bound."""
    name = getattr(function.node, "name", "lambda")
    if len(run.calls) >= DEPTH or run.calls.count(function.node) >= _RECURSION:
        hint = "replace the recursion by a loop with a fixed number of trips"
        hidden = run.unsupported(node, f"the calls of `{name}` lie too deep in each other", hint, "golden.recursion")
        return _hidden(run, node, hidden, [*args, *kwargs.values()])
    scope = Scope(function.scope)
    given = [*function.bound, *args]
    problem = bind(run, function, given, {**function.bound_keywords, **kwargs}, scope)
    if problem:
        hidden = run.unsupported(node, f"`{name}` {problem}", "call it with the arguments it takes", "golden.arguments")
        return _hidden(run, node, hidden, [*args, *kwargs.values()])
    run.calls.append(function.node)
    try:
        return body_value(run, function.node, scope)
    finally:
        run.calls.pop()


def _hidden(run: Run, node: ast.AST, hidden: UnknownValue, args: Sequence[Value]) -> Value:
    result = opaque(run, node, args)
    return hidden if isinstance(result, UnknownValue) else result


def body_value(run: Run, node: ast.FunctionDef | ast.Lambda, scope: Scope) -> Value:
    """What a function returns, its parameters being bound in `scope`."""
    if isinstance(node, ast.Lambda):
        return run.value(node.body, scope)
    flow = run.block(node.body, scope)
    if isinstance(flow, Returned):
        return flow.value
    return UnknownValue(f"`{node.name}` raises an exception") if isinstance(flow, Raised) else NONE


def bind(run: Run, function: FunctionValue, args: Sequence[Value], kwargs: Mapping[str, Value], scope: Scope) -> str:
    """Bind a call's arguments in `scope`; "" or what does not fit."""
    given = function.node.args
    positional = [*given.posonlyargs, *given.args]
    names = [parameter.arg for parameter in positional]
    bound: dict[str, Value] = dict(zip(names, args, strict=False))
    if given.vararg is not None:
        bound[given.vararg.arg] = SequenceValue(list(args[len(names) :]))
    elif len(args) > len(names):
        return f"takes {len(names)} positional arguments, not {len(args)}"
    keywords = {*names[len(given.posonlyargs) :], *(parameter.arg for parameter in given.kwonlyargs)}
    rest = DictValue()
    for name, value in kwargs.items():
        if name in keywords and name not in bound:
            bound[name] = value
        elif given.kwarg is not None and name not in keywords:
            rest.items[name] = value
        else:
            return f"gets `{name}` twice" if name in keywords else f"takes no argument `{name}`"
    if given.kwarg is not None:
        bound[given.kwarg.arg] = rest
    scope.names.update(bound)
    return _defaults(function, scope)


def _defaults(function: FunctionValue, scope: Scope) -> str:
    """Fill in the defaults of what is not bound yet; "" or the parameter that has none."""
    given = function.node.args
    for parameter in (*given.posonlyargs, *given.args, *given.kwonlyargs):
        if parameter.arg in scope.names:
            continue
        if parameter.arg not in function.defaults:
            return f"needs an argument `{parameter.arg}`"
        scope.names[parameter.arg] = function.defaults[parameter.arg]
    return ""


def _library(
    run: Run, function: LibraryValue, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST
) -> Value:
    return library.call_path(run, function.path, args, kwargs, node)


def _method(
    run: Run, function: MethodValue, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST
) -> Value:
    return methods.call_method(run, function, args, kwargs, node)


_CALLERS: dict[type, Callable[..., Value]] = {
    FunctionValue: inline,
    LibraryValue: _library,
    MethodValue: _method,
    LayerValue: _layer,
    NativeValue: _native,
    ObjectValue: _object,
    UnknownValue: _unknown,
}
