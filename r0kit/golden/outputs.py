"""What a golden returns, as the outputs of its Program."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from r0kit.finding import Severity
from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Shape, parse_dim, shape_text
from r0kit.golden.dtypes import canonical
from r0kit.golden.evaluate.leaves import leaves
from r0kit.golden.evaluate.run import Run
from r0kit.golden.program import Output
from r0kit.golden.signature import GoldenFunction
from r0kit.golden.values import (
    DictValue,
    PiecesValue,
    ScalarValue,
    TensorValue,
    UnknownValue,
    Value,
    is_none,
)
from r0kit.spec import Spec, TensorSpec


def outputs_of(
    run: Run, golden: GoldenFunction, spec: Spec, result: Value, mappings: Mapping[str, DictValue]
) -> list[Output]:
    """The returned tensors, and the parameters that the golden writes into; named as its signature says.

    mappings: the golden's dict parameters as it leaves them, some keys perhaps with another tensor than they came with.
    Beside a return value a written parameter counts only where SPEC lists it as an output.
    """
    try:
        returned = _returned(golden, spec, list(leaves([result])))
    except OperationError as error:
        run.note(golden.node, "golden.no-output", error.message, error.hint, Severity.ERROR)
        return []
    values = dict(returned)
    for parameter in golden.parameters:
        wanted = not returned or spec.output(parameter.name) is not None
        if parameter.written and wanted and parameter.name in run.builder.inputs:
            left = mappings[parameter.key_of].items if parameter.key_of in mappings else run.builder.inputs
            values.setdefault(parameter.name, left.get(parameter.name, run.builder.inputs[parameter.name]))
    if not values:
        hint = "return the results, or store them into a parameter"
        run.note(golden.node, "golden.no-output", f"{golden.name} gives no tensor", hint, Severity.ERROR)
    found = [_output(run, golden, spec, name, value) for name, value in values.items()]
    return [output for output in found if output is not None]


def _returned(golden: GoldenFunction, spec: Spec, values: Sequence[Value]) -> list[tuple[str, Value]]:
    """Returned values with names: the signature's where it counts as many, SPEC's, else out, out_1, ...; None is left out."""
    given = [value for value in values if not is_none(value)]
    names = [value.name for value in golden.returns]
    if len(names) == len(values):
        return [(name, value) for name, value in zip(names, values, strict=True) if not is_none(value)]
    if len(names) != len(given):
        declared = [tensor.name for tensor in spec.outputs]
        names = (
            declared
            if len(declared) == len(given)
            else [f"out_{place}" if place else "out" for place in range(len(given))]
        )
    return list(zip(names, given, strict=True))


def _output(run: Run, golden: GoldenFunction, spec: Spec, name: str, value: Value) -> Output | None:
    node = _last_return(golden)
    declared = spec.output(name)
    if isinstance(value, PiecesValue):
        value = UnknownValue("it is a list that a loop fills, whose number of tensors is an extent")
    if isinstance(value, ScalarValue):
        message = f"{golden.name} returns the Python number {name}, which is no tensor"
        run.note(node, "golden.scalar-output", message, "return it as a tensor, or leave it out")
        return None
    if not isinstance(value, TensorValue):
        value = _unknown(run, node, name, value, declared)
    tensor = run.storage.latest(value)
    if tensor.dtype == "float64":
        message = f"{name} is computed in float64; the contract declares it float32"
        run.note(node, "golden.float64", message, "compute in float32 if the extra digits do not matter")
    if declared is not None:
        _compare(run, node, name, tensor, declared)
    return Output(name, tensor.ref)


def _last_return(golden: GoldenFunction) -> ast.AST:
    if isinstance(golden.node, ast.Lambda):
        return golden.node.body
    found = [node for node in ast.walk(golden.node) if isinstance(node, ast.Return)]
    return max(found, key=lambda node: node.lineno) if found else golden.node


def _unknown(run: Run, node: ast.AST, name: str, value: Value, declared: TensorSpec | None) -> TensorValue:
    """An output of which nothing is known: computed somehow from all inputs, in the shape that SPEC declares."""
    reason = value.reason if isinstance(value, UnknownValue) else "it is no tensor"
    run.note(node, "golden.unknown-output", f"how {name} is computed is not known: {reason}", "see the other findings")
    shape = _declared_shape(declared)
    with run.builder.at(run.source.span(node), run.source.written(node)):
        dtype = canonical(declared.dtype) if declared is not None and declared.dtype else "float32"
        operands = list(run.builder.inputs.values())
        unknown = shape is None
        return run.builder.emit("opaque", operands, shape or (), dtype, unknown_shape=unknown)


def _declared_shape(declared: TensorSpec | None) -> Shape | None:
    try:
        return None if declared is None or declared.shape is None else tuple(map(parse_dim, declared.shape))
    except ValueError:
        return None


def _compare(run: Run, node: ast.AST, name: str, tensor: TensorValue, declared: TensorSpec) -> None:
    """Findings where SPEC declares another shape or dtype than the golden computes."""
    shape = _declared_shape(declared)
    if shape is not None and not _agree(run, shape, tensor.shape):
        message = f"{name} is {shape_text(tensor.shape)} in the golden, but {shape_text(shape)} in SPEC"
        run.note(node, "golden.output-shape", message, "correct the one that is wrong")
    if declared.dtype and canonical(declared.dtype) != tensor.dtype and tensor.dtype != "float64":
        message = f"{name} is {tensor.dtype} in the golden, but {canonical(declared.dtype)} in SPEC"
        run.note(node, "golden.output-dtype", message, "correct the one that is wrong")


def _agree(run: Run, left: Shape, right: Shape) -> bool:
    if len(left) != len(right):
        return False
    pairs = [(a.assuming(run.builder.exact), b.assuming(run.builder.exact)) for a, b in zip(left, right, strict=True)]
    numbers = [(run.builder.known(a), run.builder.known(b)) for a, b in pairs if a != b]
    return all(a is None or b is None or a == b for a, b in numbers)
