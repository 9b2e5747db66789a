"""`base.name`: attributes of tensors, libraries, results and objects; what is left is a method about to be called."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from r0kit.golden import ops
from r0kit.golden.dtypes import BYTES
from r0kit.golden.evaluate import names
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.state import INSTANCE
from r0kit.golden.ops import layers
from r0kit.golden.values import (
    NONE,
    DictValue,
    DtypeValue,
    FunctionValue,
    LayerValue,
    LibraryValue,
    MethodValue,
    ObjectValue,
    ScalarValue,
    SequenceValue,
    SuperValue,
    TensorValue,
    UnknownValue,
    Value,
    constant,
)

LIBRARY, LAYER = "%library", "%layer"  # attributes that only reading knows, as INSTANCE
MODULE_METHODS = frozenset(
    (
        *("register_buffer", "register_parameter", "add_module", "register_module", "apply", "reset_parameters"),
        *("to", "float", "cpu", "cuda", "requires_grad_", "modules", "children", "parameters", "append"),
    )
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
    if library_of(base):
        if name == "training":
            return constant(run.state.training)
        if name in MODULE_METHODS:
            return MethodValue(base, name)
    return run.unsupported(node, f"`{base.name}` has no attribute `{name}` that r0kit knows", "", "golden.unknown-name")


def find_attribute(run: Run, base: ObjectValue, name: str) -> Value | None:
    """An attribute of an instance or of its class; functions of the class come bound to the instance."""
    if name in base.attributes:
        return base.attributes[name]
    value = inherited(base.parent, name)
    return _bound(run, base, value) if INSTANCE in base.attributes else value


def inherited(owner: ObjectValue | None, name: str) -> Value | None:
    """An attribute of a class or of one that it derives from, as it stands there."""
    while owner is not None:
        if name in owner.attributes:
            return owner.attributes[name]
        owner = owner.parent
    return None


def _bound(run: Run, base: ObjectValue, value: Value | None) -> Value | None:
    """What a class says, as its instance `base` has it."""
    if not isinstance(value, FunctionValue) or not isinstance(value.node, ast.FunctionDef):
        return value
    decorators = {getattr(decorator, "id", "") for decorator in value.node.decorator_list}
    if "staticmethod" in decorators:
        return value
    owner: Value = (base.parent or base) if "classmethod" in decorators else base
    bound = replace(value, bound=(owner, *value.bound))
    return run.call(bound, (), {}, value.node) if decorators & {"property", "cached_property"} else bound


def library_of(value: ObjectValue) -> str:
    """The class of a library that an object's class derives from ("torch.nn.Module"); "" where there is none."""
    base = inherited(value if value.parent is None else value.parent, LIBRARY)
    return base.path if isinstance(base, LibraryValue) else ""


def _of_super(run: Run, node: ast.AST, base: SuperValue, name: str) -> Value:
    value = inherited(base.owner.parent, name)
    if value is not None:
        return _bound(run, base.instance, value) or value
    if name == "__init__":
        return MethodValue(base, name)
    layer = base.instance.attributes.get(LAYER)
    if name in ("forward", "__call__") and layer is not None:
        return layer
    return attribute(run, node, base.instance, name) if name in MODULE_METHODS else UnknownValue(f"`super().{name}`")


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
    """A weight, or a setting of its constructor."""
    held = base.kwargs.get("weights")
    if isinstance(held, DictValue) and name in held.items:
        return held.items[name]
    if isinstance(held, DictValue) and name in layers.BY_PATH[base.path].weights:
        return NONE
    if name in MODULE_METHODS:
        return MethodValue(base, name)
    return layers.setting(base, name) or UnknownValue(f"`{name}` of a layer")


def _of_dictionary(run: Run, node: ast.AST, base: DictValue, name: str) -> Value:
    """A module of a ModuleDict is an attribute of it too."""
    if id(base) in run.state.containers and name in base.items and not hasattr(dict, name):
        return base.items[name]
    return MethodValue(base, name)


def _of_unknown(run: Run, node: ast.AST, base: UnknownValue, name: str) -> Value:
    return base


_READERS: dict[type, Callable[..., Value]] = {
    TensorValue: _of_tensor,
    LibraryValue: _of_library,
    SequenceValue: _of_sequence,
    DictValue: _of_dictionary,
    ObjectValue: _of_object,
    SuperValue: _of_super,
    DtypeValue: _of_dtype,
    ScalarValue: _of_scalar,
    FunctionValue: _of_function,
    LayerValue: _of_layer,
    UnknownValue: _of_unknown,
}
