"""Steps of one Module as short mathematics: `m = amax(x, N)`, `s = sum(exp(x - m), N)`.

A value that is used once is written where it is used, unless it is one that the golden names and that needs the whole of
an axis; a cast that loses nothing and a dimension of extent 1 are not
written at all. Tensors multiply elementwise with `*`, contract with `@`, and a reduction names the axes it reduces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from r0kit.golden.dims import Dim, Shape, shape_text
from r0kit.golden.dtypes import widens
from r0kit.golden.program import Kind, Program, Ref, Step
from r0kit.golden.scalars import Apply, Constant, Extent, Parameter, Reading, Scalar

LONGEST = 76  # characters of a line, above which an operand gets a line of its own


@dataclass(frozen=True, slots=True)
class Term:
    """An expression: its text and how tightly its outermost operator binds."""

    text: str
    binding: int = 10


COMPARE, OR, XOR, AND, SHIFT, SUM, PRODUCT, SIGN, POWER, ATOM = range(1, 11)

# op -> (operator, how tightly it binds)
BINARY: dict[str, tuple[str, int]] = {
    "add": ("+", SUM),
    "sub": ("-", SUM),
    "mul": ("*", PRODUCT),
    "div": ("/", PRODUCT),
    "floor_divide": ("//", PRODUCT),
    "remainder": ("%", PRODUCT),
    "pow": ("**", POWER),
    "lt": ("<", COMPARE),
    "le": ("<=", COMPARE),
    "gt": (">", COMPARE),
    "ge": (">=", COMPARE),
    "eq": ("==", COMPARE),
    "ne": ("!=", COMPARE),
    "logical_and": ("&", AND),
    "bitwise_and": ("&", AND),
    "logical_or": ("|", OR),
    "bitwise_or": ("|", OR),
    "logical_xor": ("^", XOR),
    "bitwise_xor": ("^", XOR),
    "bitwise_left_shift": ("<<", SHIFT),
    "bitwise_right_shift": (">>", SHIFT),
}
UNARY = {"neg": "-", "logical_not": "~", "bitwise_not": "~"}
SCALAR = {symbol: (symbol, binding) for symbol, binding in BINARY.values()}
UNSEEN = ("unsqueeze", "squeeze", "expand")  # they only add or remove extents of 1, or repeat along them
WHOLE = frozenset((Kind.REDUCTION, Kind.ORDERING, Kind.SCAN))  # with a name: always a line of their own
UNREAD = frozenset((Kind.OPAQUE, Kind.LOOP))  # shown as the golden writes them, on a line of their own
# Attributes that the text of a Step does not show because its axes or its shape say it already.
SILENT = ("axes", "axis", "keepdim", "labels", "compute_dtype", "dtype", "shape", "windows", "order", "sorted")
DEFAULTS = {
    "largest": True,
    "approximate": "none",
    "correction": 0,
    "exclusive": False,
    "descending": False,
    "diagonal": Constant(0),
}


def mathematics(steps: Sequence[Step], outputs: Iterable[str], program: Program) -> tuple[str, ...]:
    """One line per value that the Module writes, or uses more than once, in the order of `steps`."""
    writer = _Writer(steps, frozenset(outputs), program)
    for step in steps:
        writer.write(step)
    return tuple(writer.lines)


def scalar_term(scalar: Scalar) -> Term:
    """A scalar expression; `math.` is left out."""
    match scalar:
        case Constant(value):
            return Term(_number(value), SIGN if isinstance(value, (int, float)) and value < 0 else ATOM)
        case Parameter(name):
            return Term(name)
        case Extent(dim):
            return Term(str(dim), ATOM if dim.symbol or dim.const is not None else SUM)
        case Reading(tensor):
            return Term(tensor)
        case Apply("neg", (argument,)):
            return Term(f"-{_inside(scalar_term(argument), SIGN)}", SIGN)
        case Apply(function, (left, right)) if function in SCALAR:
            return _infix(*SCALAR[function], scalar_term(left), scalar_term(right))
        case Apply(function, arguments):
            return _call(function.removeprefix("math."), [scalar_term(argument).text for argument in arguments])


class _Writer:
    """Texts of the values seen so far, and the lines written for them."""

    def __init__(self, steps: Sequence[Step], outputs: frozenset[str], program: Program) -> None:
        self.outputs, self.source = outputs, program.source
        self.lines: list[str] = []
        self.shapes: dict[str, Shape] = {value.name: value.shape for value in program.inputs}
        self.shapes |= {step.target: step.shape for step in program.steps}
        self.dtypes = {value.name: value.dtype for value in program.inputs}
        self.dtypes |= {step.target: step.dtype for step in program.steps}
        self.uses = Counter(name for step in steps for name in step.tensors)
        self.terms: dict[str, Term] = {}
        self.pending: dict[str, Term] = {}

    def write(self, step: Step) -> None:
        term = self._term(step)
        if len(term.text) > LONGEST:
            term = self._shorter(step, term)
        alias = _hidden(step, self.dtypes) and term.binding == ATOM and term.text.isidentifier()
        whole = step.kind in UNREAD or (step.name and step.kind in WHOLE)
        if step.target in self.outputs or whole or (self.uses[step.target] > 1 and not alias):
            self._line(step.target, self._explicit(step, term))
        else:
            self.terms[step.target] = term
            if not alias:
                self.pending[step.target] = term

    def _line(self, target: str, term: Term) -> None:
        self.lines.append(f"{target} = {term.text}")
        self.terms[target] = Term(target)
        self.pending.pop(target, None)

    def _shorter(self, step: Step, term: Term) -> Term:
        """The Step's text again, with operands on lines of their own, the longest first, until it is short enough."""
        inlined = [name for name in dict.fromkeys(step.tensors) if name in self.pending]
        composed = [name for name in inlined if not self.pending[name].text.isidentifier()]
        for name in sorted(composed, key=lambda name: -len(self.pending[name].text)):
            if len(term.text) <= LONGEST:
                break
            self._line(name, self.pending[name])
            term = self._term(step)
        return term

    def _explicit(self, step: Step, term: Term) -> Term:
        """On a line of its own a cast is written out."""
        return _call(step.dtype, [term.text]) if _hidden(step, self.dtypes) and step.op == "cast" else term

    def _operands(self, step: Step) -> list[Term]:
        return [
            self.terms.get(operand.name, Term(operand.name)) if isinstance(operand, Ref) else scalar_term(operand)
            for operand in step.operands
        ]

    def _term(self, step: Step) -> Term:
        operands = self._operands(step)
        if step.op in BINARY and len(operands) == 2:
            return _infix(*BINARY[step.op], *operands)
        if step.op in UNARY and len(operands) == 1:
            return Term(UNARY[step.op] + _inside(operands[0], SIGN), SIGN)
        if _hidden(step, self.dtypes):
            return operands[0]
        spelled = SPELLED.get(step.op)
        if spelled:
            return spelled(step, operands, self._shape(step))
        if step.kind in UNREAD and step.text:
            return Term(_source(step, self.source), COMPARE)
        if step.kind is Kind.REDUCTION or "axis" in step.attrs or "axes" in step.attrs:
            return _over_axes(step, operands, self._shape(step))
        return _call(step.op, [operand.text for operand in operands] + _attributes(step))

    def _shape(self, step: Step) -> Shape:
        """Shape of its first tensor operand; its own where it has none."""
        first = next(iter(step.tensors), step.target)
        return self.shapes.get(first, step.shape)


def _hidden(step: Step, dtypes: Mapping[str, str]) -> bool:
    """Whether the Step changes nothing that mathematics would write."""
    if step.op == "cast" and step.tensors:
        return widens(dtypes[step.tensors[0]], step.dtype)
    return step.op in UNSEEN


def _infix(symbol: str, binding: int, left: Term, right: Term) -> Term:
    tight = binding + (symbol == "**")
    return Term(f"{_inside(left, tight)} {symbol} {_inside(right, binding + (symbol != '**'))}", binding)


def _inside(term: Term, binding: int) -> str:
    return term.text if term.binding >= binding else f"({term.text})"


def _call(name: str, arguments: Sequence[str]) -> Term:
    return Term(f"{name}({', '.join(arguments)})")


def _number(value: Any) -> str:
    return repr(value).strip("'") if not isinstance(value, str) else value


def _attributes(step: Step) -> list[str]:
    shown = {name: value for name, value in step.attrs.items() if name not in SILENT}
    return [
        f"{name}={_attribute(value)}" for name, value in shown.items() if value not in (DEFAULTS.get(name), None, ())
    ]


def _attribute(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(_attribute, value))}]"
    if isinstance(value, (Constant, Parameter, Extent, Reading, Apply)):
        return scalar_term(value).text
    return value if isinstance(value, str) else str(value)


def axis_text(shape: Shape, axis: int) -> str:
    """An axis by the name of its extent; by its number where the extent has none, or another axis has the same."""
    if axis >= len(shape):
        return f"dim={axis}"
    named = bool(shape[axis].symbols) and shape.count(shape[axis]) == 1
    return str(shape[axis]) if named else f"dim={axis}"


def _over_axes(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    axes = step.attrs.get("axes", (step.attrs["axis"],) if "axis" in step.attrs else ())
    whole = step.kind is Kind.REDUCTION and len(axes) == len(shape) > 1
    names = [] if whole else [axis_text(shape, axis) for axis in axes]
    op = step.op.removesuffix("_values")
    return _call(op, [operand.text for operand in operands] + names + _attributes(step))


def _matmul(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    return _infix("@", PRODUCT, operands[0], operands[1])


def _einsum(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    labels = step.attrs.get("labels", ())
    letters = {label: chr(ord("a") + number) for number, label in enumerate(dict.fromkeys(sum(map(tuple, labels), ())))}
    words = ["".join(letters[label] for label in part) for part in labels]
    equation = f"{','.join(words[:-1])}->{words[-1]}" if words else ""
    return _call("einsum", [equation, *(operand.text for operand in operands)])


def _cast(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    return _call(step.dtype, [operands[0].text])


def _permute(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    order = tuple(step.attrs.get("order", ()))
    rank = len(order)
    swapped = (*range(rank - 2), rank - 1, rank - 2)
    if rank >= 2 and order == swapped:
        return Term(f"{_inside(operands[0], ATOM)}.T")
    return _call("permute", [operands[0].text, *map(str, order)])


def _reshape(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    if _without_ones(step.shape) == _without_ones(shape):
        return operands[0]
    return _call("reshape", [operands[0].text, shape_text(step.shape)])


def _without_ones(shape: Shape) -> list[Dim]:
    return [extent for extent in shape if extent.const != 1]


def _created(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    return _call(step.op, [*(operand.text for operand in operands), shape_text(step.shape)])


def _slice(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    start, stop, stride = (step.attrs.get(name) for name in ("start", "stop", "step"))
    axis = step.attrs["axis"]
    first = "" if start in (None, Dim.of(0), 0) else str(start)
    last = "" if stop is None or (axis < len(shape) and stop == shape[axis]) else str(stop)
    by = "" if stride in (None, Dim.of(1), 1) else f":{stride}"
    return _indexed(operands[0], axis, len(shape), f"{first}:{last}{by}")


def _select(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    return _indexed(operands[0], step.attrs["axis"], len(shape), str(step.attrs["index"]))


def _indexed(operand: Term, axis: int, rank: int, item: str) -> Term:
    before = ["..."] if axis == rank - 1 and axis > 1 else [":"] * axis
    return Term(f"{_inside(operand, ATOM)}[{', '.join([*before, item])}]")


def _joined(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    axis = step.attrs["axis"]
    return _call(step.op, [f"[{', '.join(operand.text for operand in operands)}]", axis_text(step.shape, axis)])


def _source(step: Step, source: str) -> str:
    """What the golden has there on one line, with semicolons between the statements of a loop."""
    lines = source.split("\n")[step.span.line - 1 : step.span.end_line] or [step.text]
    plain = [text for line in lines if (text := line.partition("#")[0].strip())]
    if step.kind is not Kind.LOOP or len(plain) < 2:
        return " ".join(step.text.split())
    return f"{plain[0]} {'; '.join(plain[1:])}"


def _project(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    """One of the results of a loop."""
    return Term(f"{_inside(operands[0], ATOM)}[{step.attrs.get('index', 0)}]")


def _clamp(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    value, low, high = (operand.text for operand in (*operands, Term("None"), Term("None"))[:3])
    if "None" in (low, high):
        return _call("max", [value, low]) if high == "None" else _call("min", [value, high])
    return _call("clamp", [value, low, high])


def _arange(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    texts = [operand.text for operand in operands]
    return _call("arange", texts[1:2] if texts[:1] == ["0"] and texts[2:] in ([], ["1"]) else texts)


Speller = Callable[[Step, Sequence[Term], Shape], Term]

# Operations whose text is neither an operator nor `op(operands, axes, attributes)`.
SPELLED: dict[str, Speller] = {
    "clamp": _clamp,
    "project": _project,
    "arange": _arange,
    "matmul": _matmul,
    "einsum": _einsum,
    "cast": _cast,
    "permute": _permute,
    "reshape": _reshape,
    "slice": _slice,
    "select": _select,
    "cat": _joined,
    "stack": _joined,
    **dict.fromkeys(("zeros", "ones", "full", "empty", "eye"), _created),
}
