"""Classes of the golden file: configuration objects with constants, dataclasses and named tuples, simple methods."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from r0kit.golden.evaluate import names
from r0kit.golden.evaluate.attributes import find_attribute
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.returns import field_names
from r0kit.golden.values import FunctionValue, ObjectValue, SequenceValue, UnknownValue, Value


def define(run: Run, node: ast.ClassDef, scope: Scope) -> None:
    """The class as an object: its attributes are what its body binds; fields without a value are kept in order."""
    inner = Scope(scope)
    run.block(node.body, inner)
    parent = next((base for base in (run.value(b, scope) for b in node.bases) if isinstance(base, ObjectValue)), None)
    names.assign(run, node.name, ObjectValue(node.name, inner.names, parent), scope)
    run.fields[node.name] = [
        statement.target.id
        for statement in node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    ]


def call_object(
    run: Run, target: ObjectValue, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST
) -> Value:
    """A class makes an instance; an instance is called through `__call__` or `forward`."""
    if target.name not in run.fields or target.attributes.get("%instance"):
        method = find_attribute(run, target, "__call__") or find_attribute(run, target, "forward")
        if method is not None:
            return run.call(method, args, kwargs, node)
        return run.unsupported(node, f"`{target.name}` is no function")
    instance = ObjectValue(target.name, {"%instance": UnknownValue("the object itself")}, target)
    init = find_attribute(run, instance, "__init__")
    if isinstance(init, FunctionValue):
        run.call(init, args, kwargs, node)
    else:
        for name, value in (*zip(run.fields[target.name], args, strict=False), *kwargs.items()):
            run.journal.put(instance.attributes, name, value)
    return instance


def namedtuple(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    """`collections.namedtuple("Out", ["y", "z"])`: a class with these fields."""
    given = [*args, *kwargs.values()]
    if len(given) < 2:
        return run.unsupported(node, f"`{run.source.written(node)}` does not say its fields")
    name = str(run.builder.fold(given[0], "the name of a class"))
    listed = given[1].items if isinstance(given[1], SequenceValue) else [given[1]]
    fields = [part for item in listed for part in field_names(run.builder.fold(item, "the name of a field"))]
    run.fields[name] = fields
    return ObjectValue(name)


def fields_in_order(run: Run, value: Value) -> list[Value] | None:
    """What a named tuple or dataclass holds, field by field; None of anything else."""
    if not isinstance(value, ObjectValue) or value.parent is None:
        return None
    names = run.fields.get(value.name, ())
    return [value.attributes[name] for name in names if name in value.attributes] or None


def set_attribute(run: Run, node: ast.Attribute, base: Value, value: Value) -> None:
    """`base.name = value`."""
    if isinstance(base, ObjectValue):
        run.journal.put(base.attributes, node.attr, value)
    elif node.attr != "data":
        run.unsupported(node, f"`{run.source.written(node)}` cannot be assigned to")
