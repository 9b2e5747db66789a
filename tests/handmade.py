"""Partitions written out by hand, for tests of what is drafted from them."""

from __future__ import annotations

from typing import Any

from r0kit.golden.axes import Axis
from r0kit.golden.dims import Dim, Shape, parse_dim
from r0kit.golden.program import Input, Kind, Output, Program, Ref, Section, Step
from r0kit.golden.scalars import Constant, Extent, Parameter, Scalar
from r0kit.golden.span import Span
from r0kit.partition.model import (
    AxisDecision,
    Boundary,
    BoundaryKind,
    Crossing,
    Part,
    Partition,
    State,
    Strategy,
    Traversal,
)

KINDS = {
    "cast": Kind.ELEMENTWISE,
    "amax": Kind.REDUCTION,
    "sum": Kind.REDUCTION,
    "mean": Kind.REDUCTION,
    "matmul": Kind.CONTRACTION,
    "permute": Kind.LAYOUT,
    "reshape": Kind.LAYOUT,
    "slice": Kind.LAYOUT,
    "unsqueeze": Kind.LAYOUT,
    "topk_values": Kind.ORDERING,
    "topk_indices": Kind.ORDERING,
}


def shape(text: str) -> Shape:
    """ "M, N" as a shape."""
    return tuple(parse_dim(extent) for extent in text.split(",") if extent.strip())


class Golden:
    """A Program in the making: inputs, then Steps, each on a line of its own from line 10 on."""

    def __init__(self, op: str, **inputs: str) -> None:
        self.op, self.steps = op, {}
        self.inputs = {name: self._input(name, text) for name, text in inputs.items()}

    @staticmethod
    def _input(name: str, text: str) -> Input:
        extents, _, dtype = text.partition(":")
        return Input(name, shape(extents), dtype or "float32")

    def step(
        self, target: str, op: str, operands: str, extents: str, dtype: str = "float32", origin: str = "", **attrs: Any
    ) -> None:
        """A Step; a target that begins with `_` has no name in the golden."""
        line = 10 + len(self.steps)
        kind = KINDS.get(op, Kind.ELEMENTWISE)
        self.steps[target] = Step(
            target,
            op,
            tuple(map(self._operand, operands.split())),
            shape(extents),
            dtype,
            kind,
            Section.CUBE if kind is Kind.CONTRACTION else Section.VECTOR,
            Span(line, 5, line, 20),
            name="" if target.startswith("_") else target,
            origin=origin,
            attrs=attrs,
        )

    def _operand(self, text: str) -> Ref | Scalar:
        if text in self.steps or text in self.inputs:
            return Ref(text)
        if text.startswith("$"):
            return Parameter(text[1:])
        return Extent(Dim.of(text)) if text.isidentifier() else Constant(float(text) if "." in text else int(text))

    def program(self, *outputs: str) -> Program:
        finals = tuple(Output(name, name) for name in outputs)
        return Program(
            self.op,
            "golden.py",
            f"{self.op}_golden",
            "",
            tuple(self.inputs.values()),
            (),
            tuple(self.steps.values()),
            finals,
        )

    def part(
        self,
        id: int,
        steps: str,
        inputs: dict[str, int],
        outputs: str,
        boundaries: tuple[Boundary, ...] = (),
        traversal: Traversal | None = None,
    ) -> Part:
        """A Module of these Steps; `inputs` says which Module writes each value (0: primary)."""
        own = tuple(self.steps[name] for name in steps.split())
        sections = {step.section for step in own}
        return Part(
            id,
            Section.CUBE if Section.CUBE in sections else Section.VECTOR,
            own,
            tuple(Crossing(name, module) for name, module in inputs.items()),
            tuple(outputs.split()),
            boundaries,
            traversal or Traversal((), (), "single"),
        )


def partition(program: Program, *parts: Part, **rest: Any) -> Partition:
    """The Partition of these Modules, for a5."""
    fields: dict[str, Any] = {"axes": (), "decisions": (), "extents": {}, "traffic": 0, "floor": 0}
    return Partition(program, Strategy.AUTO, "a5", parts, **{**fields, **rest})


def softmax_golden() -> Golden:
    golden = Golden("row_softmax", x="M, N:float16")
    golden.step("xf", "cast", "x", "M, N")
    golden.step("m", "amax", "xf", "M, 1", axes=(1,), keepdim=True)
    golden.step("_sub", "sub", "xf m", "M, N")
    golden.step("e", "exp", "_sub", "M, N")
    golden.step("s", "sum", "e", "M, 1", axes=(1,), keepdim=True)
    golden.step("y", "div", "e s", "M, N")
    return golden


N = Axis(1, "N", Dim.of("N"), 1048576)


def softmax_conventional() -> Partition:
    """Three traversals of N."""
    golden = softmax_golden()
    again = BoundaryKind.DATA_DEPENDENCE
    return partition(
        golden.program("y"),
        golden.part(1, "xf m", {"x": 0}, "m", traversal=Traversal(("M", "N"), ("N",), "single")),
        golden.part(
            2,
            "xf _sub e s",
            {"x": 0, "m": 1},
            "s",
            (Boundary(again, 1, "m", "N", 12),),
            Traversal(("M", "N"), ("N",), "single"),
        ),
        golden.part(
            3,
            "xf _sub e y",
            {"x": 0, "m": 1, "s": 2},
            "y",
            (Boundary(again, 2, "s", "N", 15),),
            Traversal(("M", "N"), (), "single"),
        ),
        axes=(N,),
        decisions=(AxisDecision(N, Strategy.CONVENTIONAL, "N may exceed what UB holds", 15872, (("x", 31744),)),),
    )


def softmax_online() -> Partition:
    """Statistics in one traversal of N, the output in another."""
    golden = softmax_golden()
    states = (
        State("m", "float32", "-1.0e30", "max(m, rowmax(tile))", "-1.0e30 before the maximum"),
        State("s", "float32", "0", "s * exp(m_old - m) + rowsum(exp(tile - m))", "0 after the subtraction"),
    )
    stats = Traversal(("M", "N"), ("N",), "online", states, "softmax_statistics")
    return partition(
        golden.program("y"),
        golden.part(1, "xf m _sub e s", {"x": 0}, "m s", traversal=stats),
        golden.part(
            2,
            "xf _sub e y",
            {"x": 0, "m": 1, "s": 1},
            "y",
            (Boundary(BoundaryKind.DATA_DEPENDENCE, 1, "s", "N", 15),),
            Traversal(("M", "N"), (), "single"),
        ),
        axes=(N,),
        decisions=(AxisDecision(N, Strategy.ONLINE, "a recurrence covers it", 15872, (("x", 31744),)),),
    )


def attention_online() -> Partition:
    """QK | online softmax | PV | rescale."""
    golden = Golden("attention", q="S, D:float16", k="T, D:float16", v="T, D:float16")
    golden.step("_kt", "permute", "k", "D, T", "float16", order=(1, 0))
    golden.step("scores", "matmul", "q _kt", "S, T", labels=((0, 1), (1, 2), (0, 2)))
    golden.step("m", "amax", "scores", "S, 1", axes=(1,), keepdim=True, origin="softmax")
    golden.step("_sub", "sub", "scores m", "S, T", origin="softmax")
    golden.step("p", "exp", "_sub", "S, T", origin="softmax")
    golden.step("l", "sum", "p", "S, 1", axes=(1,), keepdim=True, origin="softmax")
    golden.step("o", "matmul", "p v", "S, D", labels=((0, 1), (1, 2), (0, 2)))
    golden.step("y", "div", "o l", "S, D", origin="softmax")
    section = BoundaryKind.SECTION
    stats = Traversal(("S", "T"), ("T",), "online", (), "attention")
    return partition(
        golden.program("y"),
        golden.part(1, "_kt scores", {"q": 0, "k": 0}, "scores"),
        golden.part(2, "m _sub p l", {"scores": 1}, "p l", (Boundary(section, 1, "scores", "", 11),), stats),
        golden.part(
            3, "o", {"p": 2, "v": 0}, "o", (Boundary(section, 2, "p", "", 14),), Traversal(("S", "T"), ("T",), "single")
        ),
        golden.part(4, "y", {"o": 3, "l": 2}, "y", (Boundary(section, 3, "o", "", 16),)),
    )


def matmul_bias_gelu() -> Partition:
    golden = Golden("matmul_bias_gelu", a="M, K:float16", b="K, N:float16", bias="N:float32")
    golden.step("c", "matmul", "a b", "M, N", labels=((0, 1), (1, 2), (0, 2)), compute_dtype="float32")
    golden.step("c_2", "add", "c bias", "M, N")
    golden.step("y", "gelu", "c_2", "M, N", approximate="tanh")
    return partition(
        golden.program("y"),
        golden.part(1, "c c_2", {"a": 0, "b": 0, "bias": 0}, "c_2"),
        golden.part(2, "y", {"c_2": 1}, "y", (Boundary(BoundaryKind.SECTION, 1, "c_2", "", 11),)),
    )
