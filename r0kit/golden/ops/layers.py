"""`torch.nn` layers: each is a functional operation with settings from its constructor, and weights of known shapes.

A layer is called as `call(path, [*inputs, *constructor arguments], {constructor keywords, weights=, training=})`.
`weights` is a dictionary of the layer's tensors by name; `training` is the mode of the module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, Shape
from r0kit.golden.ops.layer_table import LAYERS, REFUSED, Layer
from r0kit.golden.ops.ranks import applied
from r0kit.golden.ops.row import PREFIXES, Call, Operation, Rule, bind
from r0kit.golden.values import DictValue, LayerValue, Value, constant, is_none


@dataclass(frozen=True, slots=True)
class Weight:
    """A tensor that a layer owns: a parameter, or a buffer such as the running mean."""

    name: str
    shape: Shape
    dtype: str = "float32"


def weights(builder: Builder, path: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> tuple[Weight, ...]:
    """The tensors of the layer `path(*args, **kwargs)`, args being those of its constructor."""
    layer = BY_PATH.get(path)
    if layer is None:
        return ()
    inputs = [constant(None)] * layer.inputs
    call = Call(builder, path, bind(layer.signature, path, [*inputs, *args], kwargs))
    dtype = call.dtype() or "float32"
    return tuple(
        Weight(name, _shape(call, extents), dtype)
        for name, (extents, condition) in layer.weights.items()
        if not condition or all(_wanted(call, part) for part in condition.split())
    )


def setting(layer: LayerValue, name: str) -> Value | None:
    """What the constructor of a layer was given as `name`, or its default; None where it takes no such argument."""
    known = BY_PATH.get(layer.path)
    if known is None:
        return layer.kwargs.get(name)
    inputs = [constant(None)] * known.inputs
    arguments = bind(known.signature, layer.path, [*inputs, *layer.args], layer.kwargs)
    return arguments.get(name)


def _wanted(call: Call, flag: str) -> bool:
    return bool(call.builder.fold(call[flag], flag))


def _shape(call: Call, text: str) -> Shape:
    """Extents written with constructor arguments: "out_channels, in_channels//groups, *kernel_size:2"."""
    shape: list[Dim] = []
    for part in text.split(", ") if text else ():
        if part.startswith("*"):
            name, _, count = part[1:].partition(":")
            values = call.extents(name)
            shape += values * int(count) if len(values) == 1 and count else values
        else:
            top, _, bottom = part.partition("//")
            extent = call.builder.extent(call[top], top)
            shape.append(extent // call.builder.extent(call[bottom], bottom) if bottom else extent)
    return tuple(shape)


def _rule(layer: Layer, target: Operation) -> Rule:
    """The functional call with what the layer passes on, its weights and its mode."""

    def rule(call: Call) -> Value:
        passed = {ours: call[theirs] for ours, theirs in layer.passed.items()}
        if layer.weights:
            passed |= _weights_of(call, layer)
        arguments = bind(target.signature, call.path, [call[name] for name in layer.positional], passed)
        return applied(target, Call(call.builder, target.spellings[0], arguments))

    return rule


def _weights_of(call: Call, layer: Layer) -> dict[str, Value]:
    held = call["weights"]
    needed = [
        name for name, (_, condition) in layer.weights.items() if all(_wanted(call, p) for p in condition.split())
    ]
    if not needed:
        return {}
    if not isinstance(held, DictValue):
        name = call.path.rpartition(".")[2]
        raise OperationError(
            f"nn.{name} has weights that the golden does not show", "pass them in, and call the functional form"
        )
    return {name: held.items[name] for name in needed if name in held.items and not is_none(held.items[name])}


def _refusing(reason: str) -> Rule:
    def rule(call: Call) -> Value:
        raise OperationError(f"nn.{call.path.rpartition('.')[2]} {reason}", "write the computation out in the golden")

    return rule


def rows(functional: Mapping[str, Operation]) -> list[Operation]:
    """Rows of all layers over the rows of the functional operations, by spelling."""
    made = []
    for layer in LAYERS:
        prefix, _, name = layer.target.partition(".")
        target = functional[f"{PREFIXES.get(prefix, prefix)}.{name}"]
        made.append(Operation(target.name, layer.paths, layer.signature, _rule(layer, target)))
    for name, reason in REFUSED.items():
        made.append(Operation(name.lower(), (f"torch.nn.{name}",), "(*args, **settings)", _refusing(reason)))
    return made


BY_PATH: Mapping[str, Layer] = {path: layer for layer in LAYERS for path in layer.paths}
