"""Steps of one Module as short mathematics: `m = amax(x, N)`, `s = sum(exp(x - m), N)`.

A value that is used once is written where it is used, unless it is one that the golden names and that needs the whole of
an axis; a cast that loses nothing and a dimension of extent 1 are not
written at all. Tensors multiply elementwise with `*`, contract with `@`, and a reduction names the axes it reduces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from r0kit.contract.draft.spelling import (
    ATOM,
    BINARY,
    COMPARE,
    SIGN,
    SPELLED,
    UNARY,
    Term,
    attributes,
    axis_text,
    call,
    infix,
    inside,
    over_axes,
    scalar_term,
)
from r0kit.golden.dims import Shape
from r0kit.golden.dtypes import widens
from r0kit.golden.program import Kind, Program, Ref, Step

__all__ = ["axis_text", "mathematics", "scalar_term"]

LONGEST = 76  # characters of a line, above which an operand gets a line of its own
UNSEEN = ("unsqueeze", "squeeze", "expand")  # they only add or remove extents of 1, or repeat along them
WHOLE = frozenset((Kind.REDUCTION, Kind.ORDERING, Kind.SCAN))  # with a name: always a line of their own
UNREAD = frozenset((Kind.OPAQUE, Kind.LOOP))  # shown as the golden writes them, on a line of their own


def mathematics(steps: Sequence[Step], outputs: Iterable[str], program: Program) -> tuple[str, ...]:
    """One line per value that the Module writes, or uses more than once, in the order of `steps`."""
    writer = _Writer(steps, frozenset(outputs), program)
    for step in steps:
        writer.write(step)
    return tuple(writer.lines)


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
        return call(step.dtype, [term.text]) if _hidden(step, self.dtypes) and step.op == "cast" else term

    def _told_apart(self, step: Step, operands: list[Term]) -> list[Term]:
        """Operands that are one value along different axes: `i[:, None] - i`, where `i - i` would read as zero."""
        names = [operand.name for operand in step.operands if isinstance(operand, Ref)]
        if len(names) != 2 or operands[0].text != operands[1].text:
            return operands
        shapes = [self.shapes[name] for name in names]
        if shapes[0] == shapes[1] or names[0] == names[1]:
            return operands
        last = [bool(shape) and shape[-1].const == 1 for shape in shapes]
        return [
            Term(f"{inside(operand, ATOM)}[..., None]") if one and not all(last) else operand
            for operand, one in zip(operands, last, strict=True)
        ]

    def _operands(self, step: Step) -> list[Term]:
        return [
            self.terms.get(operand.name, Term(operand.name)) if isinstance(operand, Ref) else scalar_term(operand)
            for operand in step.operands
        ]

    def _term(self, step: Step) -> Term:
        operands = self._operands(step)
        if step.op in BINARY and len(operands) == 2:
            return infix(*BINARY[step.op], *self._told_apart(step, operands))
        if step.op in UNARY and len(operands) == 1:
            return Term(UNARY[step.op] + inside(operands[0], SIGN), SIGN)
        if _hidden(step, self.dtypes):
            return operands[0]
        spelled = SPELLED.get(step.op)
        if spelled:
            return spelled(step, operands, self._shape(step))
        if step.kind in UNREAD and step.text:
            return Term(_source(step, self.source), COMPARE)
        if step.kind is Kind.REDUCTION or "axis" in step.attrs or "axes" in step.attrs:
            return over_axes(step, operands, self._shape(step))
        return call(step.op, [operand.text for operand in operands] + attributes(step))

    def _shape(self, step: Step) -> Shape:
        """Shape of its first tensor operand; its own where it has none."""
        first = next(iter(step.tensors), step.target)
        return self.shapes.get(first, step.shape)


def _hidden(step: Step, dtypes: Mapping[str, str]) -> bool:
    """Whether the Step changes nothing that mathematics would write."""
    if step.op == "cast" and step.tensors:
        return widens(dtypes[step.tensors[0]], step.dtype)
    return step.op in UNSEEN


def _source(step: Step, source: str) -> str:
    """What the golden has there on one line, with semicolons between the statements of a loop."""
    lines = source.split("\n")[step.span.line - 1 : step.span.end_line] or [step.text]
    plain = [text for line in lines if (text := line.partition("#")[0].strip())]
    if step.kind is not Kind.LOOP or len(plain) < 2:
        return " ".join(step.text.split())
    return f"{plain[0]} {'; '.join(plain[1:])}"
