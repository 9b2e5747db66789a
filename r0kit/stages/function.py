"""The text of functions: signatures, docstrings, parameters; their statements come from `body`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from r0kit.golden import scalars
from r0kit.golden.program import ScalarParameter, Step
from r0kit.golden.scalars import Constant
from r0kit.golden.scalars import text as scalar_text
from r0kit.stages import expressions
from r0kit.stages.body import RESERVED, Body, Task, UnwritableStep, every
from r0kit.stages.expressions import WIDTH
from r0kit.stages.extents import Extents

__all__ = [
    "RESERVED",
    "Function",
    "Parameter",
    "Task",
    "UnwritableStep",
    "bindings",
    "docstring",
    "in_order",
    "signature",
    "write",
]

_PLAIN_NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A scalar argument of a function, its type as text and its default; "" where it has none.

    extent: the symbol that it is the value of, for an extent that none of the function's tensors shows.
    """

    name: str
    kind: str = ""
    default: str = ""
    extent: str = ""

    def __str__(self) -> str:
        annotated = f"{self.name}: {self.kind}" if self.kind else self.name
        return annotated + (f" = {self.default}" if self.kind else f"={self.default}") * bool(self.default)


@dataclass(frozen=True, slots=True)
class Function:
    """A function as written, and the scalars that a caller may pass to it."""

    name: str
    lines: tuple[str, ...]
    parameters: tuple[Parameter, ...]


def write(task: Task) -> Function:
    """The function of a task. UnwritableStep where a Step cannot be written."""
    body = Body(task)
    statements = body.write()
    shown = body.extents.parameters.items()
    extents = [Parameter(name, "int", str(task.known[symbol]), symbol) for symbol, name in shown]
    parameters = in_order([*_parameters(task), *extents])
    head = signature(task.name, body.arguments, parameters, len(task.results))
    lines = [*head, *docstring(task.docstring), *bindings(body.extents), *statements]
    return Function(task.name, tuple(lines), parameters)


def in_order(parameters: Iterable[Parameter]) -> tuple[Parameter, ...]:
    """As Python demands: those without a default first."""
    return tuple(sorted(parameters, key=lambda parameter: parameter.default != ""))


def _parameters(task: Task) -> list[Parameter]:
    """Scalar parameters of the golden that the Steps need, in the golden's order."""
    needed = frozenset().union(*map(_parameters_of_step, every(task.steps)))
    return [_parameter(parameter) for parameter in task.program.parameters if parameter.name in needed]


def _parameters_of_step(step: Step) -> frozenset[str]:
    return step.parameters.union(*_in_attributes(list(step.attrs.values())))


def signature(name: str, tensors: Sequence[str], parameters: Iterable[Parameter], results: int) -> list[str]:
    """The `def` line, or lines where it is too long for one."""
    arguments = [f"{tensor}: torch.Tensor" for tensor in tensors] + list(map(str, parameters))
    returned = "torch.Tensor" if results == 1 else f"tuple[{', '.join(['torch.Tensor'] * results)}]"
    line = f"def {name}({', '.join(arguments)}) -> {returned}:"
    if len(line) <= WIDTH:
        return [line]
    if len(f") -> {returned}:") > WIDTH:
        returned = "tuple[torch.Tensor, ...]"
    return [f"def {name}(", *(f"    {argument}," for argument in arguments), f") -> {returned}:"]


def docstring(text: str, depth: int = 1) -> list[str]:
    """`text` as the docstring of a function, or of the file at depth 0."""
    margin = "    " * depth
    safe = " ".join(text.replace("\\", "\\\\").replace('"""', "'''").split())
    safe += " " if safe.endswith('"') else ""
    room = WIDTH - len(margin)
    if len(safe) + 6 <= room:
        return [f'{margin}"""{safe}"""']
    return [margin + line for line in (*wrap(f'"""{safe}', room - 3, break_long_words=False), '"""')]


def _parameter(parameter: ScalarParameter) -> Parameter:
    kind = type(parameter.value).__name__ if isinstance(parameter.value, (bool, int, float, str)) else ""
    return Parameter(parameter.name, kind, _default(parameter))


def _default(parameter: ScalarParameter) -> str:
    """Its default as a Python literal, as the golden writes it where that needs no reformatting."""
    if not parameter.default or _PLAIN_NUMBER.fullmatch(parameter.default):
        return parameter.default
    try:
        value = ast.literal_eval(parameter.default)
    except (ValueError, SyntaxError):
        value = parameter.value
    return expressions.written(expressions.parse(scalar_text(Constant(value))))


def _in_attributes(values: Iterable[Any]) -> Iterable[frozenset[str]]:
    for value in values:
        if isinstance(value, scalars.Scalar):
            yield scalars.parameters_of(value)
        elif isinstance(value, dict):
            yield from _in_attributes(value.values())
        elif isinstance(value, (tuple, list)):
            yield from _in_attributes(value)


def bindings(extents: Extents) -> list[str]:
    """The statements that bind the extents used, as ruff formats them."""
    pairs = [line.partition(" = ") for line in extents.lines()]
    return [f"    {target} = {expressions.written(expressions.parse(value))}" for target, _, value in pairs]
