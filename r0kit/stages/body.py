"""Steps -> the statements of a function: one per Step, each with its line of the golden."""

from __future__ import annotations

import ast
import keyword
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from unicodedata import east_asian_width

from r0kit.golden import ops
from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim
from r0kit.golden.program import Operand, Program, Ref, Step
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


class Body:
    """The statements of one function, in the order of the Steps; small intermediate values move into their reader."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.arguments, self.names = _local_names(task)
        numbers = {s: t for s, t in readings(task.program).items() if t in self.names}
        shapes = {self.names[v]: task.program.shape_of(v) for _, v in task.arguments if v is not None}
        written = {symbol: f"int({self.names[tensor]}.item())" for symbol, tensor in numbers.items()}
        lists = {self.names[value.name] for value in task.program.inputs if value.is_list and value.name in self.names}
        shown = [(name, shape) for name, shape in shapes.items() if name not in lists]
        self.extents = Extents(
            shown, {*self.arguments, *self.names.values(), *_scalars(task), *RESERVED}, written, task.known
        )
        self.uses = Counter(name for step in every(task.steps) for name in step.tensors)
        self.uses.update(task.results)
        self.kept = set(numbers.values())  # values that must have a name
        self.waiting: dict[str, tuple[Step, ast.expr]] = {}  # values that are to stand inside their only reader
        self.statements: list[str] = []
        self.depth = 1
        self._place = ""  # what the comment of the statement before says

    def write(self) -> list[str]:
        """The statements of all Steps, and `return`."""
        for _, value in self.task.arguments:
            if value in self.task.narrowed:
                name = self.names[value]
                self.line(f"{name} = {name}.to(torch.float64)  # as in the golden")
        for step in self.task.steps:
            self.add(step)
        self._return()
        return self.statements

    def add(self, step: Step) -> None:
        """The statement of one Step, or of a whole loop."""
        if step.op == "loop":
            _Loop(self, step).write()
            return
        node = self._inlined(step, self._expression(step))
        name = self.names[step.target]
        shows_more = self.extents.computed(name, step.shape)
        if not shows_more and self._may_wait(step, node):
            self.waiting[name] = step, node
        else:
            self.emit(f"{name} = ", step, node)

    def emit(self, prefix: str, step: Step, node: ast.expr) -> None:
        """One statement, with its line of the golden behind it where that fits, before it where it does not."""
        lines = expressions.statement(prefix, node, self.depth)
        place = f"# L{step.span.line}: {one_line(step)}"
        comment = f"# L{step.span.line}" if place == self._place else place
        self._place = place
        if len(lines) == 1 and columns(f"{lines[0]}  {comment}") <= WIDTH:
            self.statements.append(f"{lines[0]}  {comment}")
        else:
            self.line(shortened(comment, WIDTH - 4 * self.depth))
            self.statements += lines

    def line(self, text: str) -> None:
        """A line as it is, at the present indentation."""
        self.statements.append("    " * self.depth + text)

    def flush(self, names: Iterable[str]) -> None:
        """Give those of `names` that wait for their reader statements of their own."""
        for name in [name for name in names if name in self.waiting]:
            self.emit(f"{name} = ", *self.waiting.pop(name))

    def extent(self, step: Step, dim: Dim) -> str:
        """An extent that `step` needs as a number. UnwritableStep where nothing shows it."""
        try:
            return self.extents.text(dim)
        except UnboundExtent as error:
            what = f"the extent {error.dim} is needed as a number in `{one_line(step)}`, and no input shows it"
            raise UnwritableStep(step, what, f"add an input that has the axis {error.dim}") from None

    def _expression(self, step: Step) -> ast.expr:
        def extent(dim: Dim) -> str:
            return self.extent(step, dim)

        try:
            operands = [self._operand(operand, extent) for operand in step.operands]
            if step.op == "project":
                return expressions.parse(self._projected(step))
            if step.op in _OF_THE_READER:
                return expressions.parse(_OF_THE_READER[step.op].format(*operands, **step.attrs))
            return expressions.parse(ops.torch_text(step, operands, extent))
        except (OperationError, KeyError) as error:
            what = f"r0kit has no torch expression for `{one_line(step)}`"
            hint = getattr(error, "hint", "") or "write it with operations that r0kit knows"
            raise UnwritableStep(step, what, hint) from None

    def _projected(self, step: Step) -> str:
        """What a loop leaves; one that another Module runs hands over its first result. KeyError for any other."""
        loop, index = step.tensors[0], step.attrs["index"]
        first = index == 0 and not step.attrs.get("stacked") and loop in self.names
        return self.names.get(f"{loop}.{index}") or (self.names[loop] if first else self.names[f"{loop}.{index}"])

    def _operand(self, operand: Operand, extent: Callable[[Dim], str]) -> str:
        if isinstance(operand, Ref):
            return self.names[operand.name]
        written = scalar_text(operand, extent, lambda tensor: f"{self.names[tensor]}.item()")
        return written if written.isidentifier() else f"({written})"

    def _inlined(self, step: Step, node: ast.expr) -> ast.expr:
        """`node` with the values that wait for it put in their places; those that do not fit there are emitted."""
        counts = Counter(expressions.names(node))
        for name in [name for name in self.waiting if name in counts]:
            source, inner = self.waiting[name]
            length = len(expressions.written(node)) + len(expressions.written(inner))
            if counts[name] == 1 and source.span.line == step.span.line and length <= _NESTED:
                node = expressions.substituted(node, {name: inner})
                del self.waiting[name]
            else:
                self.flush([name])
        return node

    def _may_wait(self, step: Step, node: ast.expr) -> bool:
        """Whether it has one reader, and is small or the one result, which the `return` statement computes."""
        if self.uses[step.target] != 1 or step.target in self.kept:
            return False
        if step.target in self.task.results:
            return len(self.task.results) == 1 and step.target not in self.task.narrowed
        return not step.name and len(expressions.written(node)) <= _NESTED

    def _return(self) -> None:
        names = [self.names[result] for result in self.task.results]
        if len(names) == 1 and names[0] in self.waiting:
            self.emit("return ", *self.waiting.pop(names[0]))
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


class _Loop:
    """A loop that stays one: its states before it, a `for` statement over its Steps, and what it leaves.

    A `carried(initial, after)` Step of the body is a variable that begins as `initial` and that every trip ends by setting
    to `after`; a stacked result is a list that every trip appends to.
    """

    def __init__(self, body: Body, step: Step) -> None:
        self.body, self.step = body, step
        self.states = {inner.target: inner.operands for inner in step.body if inner.op == "carried"}
        self.results = [operand.name for operand in step.attrs["results"]]
        projects = [s for s in body.task.steps if s.op == "project" and step.target in s.tensors]
        self.stacked = {self.results[s.attrs["index"]] for s in projects if s.attrs.get("stacked")}

    def write(self) -> None:
        body, names = self.body, self.body.names
        trip, count = self.step.attrs["trip"], body.extent(self.step, self.step.attrs["count"])
        body.flush([names[name] for name in self.step.tensors if name in names])
        for state, operands in self.states.items():
            for initial in operands[:-1]:
                if isinstance(initial, Ref):
                    body.line(f"{names[state]} = {names[initial.name]}")
        for result in self.results:
            if result in self.stacked:
                body.line(f"{self._list(result)} = []")
        body.extents.numbers = {**body.extents.numbers, trip: names[_trip_of(self.step)]}
        body.kept |= {*self.results, *self._after().values()}
        written = expressions.written(expressions.parse(count))
        body.line(f"for {names[_trip_of(self.step)]} in range({written}):  # L{self.step.span.line}")
        body.depth += 1
        self._trip(set(body.waiting))
        body.depth -= 1
        target = self.step.target
        body.names |= {f"{target}.{index}": self._left(result) for index, result in enumerate(self.results)}
        if target in body.task.results:
            body.line(f"{names[target]} = {names[f'{target}.0']}")

    def _trip(self, outside: set[str]) -> None:
        body, names = self.body, self.body.names
        for inner in self.step.body:
            if inner.op != "carried":
                body.add(inner)
        body.flush([name for name in body.waiting if name not in outside])
        for result in self.results:
            if result in self.stacked:
                body.line(f"{self._list(result)}.append({names[result]})")
            elif result in self.states:
                body.line(f"{self._found(result)} = {names[result]}")
        after = self._after()
        if after:
            body.line(f"{', '.join(names[s] for s in after)} = {', '.join(names[v] for v in after.values())}")

    def _after(self) -> dict[str, str]:
        """State -> what a trip leaves in it."""
        pairs = ((state, operands[-1]) for state, operands in self.states.items() if operands)
        return {state: last.name for state, last in pairs if isinstance(last, Ref)}

    def _list(self, result: str) -> str:
        return f"{self.body.names[result]}_of_trips"

    def _found(self, state: str) -> str:
        """The name of what the last trip has found in a state."""
        return f"{self.body.names[state]}_before"

    def _left(self, result: str) -> str:
        """What the loop leaves of a result, as an expression."""
        if result in self.stacked:
            return f"torch.stack({self._list(result)})"
        if result in self.states:
            return self._found(result)
        states = [state for state, last in self._after().items() if last == result]
        return self.body.names[states[0] if states else result]


def every(steps: Iterable[Step]) -> Iterator[Step]:
    """The Steps and, of loops, those in their bodies."""
    for step in steps:
        yield step
        yield from every(step.body)


def one_line(step: Step) -> str:
    """The golden's text of a Step without its line ends."""
    return " ".join(step.text.split()) or step.op


def columns(text: str) -> int:
    """Columns that `text` takes on a screen: wide characters take two, as ruff counts them."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def shortened(comment: str, room: int) -> str:
    """`comment` cut where it would take more than `room` columns."""
    while columns(comment) > room:
        comment = comment[:-8].rstrip() + " ..."
    return comment


def _trip_of(loop: Step) -> str:
    """The key of a loop's trip among the names: a value may be called as it is."""
    return f"for {loop.attrs['trip']}"


def _scalars(task: Task) -> set[str]:
    return {parameter.name for parameter in task.program.parameters}


def _local_names(task: Task) -> tuple[list[str], dict[str, str]]:
    """Names of the arguments, and of the program's values in the function; both as given where Python allows it."""
    taken = _scalars(task) | RESERVED

    def free(name: str) -> str:
        while name in taken or keyword.iskeyword(name):
            name += "_"
        taken.add(name)
        return name

    arguments = [free(name) for name, _ in task.arguments]
    pairs = list(zip((value for _, value in task.arguments), arguments, strict=True))
    names = {value: name for value, name in reversed(pairs) if value is not None}
    for step in every(task.steps):
        names[step.target] = free(step.target)
        if step.op == "loop":
            names[_trip_of(step)] = free(step.attrs["trip"])
    return arguments, names
