"""A golden as a Program: Steps in single-assignment form, with shapes, dtypes, kinds and sections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from r0kit.finding import Finding
from r0kit.golden.dims import Dim, Shape
from r0kit.golden.scalars import Scalar, extents_of, parameters_of, readings_of
from r0kit.golden.span import Span


class Kind(str, Enum):
    """What a Step does to the axes of its operands (design.md section 1)."""

    ELEMENTWISE = "elementwise"
    REDUCTION = "reduction"
    CONTRACTION = "contraction"
    LAYOUT = "layout"
    GATHER = "gather"
    ORDERING = "ordering"
    SCAN = "scan"
    CREATION = "creation"
    RANDOM = "random"
    LOOP = "loop"
    OPAQUE = "opaque"


class Section(str, Enum):
    """Where a Step runs: the matrix data path, or everything computed on UB."""

    CUBE = "cube"
    VECTOR = "vector"


@dataclass(frozen=True, slots=True)
class Ref:
    """A tensor operand: the target of an earlier Step, or the name of an input of the Program."""

    name: str


Operand = Ref | Scalar


@dataclass(frozen=True, slots=True)
class Step:
    """One tensor operation.

    target: unique name of its value in the Program (the golden's own name where it has one).
    op: canonical operation, a row of `golden.ops`; attrs: its attributes, axes always counted from 0.
    operands: tensors and scalars in the order of the operation's row.
    shape, dtype: of the value; a dtype is spelled as in torch, without "torch.".
    section: of a layout Step, that of its consumer.
    span, text: where it stands in the golden, and the expression as written there.
    name: the golden's variable that it is bound to; "" for an intermediate value.
    origin: the composite call it was expanded from ("softmax"); "" for a Step the golden spells out.
    body, carried: of a loop, the Steps of one trip, and those among them that stand for what a trip finds of a value.

    A `loop` Step has attrs `trip` (the symbol of the trip in its body, counted from 0), `count` (the number of trips) and
    `results` (what it leaves, as Refs into its body); its own shape and dtype are those of the first result. In its body
    `carried(initial, after)` is `initial` in the first trip and later what `after` was in the trip before. A `project`
    Step is the loop's result number `index` after the last trip, or with `stacked` of all trips, side by side in front.
    An `opaque` Step hides what it computes from its operands; with `unknown_shape` its shape is a guess.
    """

    target: str
    op: str
    operands: tuple[Operand, ...]
    shape: Shape
    dtype: str
    kind: Kind
    section: Section
    span: Span
    text: str = ""
    name: str = ""
    origin: str = ""
    attrs: Mapping[str, Any] = field(default_factory=dict)
    body: tuple[Step, ...] = ()
    carried: tuple[str, ...] = ()

    @property
    def tensors(self) -> tuple[str, ...]:
        """Names of its tensor operands in order, those that a scalar operand reads included."""
        names: list[str] = []
        for operand in self.operands:
            names.extend([operand.name] if isinstance(operand, Ref) else sorted(readings_of(operand)))
        return tuple(names)

    @property
    def parameters(self) -> frozenset[str]:
        """Names of the golden's scalar parameters that it needs."""
        return frozenset().union(*(parameters_of(o) for o in self.operands if not isinstance(o, Ref)))

    @property
    def extents(self) -> frozenset[str]:
        """Symbols whose value it needs as a number (beside those of its operands' shapes)."""
        return frozenset().union(*(extents_of(o) for o in self.operands if not isinstance(o, Ref)))


@dataclass(frozen=True, slots=True)
class Input:
    """A tensor parameter of the golden that is bound (an optional one that is None is left out), or one that its module
    owns; path: where in the module, as torch names it ("blocks.0.up.bias")."""

    name: str
    shape: Shape
    dtype: str
    is_list: bool = False
    path: str = ""


@dataclass(frozen=True, slots=True)
class ScalarParameter:
    """A scalar parameter: its default as the golden writes it ("" where it has none) and its value for this contract.

    folded: whether the Program's structure depends on that value, so that another value needs another contract.
    known: whether anything says the value; where nothing does it is None here.
    """

    name: str
    default: str
    value: Any
    folded: bool = False
    known: bool = True


@dataclass(frozen=True, slots=True)
class Output:
    """A return value: its name, and the Step or input that it is."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Constraint:
    """An equality of extents that the golden or torch requires, or that a condition was decided by (`assumed`)."""

    left: Dim
    right: Dim
    reason: str
    line: int
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class RuntimeSymbol:
    """An extent known only at run time, with where it comes from. tensors: those whose numbers say it.

    unread: whether it is of something that could not be read, or how often a loop runs that data end: no tensor says it.
    """

    name: str
    origin: str
    line: int
    tensors: tuple[str, ...] = ()
    unread: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """Everything that static reading found out about one golden."""

    op: str
    path: str
    function: str
    source: str
    inputs: tuple[Input, ...]
    parameters: tuple[ScalarParameter, ...]
    steps: tuple[Step, ...]
    outputs: tuple[Output, ...]
    constraints: tuple[Constraint, ...] = ()
    symbols: tuple[RuntimeSymbol, ...] = ()
    findings: tuple[Finding, ...] = ()

    def step(self, target: str) -> Step | None:
        """The Step that computes `target`; None for an input."""
        return next((step for step in self.steps if step.target == target), None)

    def shape_of(self, name: str) -> Shape:
        """Shape of a Step's value or an input. KeyError where there is neither."""
        shapes = {value.name: value.shape for value in self.inputs} | {step.target: step.shape for step in self.steps}
        return shapes[name]
