"""The torch oracle of static reading: run a golden with every intermediate value written down, and compare with Steps.

`record` executes a copy of the golden whose ast reports each expression's value by its span, and each assignment, store
and return by line and target. `compare` holds the Steps of a Program against that. Only tests execute goldens.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from labelled import call

from r0kit.golden.program import Kind, Program, Step

RETURN = "return"
Position = tuple[int, int, int, int]  # line, column, end line, end column: from 1, in code points, end exclusive


@dataclass(frozen=True, slots=True)
class Seen:
    """Shape and dtype of a value that existed."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True)
class Bound:
    """A value that a statement bound: the statement's first and last line, and the name (or `RETURN`)."""

    line: int
    end_line: int
    name: str
    seen: Seen


@dataclass(slots=True)
class Recording:
    """What one run of a golden showed, in the order of execution."""

    bound: list[Bound] = field(default_factory=list)
    expressions: dict[Position, list[Seen]] = field(default_factory=lambda: defaultdict(list))
    outputs: list[Any] = field(default_factory=list)
    loops: list[tuple[int, int]] = field(default_factory=list)

    def of(self, line: int, name: str) -> list[Seen]:
        """Values that a statement on `line` bound to `name`; of any statement where none on that line did."""
        named = [one for one in self.bound if one.name == name]
        return [one.seen for one in named if one.line <= line <= one.end_line] or [one.seen for one in named]

    def in_loop(self, line: int) -> bool:
        """Whether `line` lies in a loop or comprehension."""
        return any(first <= line <= last for first, last in self.loops)


def record(source: str, function: str, arguments: Mapping[str, Any], path: str = "<golden>") -> Recording:
    """Run `function` of `source` on `arguments`, with every intermediate recorded."""
    recording = Recording()
    tree = ast.parse(source)
    recording.loops = list(_loops(tree))
    positions: list[Position] = []
    instrumented = ast.fix_missing_locations(_Instrument(source.split("\n"), positions).visit(tree))
    scope: dict[str, Any] = {
        "__name__": "golden",
        "__tap__": _tap(recording, positions),
        "__bound__": _note(recording),
    }
    exec(compile(instrumented, path, "exec"), scope)
    recording.outputs = call(scope[function], dict(arguments))
    return recording


def _tap(recording: Recording, positions: list[Position]) -> Callable[[int, Any], Any]:
    def tap(index: int, value: Any) -> Any:
        recording.expressions[positions[index]].extend(_tensors(value))
        return value

    return tap


def _note(recording: Recording) -> Callable[[int, int, str, Any], Any]:
    def note(line: int, end_line: int, name: str, value: Any) -> Any:
        recording.bound.extend(Bound(line, end_line, name, seen) for seen in _tensors(value))
        return value

    return note


def _tensors(value: Any) -> Iterator[Seen]:
    """The tensor that a value is, or those that a tuple or list of them holds."""
    import torch

    if isinstance(value, torch.Tensor):
        yield Seen(tuple(value.shape), str(value.dtype).removeprefix("torch."))
    elif isinstance(value, (tuple, list)) and not isinstance(value, torch.Size):
        for one in value:
            yield from _tensors(one)


def _loops(tree: ast.AST) -> Iterator[tuple[int, int]]:
    kinds = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp)
    for node in ast.walk(tree):
        if isinstance(node, kinds):
            yield node.lineno, node.end_lineno or node.lineno


class _Instrument(ast.NodeTransformer):
    """Wraps values of expressions inside functions, and reports what statements bind."""

    TAPPED = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.Attribute, ast.IfExp)

    def __init__(self, lines: list[str], positions: list[Position]) -> None:
        self.lines, self.positions, self.depth = lines, positions, 0

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.FunctionDef):
            return self._function(node)
        if not self.depth:
            return self.generic_visit(node)
        if isinstance(node, ast.stmt):
            return self._statement(node)
        return self._expression(node)

    def _function(self, node: ast.FunctionDef) -> ast.AST:
        self.depth += 1
        node.body = list(self._visited(node.body))
        self.depth -= 1
        return node

    def _visited(self, body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
        for statement in body:
            result = self.visit(statement)
            yield from result if isinstance(result, list) else [result]

    def _statement(self, node: ast.stmt) -> Any:
        notes = [self._note(node, name) for name in _names_bound(node)]
        if isinstance(node, ast.For):
            node.iter = self.visit(node.iter)
            node.body = [*notes, *self._visited(node.body)]
            return node
        if isinstance(node, ast.Return) and node.value is not None:
            node.value = _call("__bound__", *_lines(node), RETURN, self.visit(node.value))
            return node
        return [self.generic_visit(node), *notes]

    def _note(self, node: ast.stmt, name: str) -> ast.stmt:
        return ast.Expr(_call("__bound__", *_lines(node), name, ast.Name(name, ast.Load())))

    def _expression(self, node: ast.AST) -> Any:
        position = self._position(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
            node.args = [self.visit(one) for one in node.args]
            node.keywords = [self.visit(one) for one in node.keywords]
        else:
            node = self.generic_visit(node)
        if not isinstance(node, self.TAPPED) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return node
        self.positions.append(position)
        return _call("__tap__", len(self.positions) - 1, node)

    def _position(self, node: ast.AST) -> Position:
        if not isinstance(node, ast.expr):
            return 0, 0, 0, 0
        end_line, end = node.end_lineno or node.lineno, node.end_col_offset or 0
        return node.lineno, self._column(node.lineno, node.col_offset), end_line, self._column(end_line, end)

    def _column(self, line: int, offset: int) -> int:
        return len(self.lines[line - 1].encode()[:offset].decode(errors="ignore")) + 1


def _lines(node: ast.stmt) -> tuple[int, int]:
    return node.lineno, node.end_lineno or node.lineno


def _call(function: str, *arguments: Any) -> ast.Call:
    values = [one if isinstance(one, ast.expr) else ast.Constant(one) for one in arguments]
    return ast.Call(ast.Name(function, ast.Load()), values, [])


def _names_bound(node: ast.stmt) -> list[str]:
    """Names whose value a statement sets or changes in place, in order."""
    match node:
        case ast.Assign(targets=targets):
            return [name for target in targets for name in _targets(target)]
        case ast.AugAssign(target=target) | ast.For(target=target):
            return _targets(target)
        case ast.AnnAssign(target=target, value=ast.expr()):
            return _targets(target)
        case ast.Expr(value=ast.Call(func=ast.Attribute())):
            return _changed_in_place(node.value)
    return []


def _targets(target: ast.expr) -> list[str]:
    match target:
        case ast.Name(name):
            return [name]
        case ast.Tuple(items) | ast.List(items):
            return [name for item in items for name in _targets(item)]
        case ast.Starred(value) | ast.Subscript(value=value):
            return _targets(value)
    return []


def _changed_in_place(node: ast.expr) -> list[str]:
    """The name at the root of a chain of methods whose first one ends in an underscore: `l.mul_(a).add_(b)`."""
    method = ""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        method, node = node.func.attr, node.func.value
    return [node.id] if isinstance(node, ast.Name) and method.endswith("_") else []


class Status(str, Enum):
    """How a Step compares with the run."""

    EQUAL = "equal"  # shape and dtype are those of a value that existed
    REWRITTEN = "rewritten"  # inside a loop that was collapsed or lifted: the trip's shape fits into the Step's
    FOLDED = "folded"  # layout of a contraction's operand, whose cast is part of the contraction: the dtype before it
    UNKNOWN = "unknown"  # its shape has a symbol that the case does not bind
    UNSEEN = "unseen"  # an intermediate of an expansion: torch shows no value to compare with
    WRONG = "wrong"  # torch says otherwise


@dataclass(frozen=True, slots=True)
class Verdict:
    """One Step against the run: its shape under the case (None where unknown), and what was seen in its place."""

    step: Step
    status: Status
    shape: tuple[int, ...] | None
    seen: tuple[Seen, ...] = ()

    def __str__(self) -> str:
        found = ", ".join(sorted({f"{list(one.shape)} {one.dtype}" for one in self.seen}))
        shape = None if self.shape is None else list(self.shape)
        return (
            f"line {self.step.span.line} {self.step.name or self.step.target} = {self.step.op}: {self.status.value}, "
            f"read as {shape} {self.step.dtype}, torch has {found or 'nothing here'}"
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """Every Step of a Program against one run."""

    verdicts: tuple[Verdict, ...]
    outputs: tuple[str, ...]

    def of(self, status: Status) -> list[Verdict]:
        return [one for one in self.verdicts if one.status is status]

    @property
    def unknown(self) -> float:
        """Share of Steps whose shape the reading could not tell."""
        return len(self.of(Status.UNKNOWN)) / max(1, len(self.verdicts))

    @property
    def faults(self) -> list[str]:
        """What torch contradicts, one line each."""
        return [str(one) for one in self.of(Status.WRONG)] + list(self.outputs)


def compare(program: Program, recording: Recording, symbols: Mapping[str, int]) -> Comparison:
    """Steps of `program` against `recording`, whose inputs bind `symbols`."""
    steps = list(_all_steps(program.steps))
    last = {step.span: step.target for step in steps}
    verdicts = [_verdict(step, recording, symbols, step.target == last[step.span]) for step in steps]
    verdicts = [
        _folded(verdict, program, recording) if verdict.status is Status.WRONG else verdict for verdict in verdicts
    ]
    return Comparison(tuple(verdicts), tuple(_output_faults(program, recording, symbols)))


def _all_steps(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from _all_steps(step.body)


def _verdict(step: Step, recording: Recording, symbols: Mapping[str, int], is_last: bool) -> Verdict:
    shape = _evaluated(step.shape, symbols)
    seen = tuple(_candidates(step, recording, is_last))
    if shape is None:
        return Verdict(step, Status.UNKNOWN, None, seen)
    if not seen or step.kind in (Kind.LOOP, Kind.OPAQUE):
        return Verdict(step, Status.UNSEEN, shape, seen)
    if Seen(shape, step.dtype) in seen:
        return Verdict(step, Status.EQUAL, shape, seen)
    rewritten = recording.in_loop(step.span.line) and any(
        one.dtype == step.dtype and fits(one.shape, shape) for one in seen
    )
    return Verdict(step, Status.REWRITTEN if rewritten else Status.WRONG, shape, seen)


def _folded(verdict: Verdict, program: Program, recording: Recording) -> Verdict:
    """A layout Step that kept its operand's dtype is right where it serves contractions alone."""
    step = verdict.step
    dtypes = {one.name: one.dtype for one in program.inputs} | {one.target: one.dtype for one in program.steps}
    kept = step.kind is Kind.LAYOUT and {dtypes.get(name) for name in step.tensors} == {step.dtype}
    in_loop, shape = recording.in_loop(step.span.line), verdict.shape or ()
    right_shape = any(one.shape == shape or (in_loop and fits(one.shape, shape)) for one in verdict.seen)
    folded = kept and right_shape and _serves_contractions(step.target, program)
    return replace(verdict, status=Status.FOLDED) if folded else verdict


def _serves_contractions(target: str, program: Program) -> bool:
    """Whether a value goes into contractions and nowhere else, through layout at most."""
    users = [step for step in program.steps if target in step.tensors]
    through = (step.kind is Kind.LAYOUT and _serves_contractions(step.target, program) for step in users)
    direct = [step.kind is Kind.CONTRACTION for step in users]
    return bool(users) and all(one or other for one, other in zip(direct, through, strict=True))


def _candidates(step: Step, recording: Recording, is_last: bool) -> list[Seen]:
    """Values in the place of a Step: by the name it is bound to, else by its span (whose value its last Step is)."""
    if step.name:
        return recording.of(step.span.line, step.name)
    span = step.span
    position = (span.line, span.column, span.end_line, span.end_column)
    return recording.expressions.get(position, []) if is_last else []


def fits(trip: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Whether `whole` is `trip` with axes added (the loops'), and tiles grown to their axis."""
    rest = iter(whole)
    return all(any(extent == full or 1 < extent < full for full in rest) for extent in trip)


def _evaluated(shape: Iterable[Any], symbols: Mapping[str, int]) -> tuple[int, ...] | None:
    try:
        return tuple(extent.evaluate(symbols) for extent in shape)
    except (KeyError, ZeroDivisionError):
        return None


def _output_faults(program: Program, recording: Recording, symbols: Mapping[str, int]) -> Iterator[str]:
    found = [one for value in recording.outputs for one in _tensors(value)]
    if len(found) != len(program.outputs):
        yield f"{len(program.outputs)} outputs were read, the golden returns {len(found)}"
    dtypes = {one.name: one.dtype for one in program.inputs} | {one.target: one.dtype for one in program.steps}
    for output, seen in zip(program.outputs, found, strict=False):
        shape = _evaluated(program.shape_of(output.value), symbols)
        if shape is not None and Seen(shape, dtypes[output.value]) != seen:
            yield f"output {output.name} was read as {shape} {dtypes[output.value]}, torch has {seen.shape} {seen.dtype}"
