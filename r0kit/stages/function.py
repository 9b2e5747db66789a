"""A slice -> the Python function that computes it: one statement per Step, each with its line of the golden."""

from __future__ import annotations

import ast
import keyword
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any
from unicodedata import east_asian_width

from r0kit.golden import ops, scalars
from r0kit.golden.builder import OperationError
from r0kit.golden.program import Operand, Program, Ref, ScalarParameter, Step
from r0kit.golden.scalars import Constant
from r0kit.golden.scalars import text as scalar_text
from r0kit.stages import expressions
from r0kit.stages.expressions import WIDTH
from r0kit.stages.extents import Extents, UnboundExtent, readings

# No value of a stage function may take these names: what the text of an expression may mean by them, and those that
# linters take for a 1 or a 0.
RESERVED = frozenset({"torch", "math", "abs", "min", "max", "round", "int", "float", "bool", "slice", "tuple", *"lOI"})
# Steps that the reader of goldens makes, and no call of torch: a member of a list of tensors, an input handed on.
_OF_THE_READER = {"item": "{0}[{index}]", "clone": "{0}.clone()"}
_NESTED = 60  # characters up to which the expression of an intermediate value may stand inside its only reader
_PLAIN_NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


class UnwritableStep(Exception):
    """A Step that no torch expression is known for, or whose extents no argument determines."""

    def __init__(self, step: Step, message: str, hint: str) -> None:
        self.step, self.message, self.hint = step, message, hint
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Task:
    """A function to write.

    arguments: (name, value of the program that it is, None where it is none); results: values of the program, in order;
    steps: what computes the results from the arguments; known: extents that may become parameters, with the default.
    narrowed: values that are float64 in the golden and float32 outside this function.
    """

    name: str
    docstring: str
    program: Program
    arguments: tuple[tuple[str, str | None], ...]
    results: tuple[str, ...]
    steps: tuple[Step, ...]
    known: Mapping[str, Any] = field(default_factory=dict)
    narrowed: frozenset[str] = frozenset()

    @property
    def parameters(self) -> list[Parameter]:
        """Scalar parameters of the golden that its Steps need, in the golden's order."""
        needed = frozenset().union(*map(_parameters_of_step, self.steps))
        return [_parameter(parameter) for parameter in self.program.parameters if parameter.name in needed]


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
    return _Body(task).function()


def in_order(parameters: Iterable[Parameter]) -> tuple[Parameter, ...]:
    """As Python demands: those without a default first."""
    return tuple(sorted(parameters, key=lambda parameter: parameter.default != ""))


def _parameters_of_step(step: Step) -> frozenset[str]:
    """Scalar parameters in its operands and attributes."""
    return step.parameters.union(*_parameters(list(step.attrs.values())))


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


def _parameters(values: Iterable[Any]) -> Iterable[frozenset[str]]:
    for value in values:
        if isinstance(value, scalars.Scalar):
            yield scalars.parameters_of(value)
        elif isinstance(value, dict):
            yield from _parameters(value.values())
        elif isinstance(value, (tuple, list)):
            yield from _parameters(value)


class _Body:
    """The statements of one function, in the order of the Steps; small intermediate values move into their reader."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.arguments, self.names = _local_names(task)
        self.numbers = {s: t for s, t in readings(task.program).items() if t in self.names}
        shapes = [(self.names[v], task.program.shape_of(v)) for _, v in task.arguments if v is not None]
        written = {symbol: f"int({self.names[tensor]}.item())" for symbol, tensor in self.numbers.items()}
        self.extents = Extents(shapes, {*self.arguments, *_taken(task, self.names)}, written, task.known)
        self.uses = Counter(name for step in task.steps for name in step.tensors) + Counter(task.results)
        self.waiting: dict[str, tuple[Step, ast.expr]] = {}  # values that are to stand inside their only reader
        self.statements: list[str] = []
        self.place = ""  # what the comment of the statement before says

    def function(self) -> Function:
        task = self.task
        for step in task.steps:
            self._add(step)
        self._return()
        shown = self.extents.parameters.items()
        extents = [Parameter(name, "int", str(task.known[symbol]), symbol) for symbol, name in shown]
        parameters = in_order([*task.parameters, *extents])
        head = signature(task.name, self.arguments, parameters, len(task.results))
        body = [*bindings(self.extents), *self._widened(), *self.statements]
        lines = [*head, *docstring(task.docstring), *body]
        return Function(task.name, tuple(lines), parameters)

    def _widened(self) -> list[str]:
        """What the contract hands over in float32, in the golden's float64 again."""
        names = [self.names[value] for _, value in self.task.arguments if value in self.task.narrowed]
        return [f"    {name} = {name}.to(torch.float64)  # as in the golden" for name in names]

    def _add(self, step: Step) -> None:
        node = self._inlined(step, self._expression(step))
        name = self.names[step.target]
        shows_more = self.extents.computed(name, step.shape)
        if not shows_more and self._may_wait(step, node):
            self.waiting[name] = step, node
        else:
            self._emit(f"{name} = ", step, node)

    def _expression(self, step: Step) -> ast.expr:
        try:
            operands = [self._operand(operand) for operand in step.operands]
            return expressions.parse(self._text(step, operands))
        except UnboundExtent as error:
            what = f"the extent {error.dim} is needed as a number in `{_one_line(step)}`, and no input shows it"
            raise UnwritableStep(step, what, f"add an input that has the axis {error.dim}") from None
        except (OperationError, KeyError) as error:
            what = f"r0kit has no torch expression for `{_one_line(step)}`"
            hint = getattr(error, "hint", "") or "write it with operations that r0kit knows"
            raise UnwritableStep(step, what, hint) from None

    def _text(self, step: Step, operands: list[str]) -> str:
        if step.op in _OF_THE_READER:
            return _OF_THE_READER[step.op].format(*operands, **step.attrs)
        return ops.torch_text(step, operands, self.extents.text)

    def _operand(self, operand: Operand) -> str:
        if isinstance(operand, Ref):
            return self.names[operand.name]
        written = scalar_text(operand, self.extents.text, lambda tensor: f"{self.names[tensor]}.item()")
        return written if written.isidentifier() else f"({written})"

    def _inlined(self, step: Step, node: ast.expr) -> ast.expr:
        """`node` with the values that wait for it put in their places; those that do not fit there are emitted."""
        counts = Counter(expressions.names(node))
        for name in [name for name in self.waiting if name in counts]:
            source, inner = self.waiting.pop(name)
            length = len(expressions.written(node)) + len(expressions.written(inner))
            if counts[name] == 1 and source.span.line == step.span.line and length <= _NESTED:
                node = expressions.substituted(node, {name: inner})
            else:
                self._emit(f"{name} = ", source, inner)
        return node

    def _may_wait(self, step: Step, node: ast.expr) -> bool:
        """Whether it has one reader, and is small or the one result, which the `return` statement computes."""
        if self.uses[step.target] != 1 or step.target in self.numbers.values():
            return False
        if step.target in self.task.results:
            return len(self.task.results) == 1 and step.target not in self.task.narrowed
        return not step.name and len(expressions.written(node)) <= _NESTED

    def _return(self) -> None:
        names = [self.names[result] for result in self.task.results]
        if len(names) == 1 and names[0] in self.waiting:
            self._emit("return ", *self.waiting.pop(names[0]))
            return
        written = [self._written(result) for result in self.task.results]
        line = f"    return {', '.join(written)}"
        opened = ["    return (", *(f"        {name}," for name in written), "    )"]
        self.statements += [line] if len(line) <= WIDTH else opened

    def _written(self, result: str) -> str:
        name = self.names[result]
        if result in self.task.narrowed:
            return f"{name}.to(torch.float32)"
        return f"{name}.clone()" if name in self.arguments else name

    def _emit(self, prefix: str, step: Step, node: ast.expr) -> None:
        """One statement, with its line of the golden behind it where that fits, before it where it does not."""
        lines = expressions.statement(prefix, node)
        place = f"# L{step.span.line}: {_one_line(step)}"
        comment = f"# L{step.span.line}" if place == self.place else place
        self.place = place
        if len(lines) == 1 and _columns(f"{lines[0]}  {comment}") <= WIDTH:
            self.statements.append(f"{lines[0]}  {comment}")
        else:
            self.statements += [f"    {_shortened(comment)}", *lines]


def _local_names(task: Task) -> tuple[list[str], dict[str, str]]:
    """Names of the arguments, and of the program's values in the function; both as given where Python allows it."""
    taken = {parameter.name for parameter in task.program.parameters} | RESERVED

    def free(name: str) -> str:
        while name in taken or keyword.iskeyword(name):
            name += "_"
        taken.add(name)
        return name

    arguments = [free(name) for name, _ in task.arguments]
    values = [value for _, value in task.arguments]
    names = {
        value: name for value, name in zip(reversed(values), reversed(arguments), strict=True) if value is not None
    }
    return arguments, names | {step.target: free(step.target) for step in task.steps}


def _taken(task: Task, names: dict[str, str]) -> set[str]:
    return {*names.values(), *(parameter.name for parameter in task.program.parameters), *RESERVED}


def _one_line(step: Step) -> str:
    """The golden's text of a Step, without line ends and comments' hashes in the way."""
    return " ".join(step.text.split()) or step.op


def bindings(extents: Extents) -> list[str]:
    """The statements that bind the extents used, as ruff formats them."""
    pairs = [line.partition(" = ") for line in extents.lines()]
    return [f"    {target} = {expressions.written(expressions.parse(value))}" for target, _, value in pairs]


def _columns(text: str) -> int:
    """Columns that `text` takes on a screen: wide characters take two, as ruff counts them."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _shortened(comment: str) -> str:
    """`comment` cut where it would pass the line's end at the indentation of a function body."""
    while _columns(comment) > WIDTH - 4:
        comment = comment[:-8].rstrip() + " ..."
    return comment
