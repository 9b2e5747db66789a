"""Classes of the golden file: configuration objects with constants, dataclasses and named tuples, simple methods."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from r0kit.golden.evaluate import modules, names
from r0kit.golden.evaluate.attributes import LAYER, LIBRARY, find_attribute, library_of
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.evaluate.state import INSTANCE
from r0kit.golden.returns import field_names
from r0kit.golden.values import (
    DictValue,
    FunctionValue,
    LayerValue,
    LibraryValue,
    ObjectValue,
    SequenceValue,
    UnknownValue,
    Value,
)


def define(run: Run, node: ast.ClassDef, scope: Scope) -> None:
    """The class as an object: its attributes are what its body binds; fields without a value are kept in order."""
    inner = Scope(scope)
    bases = [run.value(base, scope) for base in node.bases]
    parent = next((base for base in bases if isinstance(base, ObjectValue)), None)
    made = ObjectValue(node.name, inner.names, parent)
    inner.names["__class__"] = made
    library = next((base for base in bases if isinstance(base, LibraryValue) and base.path.startswith("torch.")), None)
    if library is not None:
        inner.names[LIBRARY] = library
    run.block(node.body, inner)
    names.assign(run, node.name, made, scope)
    run.fields[node.name] = [
        statement.target.id
        for statement in node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    ]


def call_object(
    run: Run, target: ObjectValue, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST
) -> Value:
    """A class makes an instance; an instance is called through `__call__` or `forward`."""
    if target.name not in run.fields or INSTANCE in target.attributes:
        return _called(run, target, args, kwargs, node)
    instance = ObjectValue(target.name, {INSTANCE: UnknownValue("the object itself")}, target)
    init = find_attribute(run, instance, "__init__")
    library = library_of(instance)
    if isinstance(init, FunctionValue):
        run.call(init, args, kwargs, node)
    elif library:
        modules.begin_as(run, instance, library, args, kwargs, node)
    else:
        for name, value in (*zip(run.fields[target.name], args, strict=False), *kwargs.items()):
            run.journal.put(instance.attributes, name, value)
    return instance


def _called(run: Run, target: ObjectValue, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
    """An instance: its `__call__`, its `forward`, or what it has from the class of a library."""
    method = find_attribute(run, target, "__call__") or find_attribute(run, target, "forward")
    method = method or target.attributes.get(LAYER)
    if method is not None:
        return run.call(method, args, kwargs, node)
    inside = modules.members(run, target)
    if inside is not None:
        return modules.call_members(run, inside, args, kwargs, node)
    return run.unsupported(node, f"`{target.name}` is no function")


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
    """What a named tuple, dataclass or Sequential holds, part by part; None of anything else."""
    inside = modules.members(run, value)
    if inside is not None:
        return inside
    if not isinstance(value, ObjectValue) or value.parent is None:
        return None
    names = run.fields.get(value.name, ())
    return [value.attributes[name] for name in names if name in value.attributes] or None


def set_attribute(run: Run, node: ast.Attribute, base: Value, value: Value) -> None:
    """`base.name = value`."""
    if isinstance(base, ObjectValue):
        modules.set_member(run, base, node.attr, value)
    elif isinstance(base, LayerValue) and isinstance(held := base.kwargs.get("weights"), DictValue):
        run.journal.put(held.items, node.attr, value)
    elif node.attr != "data":
        run.unsupported(node, f"`{run.source.written(node)}` cannot be assigned to")
