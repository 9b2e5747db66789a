"""Programs and contracts made by hand: two operators that need no reader of goldens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from r0kit.contract.model import Contract
from r0kit.contract.read import parse
from r0kit.contract.typed import contract_of
from r0kit.golden import ops
from r0kit.golden.builder import Builder
from r0kit.golden.dims import shape_of
from r0kit.golden.program import Input, Output, Program, Ref, ScalarParameter
from r0kit.golden.scalars import Apply, Extent, Parameter
from r0kit.golden.span import Span
from r0kit.golden.values import DtypeValue, ScalarValue, TensorValue, Value, constant


class Writer:
    """Emits one Step after another, each on its line, and names the results."""

    def __init__(self, op: str, inputs: Mapping[str, tuple[Sequence[int | str], str]]) -> None:
        self.op = op
        self.inputs = [Input(name, shape_of(*shape), dtype) for name, (shape, dtype) in inputs.items()]
        self.builder = Builder(f"{op}_golden_cpu.py", ops.KINDS)
        self.line = 3

    def tensor(self, name: str) -> TensorValue:
        return next(TensorValue(v.name, v.shape, v.dtype) for v in self.inputs if v.name == name)

    def call(self, text: str, path: str, *args: Value, name: str = "", **kwargs: Any) -> Any:
        """The operation `path`, as the next line of the golden, which says `text` and may bind the result to `name`."""
        self.line += bool(name)
        with self.builder.at(Span(self.line, 5, self.line, 5 + len(text)), text):
            value = ops.call(self.builder, path, args, {k: constant(v) for k, v in kwargs.items()})
        if name:
            self.builder.bind(value, name)
        return value

    def program(self, result: TensorValue, *parameters: ScalarParameter) -> Program:
        targets = {step.target: step.name or f"{step.op}_{at}" for at, step in enumerate(self.builder.steps)}
        steps = tuple(
            replace(
                step,
                target=targets[step.target],
                operands=tuple(Ref(targets.get(o.name, o.name)) if isinstance(o, Ref) else o for o in step.operands),
            )
            for step in self.builder.steps
        )
        path, function = f"{self.op}_golden_cpu.py", f"{self.op}_golden_cpu"
        output = Output("y", targets[result.ref])
        return Program(self.op, path, function, "", tuple(self.inputs), parameters, steps, (output,))


def softmax() -> Program:
    """m = amax(x), e = exp(x - m), s = sum(e), y = e / s, in float32."""
    w = Writer("row_softmax", {"x": (("M", "N"), "float16")})
    xf = w.call("x.float()", "torch.Tensor.to", w.tensor("x"), DtypeValue("float32"), name="xf")
    m = w.call("xf.amax(-1, keepdim=True)", "torch.Tensor.amax", xf, constant(-1), name="m", keepdim=True)
    w.line += 1
    difference = w.call("xf - m", "operator.sub", xf, m)
    w.line -= 1
    e = w.call("torch.exp(xf - m)", "torch.exp", difference, name="e")
    s = w.call("e.sum(-1, keepdim=True)", "torch.Tensor.sum", e, constant(-1), name="s", keepdim=True)
    return w.program(w.call("e / s", "operator.truediv", e, s, name="y"))


def scores() -> Program:
    """c = a @ b.float(), y = c * (scale / K): a contraction, then a factor that needs the extent it contracted."""
    w = Writer("scores", {"a": (("M", "K"), "float32"), "b": (("K", "N"), "float32")})
    c = w.call("a @ b", "operator.matmul", w.tensor("a"), w.tensor("b"), name="c")
    factor = ScalarValue(Apply("/", (Parameter("scale"), Extent(shape_of("K")[0]))), float)
    y = w.call("c * (scale / K)", "operator.mul", c, factor, name="y")
    return w.program(y, ScalarParameter("scale", "1e-3", 0.001))


def contract(text: str) -> Contract:
    """The contract that YAML text says."""
    return contract_of(parse(text, "module_interfaces.yaml"))


SOFTMAX = """\
op: row_softmax
module_count: 3
primary_inputs: [{name: x, shape: "[M, N]", dtype: float16}]
modules:
  - {id: 1, name: row_max, section: vector, inputs: [{name: x, source: primary}], outputs: [{name: m}]}
  - id: 2
    name: exp_sum
    section: vector
    description: sum of exponentials
    inputs: [{name: m, source: module_1}, {name: x, source: primary}]
    outputs: [{name: s}]
  - id: 3
    name: normalise
    section: vector
    inputs: [{name: x, source: primary}, {name: m, source: module_1}, {name: s, source: module_2}]
    outputs: [{name: y}]
final_outputs: [{name: y, source: module_3}]
composition_verification: {atol: 1.0e-3, rtol: 1.0e-3, seeds: [1, 2], shapes: [{M: 4, N: 128}, {M: 3, N: 33}]}
"""
SCORES = """\
op: scores
module_count: 2
primary_inputs: [{name: a, shape: "[M, K]", dtype: float32}, {name: b, shape: "[K, N]", dtype: float32}]
modules:
  - id: 1
    section: cube
    inputs: [{name: a, source: primary}, {name: b, source: primary}]
    outputs: [{name: c, shape: "[M, N]", dtype: float32}]
  - id: 2
    section: vector
    inputs: [{name: c, source: module_1}]
    outputs: [{name: y, shape: "[M, N]", dtype: float32}]
final_outputs: [{name: y, source: module_2}]
composition_verification: {atol: 1.0e-3, rtol: 1.0e-3, seeds: [1], shapes: [{M: 5, K: 7, N: 9}]}
"""
