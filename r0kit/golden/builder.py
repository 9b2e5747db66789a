"""The Program under construction: emits Steps, unifies extents, promotes dtypes, folds scalars, keeps findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from r0kit.finding import Finding, Location, Severity
from r0kit.golden.cases import P0Case
from r0kit.golden.dims import Dim, Shape, lowest_terms, shape_text
from r0kit.golden.dtypes import promote
from r0kit.golden.program import Constraint, Kind, Operand, Ref, RuntimeSymbol, Section, Step
from r0kit.golden.scalars import (
    Apply,
    Constant,
    Extent,
    Parameter,
    Reading,
    Scalar,
    fold,
    parameters_of,
    readings_of,
    text,
)
from r0kit.golden.span import Span
from r0kit.golden.values import LibraryValue, ScalarValue, TensorValue, Value, elsewhere

NOWHERE = Span(1, 1, 1, 1)
MOST_STEPS = 50_000
_INTEGRAL = frozenset(("int", "round", "min", "max", "abs", "math.ceil", "math.floor"))


class OperationError(Exception):
    """A call that the tables cannot serve; the evaluator makes it a finding and an opaque Step."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


@dataclass(frozen=True, slots=True)
class Mark:
    """A point in the work of a Builder."""

    lengths: tuple[int, ...]
    read: dict[Scalar, Dim]


class Builder:
    """Collects the Steps of one golden.

    parameters: values of the scalar parameters for this contract; case: extents of the first p0 case by symbol;
    kinds: canonical operation -> (kind, section), from the operation tables. others: the p0 cases behind the first.
    trips: symbols of the loops that are being read, which count from 0; every other symbol is at least 1.
    """

    def __init__(
        self,
        path: str,
        kinds: Mapping[str, tuple[Kind, Section]],
        parameters: Mapping[str, Any] | None = None,
        case: Mapping[str, int] | None = None,
    ) -> None:
        self.path, self.kinds = path, kinds
        self.parameters, self.case = dict(parameters or {}), dict(case or {})
        self.steps: list[Step] = []
        self.findings: list[Finding] = []
        self.constraints: list[Constraint] = []
        self.symbols: list[RuntimeSymbol] = []
        self.folded: set[str] = set()
        self.exact: list[tuple[Dim, Dim]] = []
        self.span, self.text, self.origin = NOWHERE, "", ""
        self.inputs: dict[str, TensorValue] = {}
        self.room = MOST_STEPS
        self.others: tuple[P0Case, ...] = ()
        self.trips: set[str] = set()
        self._noted: set[Finding] = set()
        self._index: dict[str, int] = {}
        self.read: dict[Scalar, Dim] = {}

    # Steps

    @contextmanager
    def at(self, span: Span, text: str) -> Iterator[None]:
        """Steps emitted inside stand at `span` of the golden."""
        before = self.span, self.text
        self.span, self.text = span, text
        try:
            yield
        finally:
            self.span, self.text = before

    @contextmanager
    def composite(self, name: str) -> Iterator[None]:
        """Steps emitted inside are the expansion of `name`; the outermost composite names them."""
        before, self.origin = self.origin, self.origin or name
        try:
            yield
        finally:
            self.origin = before

    def emit(self, op: str, operands: Sequence[Value], shape: Shape, dtype: str, /, **attrs: Any) -> TensorValue:
        """A new Step of the canonical operation `op`; its value."""
        kind, section = self.kinds[op]
        if _beyond(attrs.get("axis"), [shape, *(one.shape for one in operands if isinstance(one, TensorValue))]):
            raise OperationError(f"{op} runs along an axis, which a 0-d tensor has not", "give it one of one element")
        if len(self.steps) >= self.room:
            raise OperationError(f"more than {MOST_STEPS} Steps", "write it with fewer operations")
        target = f"%{len(self.steps)}"
        step = Step(
            target,
            op,
            tuple(map(operand_of, operands)),
            tuple(extent.assuming(self.exact) for extent in shape),
            dtype,
            kind,
            section,
            self.span,
            self.text,
            origin=self.origin,
            attrs=attrs,
        )
        self._index[target] = len(self.steps)
        self.steps.append(step)
        return TensorValue(target, step.shape, dtype)

    def region(
        self,
        operands: Sequence[Value],
        shape: Shape,
        dtype: str,
        body: Sequence[Step],
        carried: Sequence[str],
        **attrs: Any,
    ) -> TensorValue:
        """A `loop` Step with the Steps of one trip, and the names of those that stand for what a trip finds."""
        value = self.emit("loop", operands, shape, dtype, **attrs)
        self.steps[-1] = replace(self.steps[-1], body=tuple(body), carried=tuple(carried))
        return value

    def input(self, name: str, shape: Shape, dtype: str) -> TensorValue:
        """The value of an input of the golden."""
        self.inputs[name] = TensorValue(name, shape, dtype)
        return self.inputs[name]

    def definition(self, ref: str) -> Step | None:
        """The Step that computes `ref`; None for an input."""
        at = self._index.get(ref)
        return None if at is None else self.steps[at]

    def value_of(self, ref: str) -> TensorValue:
        """A Step's or an input's value by name."""
        step = self.definition(ref)
        return self.inputs[ref] if step is None else TensorValue(ref, step.shape, step.dtype)

    def is_older(self, ref: str, steps: int) -> bool:
        """Whether `ref` is an input or one of the first `steps` Steps."""
        return self._index.get(ref, -1) < steps

    def bind(self, value: Value, name: str) -> None:
        """Remember that the golden calls this value `name`; the first name stays."""
        if isinstance(value, TensorValue) and value.ref in self._index:
            at = self._index[value.ref]
            if not self.steps[at].name:
                self.steps[at] = replace(self.steps[at], name=name)

    # Reading on trial

    def mark(self) -> Mark:
        """Where everything stands now, to go back to with `rewind`."""
        return Mark(tuple(len(entries) for entries in self._kept()), dict(self.read))

    def rewind(self, mark: Mark) -> None:
        """Forget every Step, finding, constraint and symbol since `mark`."""
        for step in self.steps[mark.lengths[0] :]:
            del self._index[step.target]
        self._noted.difference_update(self.findings[mark.lengths[1] :])
        for entries, length in zip(self._kept(), mark.lengths, strict=True):
            del entries[length:]
        self.read = dict(mark.read)

    def _kept(self) -> tuple[list[Any], ...]:
        return self.steps, self.findings, self.constraints, self.symbols, self.exact

    # Extents

    def known(self, dim: Dim) -> int | None:
        """Its value in the first p0 case, or None where a symbol of it is not bound there."""
        try:
            return dim.evaluate(self.case)
        except (KeyError, ZeroDivisionError):
            return None

    def same(self, left: Dim, right: Dim, reason: str) -> Dim:
        """The extent that both are, as torch requires. OperationError where the first p0 case says they are not."""
        left, right = left.assuming(self.exact), right.assuming(self.exact)
        if left == right:
            return left
        a, b = self.known(left), self.known(right)
        if (a is not None and b is not None and a != b) or (left.const is not None and right.const is not None):
            raise OperationError(f"{reason}: {left} is not {right}", "check the shapes in SPEC.md against the golden")
        self.require(left, right, reason)
        return left if right.const is None else right

    def require(self, left: Dim, right: Dim, reason: str, assumed: bool = False) -> None:
        """Record an equality that holds wherever the golden runs."""
        constraint = Constraint(left, right, reason, self.span.line, assumed)
        if left != right and all((c.left, c.right) != (left, right) for c in self.constraints):
            self.constraints.append(constraint)

    def divides(self, numerator: Dim, denominator: Dim, reason: str) -> Dim:
        """`numerator // denominator` where torch requires the division to be even; recorded, and used from here on."""
        numerator, denominator = lowest_terms(numerator, denominator)
        quotient = numerator // denominator
        if quotient * denominator != numerator and (numerator, denominator) not in self.exact:
            value, divisor = self.known(numerator), self.known(denominator)
            if value is not None and divisor and value % divisor:
                raise OperationError(f"{reason}: {numerator} is not divisible by {denominator}", "check SPEC's shapes")
            self.require(denominator * quotient, numerator, reason)
            self.exact.append((numerator, denominator))
        return quotient

    def broadcast(self, *shapes: Shape) -> Shape:
        """Shape of an elementwise result. OperationError where the shapes do not go together."""
        rank = max(map(len, shapes), default=0)
        padded = [(*(Dim.of(1),) * (rank - len(shape)), *shape) for shape in shapes]
        try:
            return tuple(self._broadcast_extent(column) for column in zip(*padded, strict=True))
        except OperationError as error:
            written = " with ".join(map(shape_text, shapes))
            raise OperationError(f"cannot broadcast {written}: {error.message}", error.hint) from None

    def _broadcast_extent(self, column: tuple[Dim, ...]) -> Dim:
        result = column[0]
        for extent in column[1:]:
            if result.const == 1:
                result = extent
            elif extent.const != 1:
                result = self._wider(result, extent)
        return result

    def _wider(self, left: Dim, right: Dim) -> Dim:
        """Two extents neither of which is plainly 1: equal, unless the first p0 case has one of them at 1."""
        a, b = self.known(left), self.known(right)
        if left != right and a is not None and b is not None and a != b and 1 in (a, b):
            one, other = (left, right) if a == 1 else (right, left)
            self.require(one, Dim.of(1), "broadcast: 1 in the first p0 case", assumed=True)
            return other
        return self.same(left, right, "elementwise operands")

    def fresh(self, prefix: str, origin: str, unread: bool = False) -> Dim:
        """A new symbol for an extent that only running the golden can tell; unread: and of which nothing else is known."""
        taken = {symbol.name for symbol in self.symbols} | set(self.case)
        taken |= {symbol for value in self.inputs.values() for extent in value.shape for symbol in extent.symbols}
        name = prefix
        number = 1
        while name in taken:
            number += 1
            name = f"{prefix}_{number}"
        self.symbols.append(RuntimeSymbol(name, origin, self.span.line, unread=unread))
        return Dim.of(name)

    # Scalars

    def fold(self, value: Value, what: str) -> Any:
        """The number a scalar has for this contract; parameters that it needs count as folded from here on.

        OperationError where it depends on data, or on an extent that the first p0 case does not bind.
        """
        if isinstance(value, LibraryValue):
            raise OperationError(f"{what}: {elsewhere(value)}", "write its value in this file")
        if not isinstance(value, ScalarValue):
            raise OperationError(f"{what} must be a number, not a {type(value).__name__.removesuffix('Value').lower()}")
        try:
            result = fold(value.scalar, self.parameters, self.case)
        except (KeyError, ArithmeticError, TypeError, ValueError) as error:
            raise OperationError(f"{what} is not known before the golden runs ({error})") from None
        self.folded |= parameters_of(value.scalar)
        return result

    def integer(self, value: Value, what: str) -> int:
        """A Python integer: an axis, a count."""
        result = self.fold(value, what)
        if isinstance(result, bool) or not isinstance(result, int):
            raise OperationError(f"{what} must be an integer, not {result!r}")
        return result

    def extent(self, value: Value, what: str) -> Dim:
        """A scalar as an extent; symbols stay, parameters fold."""
        if isinstance(value, ScalarValue):
            dim = self.dim_of(value.scalar)
            if dim is not None:
                return dim.assuming(self.exact)
        return Dim.of(self.integer(value, what))

    def dim_of(self, scalar: Scalar) -> Dim | None:
        """A scalar as an extent, a symbol of its own where data decide it; None where it is no integer by its form."""
        match scalar:
            case Extent(dim):
                return dim
            case Constant(value) if type(value) is int:
                return Dim.of(value)
            case Parameter(name) if type(self.parameters.get(name)) is int:
                self.folded.add(name)
                return Dim.of(self.parameters[name])
            case Reading():
                return self._read(scalar)
            case Apply("int", (argument,)) if not isinstance(argument, Apply):
                return self.dim_of(argument)
            case Apply("+" | "-" | "*" | "//" | "%" as function, (left, right)):
                return self._combined(function, left, right)
            case Apply(function) if function in _INTEGRAL and readings_of(scalar):
                return self._read(scalar)
        return None

    def _read(self, scalar: Scalar) -> Dim:
        """The symbol of a number that data decide."""
        if scalar not in self.read:
            self.read[scalar] = self.fresh("L", text(scalar))
        return self.read[scalar]

    def _combined(self, function: str, left: Scalar, right: Scalar) -> Dim | None:
        a, b = self.dim_of(left), self.dim_of(right)
        if a is None or b is None:
            return None
        match function:
            case "+":
                return a + b
            case "-":
                return a - b
            case "*":
                return a * b
            case "//":
                return a // b
        return a % b

    # Dtypes and findings

    def promote(self, *values: Value) -> str:
        """Dtype of an elementwise result over tensors and numbers. OperationError where torch refuses."""
        tensors = [value for value in values if isinstance(value, TensorValue)]
        numbers = [value.type or float for value in values if isinstance(value, ScalarValue)]
        try:
            return promote(
                [tensor.dtype for tensor in tensors if tensor.shape],
                [tensor.dtype for tensor in tensors if not tensor.shape],
                numbers,
            )
        except ValueError as error:
            raise OperationError(str(error)) from None

    def note(
        self, rule: str, message: str, hint: str, severity: Severity = Severity.WARNING, span: Span | None = None
    ) -> None:
        """A finding at the current place of the golden, or at `span`."""
        at = span or self.span
        place = Location(self.path, at.line, at.column, at.end_line, at.end_column)
        self.keep([Finding(rule, severity, message, place, hint)])

    def keep(self, findings: Iterable[Finding]) -> None:
        """Add findings, each once."""
        for finding in findings:
            if finding not in self._noted:
                self._noted.add(finding)
                self.findings.append(finding)


def _beyond(axis: Any, shapes: Sequence[Shape]) -> bool:
    """Whether an axis is one of no operand and not of the result either."""
    return isinstance(axis, int) and axis >= max(map(len, shapes))


def operand_of(value: Value) -> Operand:
    """A value as the operand of a Step. OperationError where it is neither a tensor nor a scalar."""
    if isinstance(value, TensorValue):
        return Ref(value.ref)
    if isinstance(value, ScalarValue):
        return value.scalar
    if isinstance(value, LibraryValue):
        raise OperationError(elsewhere(value), "write its value in this file")
    raise OperationError(f"a {type(value).__name__.removesuffix('Value').lower()} cannot be an operand")
