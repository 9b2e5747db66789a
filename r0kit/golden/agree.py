"""Where a golden and its SPEC contradict each other: names, order, defaults, number of results."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Any

from r0kit.finding import Finding, Location, Severity
from r0kit.golden.signature import GoldenFunction, Parameter
from r0kit.golden.span import Span, span_of
from r0kit.spec.model import Spec
from r0kit.spec.suggest import listed, meant


def disagreements(golden: GoldenFunction, spec: Spec, owned: Collection[str] = ()) -> Iterator[Finding]:
    """Every contradiction, at its place in the golden; none where SPEC lists no inputs, parameters or outputs.

    owned: inputs that the golden's module owns, which SPEC may list too.
    """
    if spec.op_name and spec.op_name != golden.op:
        message = f"SPEC calls the operator {spec.op_name}, the contract calls it {golden.op}"
        yield _finding(golden, span_of(golden.node, golden.lines), message, f"--op {spec.op_name} takes SPEC's name")
    if spec.inputs:
        yield from _inputs(golden, spec, owned)
    yield from _defaults(golden, spec)
    if spec.outputs and golden.returns and len(spec.outputs) != len(golden.returns):
        names = ", ".join(tensor.name for tensor in spec.outputs)
        message = (
            f"{golden.name} returns {len(golden.returns)} values, but SPEC has {len(spec.outputs)} outputs: {names}"
        )
        yield _finding(golden, golden.returns[0].span, message, "make SPEC's outputs follow the golden")


def _inputs(golden: GoldenFunction, spec: Spec, owned: Collection[str]) -> Iterator[Finding]:
    parameters = {parameter.name: parameter for parameter in golden.parameters}
    for tensor in spec.inputs:
        if tensor.name not in parameters and tensor.name not in owned:
            message = (
                f"SPEC has the input {tensor.name} (line {tensor.place.line}), which is no parameter of {golden.name}"
            )
            hint = meant(tensor.name, parameters) or listed(parameters)
            yield _finding(golden, span_of(golden.node, golden.lines), message, hint)
    for parameter in golden.tensors:
        if spec.input(parameter.name) is None and not parameter.default:
            message = f"SPEC has no input {parameter.name}, which {golden.name} needs"
            yield _finding(
                golden, parameter.span, message, f"add {parameter.name} to SPEC's inputs, with shape and dtype"
            )
    ours = [parameter.name for parameter in golden.tensors if spec.input(parameter.name)]
    theirs = [tensor.name for tensor in spec.inputs if tensor.name in ours]
    if ours != theirs and ours:
        message = f"SPEC lists the inputs as {', '.join(theirs)}, {golden.name} takes them as {', '.join(ours)}"
        yield _finding(golden, parameters[ours[0]].span, message, "the golden's order counts")


def _defaults(golden: GoldenFunction, spec: Spec) -> Iterator[Finding]:
    parameters = {parameter.name: parameter for parameter in golden.parameters}
    for name, value in spec.default_params.items():
        parameter = parameters.get(name)
        if parameter is None:
            message = f"default_params has {name}, which is no parameter of {golden.name}"
            hint = meant(name, parameters) or f"remove {name} from default_params"
            yield _finding(golden, span_of(golden.node, golden.lines), message, hint)
        elif _contradicts(parameter, value):
            message = f"the default of {name} is {parameter.default} in {golden.name}, but {value!r} in SPEC"
            yield _finding(golden, parameter.span, message, "SPEC's value counts")


def _contradicts(parameter: Parameter, value: Any) -> bool:
    """Whether the golden writes a default of another value; a default that is no literal says nothing."""
    try:
        default = ast.literal_eval(parameter.default)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    plain = list(default) if isinstance(default, tuple) else default
    return bool(plain != value)


def _finding(golden: GoldenFunction, span: Span, message: str, hint: str) -> Finding:
    place = Location(golden.path, span.line, span.column, span.end_line, span.end_column)
    return Finding("golden.spec", Severity.WARNING, message, place, hint)
