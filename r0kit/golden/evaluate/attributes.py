"""`base.name`: attributes of tensors, libraries, results and objects; what is left is a method about to be called."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from r0kit.golden import ops
from r0kit.golden.dtypes import BYTES
from r0kit.golden.evaluate import names
from r0kit.golden.evaluate.run import Run
from r0kit.golden.values import (
    DtypeValue,
    FunctionValue,
    LayerValue,
    LibraryValue,
    MethodValue,
    ObjectValue,
    ScalarValue,
    SequenceValue,
    TensorValue,
    UnknownValue,
    Value,
    constant,
)

# Fields of the named tuples that torch returns, by the place of the item.
_FIELDS = {"values": 0, "indices": 1, "mantissa": 0, "exponent": 1, "min": 0, "max": 1, "Q": 0, "R": 1}


def attribute(run: Run, node: ast.AST, base: Value, name: str) -> Value:
    """The value of `base.name`."""
    read = _READERS.get(type(base))
    if read is None:
        return MethodValue(base, name)
    return read(run, node, base, name)


def _of_tensor(run: Run, node: ast.AST, base: TensorValue, name: str) -> Value:
    tensor = run.storage.latest(base)
    with run.builder.at(run.source.span(node), run.source.written(node)):
        value = ops.attribute(run.builder, tensor, name)
    if value is not None:
        return value
    if name == "data":
        return tensor
    return MethodValue(tensor, name)


def _of_library(run: Run, node: ast.AST, base: LibraryValue, name: str) -> Value:
    return names.of_library(f"{base.path}.{name}")


def _of_sequence(run: Run, node: ast.AST, base: SequenceValue, name: str) -> Value:
    place = _FIELDS.get(name)
    if place is not None and not base.is_list and place < len(base.items):
        return base.items[place]
    return MethodValue(base, name)


def _of_object(run: Run, node: ast.AST, base: ObjectValue, name: str) -> Value:
    value = find_attribute(run, base, name)
    if value is not None:
        return value
    return run.unsupported(node, f"`{base.name}` has no attribute `{name}` that r0kit knows", "", "golden.unknown-name")


def find_attribute(run: Run, base: ObjectValue, name: str) -> Value | None:
    """An attribute of an instance or of its class; functions of the class come bound to the instance."""
    if name in base.attributes:
        return base.attributes[name]
    if base.parent is None:
        return None
    value = find_attribute(run, base.parent, name)
    if isinstance(value, FunctionValue) and isinstance(value.node, ast.FunctionDef):
        decorators = {getattr(decorator, "id", "") for decorator in value.node.decorator_list}
        if "staticmethod" in decorators:
            return value
        owner: Value = base.parent if "classmethod" in decorators else base
        bound = replace(value, bound=(owner, *value.bound))
        return run.call(bound, (), {}, value.node) if decorators & {"property", "cached_property"} else bound
    return value


def _of_dtype(run: Run, node: ast.AST, base: DtypeValue, name: str) -> Value:
    known = {"is_floating_point": base.name.startswith(("float", "bfloat")), "itemsize": BYTES[base.name]}
    return constant(known[name]) if name in known else MethodValue(base, name)


def _of_scalar(run: Run, node: ast.AST, base: ScalarValue, name: str) -> Value:
    if name in ("real", "value") or name == "type":  # `x.device.type` is "cpu" like `x.device`
        return base
    return MethodValue(base, name)


def _of_function(run: Run, node: ast.AST, base: FunctionValue, name: str) -> Value:
    return constant(getattr(base.node, "name", "<lambda>"))


def _of_layer(run: Run, node: ast.AST, base: LayerValue, name: str) -> Value:
    return base.kwargs.get(name) or UnknownValue(f"`{name}` of a layer")


def _of_unknown(run: Run, node: ast.AST, base: UnknownValue, name: str) -> Value:
    return base


_READERS: dict[type, Callable[..., Value]] = {
    TensorValue: _of_tensor,
    LibraryValue: _of_library,
    SequenceValue: _of_sequence,
    ObjectValue: _of_object,
    DtypeValue: _of_dtype,
    ScalarValue: _of_scalar,
    FunctionValue: _of_function,
    LayerValue: _of_layer,
    UnknownValue: _of_unknown,
}
