"""A Program as a table to check at a glance, and as plain data for programs."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from r0kit.golden.dims import Dim, Shape, shape_text
from r0kit.golden.program import Input, Operand, Program, Ref, ScalarParameter, Step
from r0kit.golden.scalars import Apply, Constant, Extent, Parameter, Reading, text

HEADER = ("line", "target", "operation", "kind", "section", "shape", "dtype")
_WIDEST = 60  # columns of an operation
_SHOWN = ("axes", "axis", "order", "index", "start", "stop", "step", "diagonal", "k", "shape", "repeats", "pads")

Row = tuple[str, ...]


def table(program: Program) -> str:
    """Inputs, parameters, Steps and outputs, one a line, in columns; wide characters count as two."""
    rows = [HEADER, *_inputs(program), *_steps(program.steps), *_outputs(program)]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return "".join(_line(row, widths) for row in rows)


def _line(row: Row, widths: Sequence[int]) -> str:
    cells = [cell + " " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=True)]
    return "  ".join(cells).rstrip() + "\n"


def width(cell: str) -> int:
    """Columns of a terminal that a text takes."""
    if cell.isascii():
        return len(cell)
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in cell)


def _inputs(program: Program) -> Iterator[Row]:
    for value in program.inputs:
        kind = "list of tensors" if value.is_list else "input"
        yield "", value.name, kind, "", "", shape_text(value.shape), value.dtype
    for parameter in program.parameters:
        number = repr(parameter.value) if parameter.known else "?"
        yield "", parameter.name, f"parameter = {number}{' (folded)' * parameter.folded}", "", "", "", ""


def _steps(steps: Sequence[Step], indent: str = "") -> Iterator[Row]:
    for step in steps:
        shape = "unknown" if step.attrs.get("unknown_shape") else shape_text(step.shape)
        line, target = str(step.span.line), indent + step.target
        yield line, target, operation(step), step.kind.value, step.section.value, shape, step.dtype
        yield from _steps(step.body, indent + "  ")


def _outputs(program: Program) -> Iterator[Row]:
    shapes = {value.name: (value.shape, value.dtype) for value in program.inputs}
    shapes |= {step.target: (step.shape, step.dtype) for step in program.steps}
    for output in program.outputs:
        shape, dtype = shapes[output.value]
        written = "output" if output.value == output.name else f"output = {output.value}"
        yield "", output.name, written, "", "", shape_text(shape), dtype


def operation(step: Step) -> str:
    """The Step as a call: `amax(x, axes=(1,))`, the composite that it was expanded from behind it."""
    names = [name for name in _SHOWN if name in step.attrs and not (name == "axis" and "axes" in step.attrs)]
    shown = [f"{name}={_brief(step.attrs[name])}" for name in names]
    if step.op == "loop":
        shown = [f"{step.attrs['trip']} < {step.attrs['count']}"]
    call = f"{step.op}({', '.join([*map(operand_text, step.operands), *shown])})"
    if width(call) > _WIDEST:
        call = call[: _WIDEST - 4] + "...)"
    return f"{call}  [{step.origin}]" if step.origin else call


def operand_text(operand: Operand) -> str:
    """An operand as Python writes it."""
    return operand.name if isinstance(operand, Ref) else text(operand)


def _brief(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_brief, value))}{',' * (len(value) == 1)})"
    return text(value) if isinstance(value, Constant | Parameter | Extent | Reading | Apply) else str(value)


# Plain data


def as_data(program: Program) -> dict[str, Any]:
    """The Program as dictionaries, lists, strings and numbers; extents are strings as the contract writes them."""
    return {
        "op": program.op,
        "path": program.path,
        "function": program.function,
        "inputs": [_input_data(value) for value in program.inputs],
        "parameters": [_parameter_data(parameter) for parameter in program.parameters],
        "steps": [step_data(step) for step in program.steps],
        "outputs": [{"name": output.name, "value": output.value} for output in program.outputs],
        "constraints": [
            {"left": str(c.left), "right": str(c.right), "reason": c.reason, "line": c.line, "assumed": c.assumed}
            for c in program.constraints
        ],
        "symbols": [{"name": s.name, "origin": s.origin, "line": s.line} for s in program.symbols],
    }


def _input_data(value: Input) -> dict[str, Any]:
    return {"name": value.name, "shape": _extents(value.shape), "dtype": value.dtype, "is_list": value.is_list}


def _parameter_data(parameter: ScalarParameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "default": parameter.default,
        "value": _plain(parameter.value),
        "folded": parameter.folded,
    }


def step_data(step: Step) -> dict[str, Any]:
    """One Step; operands are names of values or texts of numbers."""
    data = {
        "target": step.target,
        "op": step.op,
        "operands": [operand_text(operand) for operand in step.operands],
        "shape": _extents(step.shape),
        "dtype": step.dtype,
        "kind": step.kind.value,
        "section": step.section.value,
        "line": step.span.line,
        "column": step.span.column,
        "end_line": step.span.end_line,
        "end_column": step.span.end_column,
        "text": step.text,
        "name": step.name,
        "origin": step.origin,
        "attrs": {name: _plain(value) for name, value in step.attrs.items()},
    }
    if step.body:
        data["body"] = [step_data(inner) for inner in step.body]
        data["carried"] = list(step.carried)
    return data


def _extents(shape: Shape) -> list[str]:
    return [str(extent) for extent in shape]


def _plain(value: Any) -> Any:
    if isinstance(value, Dim):
        return str(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, Ref):
        return value.name
    if isinstance(value, Constant | Parameter | Extent | Reading | Apply):
        return text(value)
    if isinstance(value, float) and not float("-inf") < value < float("inf"):
        return str(value)  # JSON has no infinities
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
