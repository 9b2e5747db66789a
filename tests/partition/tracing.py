"""Programs for tests of the partition: Python over tracing tensors, through the operation tables."""

from __future__ import annotations

from r0kit.golden import ops
from r0kit.golden.builder import Builder
from r0kit.golden.dims import Dim, parse_dim
from r0kit.golden.program import Input, Output, Program
from r0kit.golden.span import Span
from r0kit.golden.values import SequenceValue, TensorValue, constant, extent


class Traced:
    """A tensor whose operators and methods emit Steps."""

    def __init__(self, builder, value):
        self.builder, self.value = builder, value

    @property
    def shape(self):
        return self.value.shape

    def __getattr__(self, name):
        return lambda *args, **kwargs: call(self.builder, f"torch.Tensor.{name}", self, *args, **kwargs)

    def __getitem__(self, index):
        items = index if isinstance(index, tuple) else (index,)
        return wrap(self.builder, ops.index(self.builder, self.value, [unwrap(item) for item in items]))


def _operator(name):
    return lambda self, other: call(self.builder, f"operator.{name}", self, other)


for _name in ("add", "sub", "mul", "truediv", "matmul"):
    setattr(Traced, f"__{_name}__", _operator(_name))
for _name in ("add", "mul"):
    setattr(Traced, f"__r{_name}__", _operator(_name))


def unwrap(value):
    if isinstance(value, Traced):
        return value.value
    if isinstance(value, (tuple, list)):
        return SequenceValue([unwrap(item) for item in value])
    return extent(value) if isinstance(value, Dim) else constant(value)


def wrap(builder, value):
    if isinstance(value, SequenceValue):
        return tuple(wrap(builder, item) for item in value.items)
    return Traced(builder, value) if isinstance(value, TensorValue) else value


def call(builder, path, *args, **kwargs):
    """One line of the golden: line numbers count Steps."""
    line = len(builder.steps) + 1
    with builder.at(Span(line, 1, line, 2), path):
        value = ops.call(builder, path, [unwrap(a) for a in args], {name: unwrap(a) for name, a in kwargs.items()})
    return wrap(builder, value)


class Torch:
    """`torch` and `torch.nn.functional` for traced code."""

    def __init__(self, builder):
        self.builder = builder

    def __getattr__(self, name):
        path = f"torch.{name}" if ops.find(f"torch.{name}") else f"torch.nn.functional.{name}"
        return lambda *args, **kwargs: call(self.builder, path, *args, **kwargs)


def trace(function, /, **inputs):
    """The Program of `function(torch, **tensors)`; inputs as name="dtype[M, N]"."""
    declared = [_input(name, text) for name, text in inputs.items()]
    builder = Builder("golden.py", ops.KINDS)
    tensors = {i.name: Traced(builder, TensorValue(i.name, i.shape, i.dtype)) for i in declared}
    result = function(Torch(builder), **tensors)
    results = result if isinstance(result, tuple) else (result,)
    outputs = tuple(Output(f"out_{n}" if len(results) > 1 else "out", r.value.ref) for n, r in enumerate(results))
    steps = tuple(builder.steps)
    return Program("op", "golden.py", "op_golden", "", tuple(declared), (), steps, outputs, tuple(builder.constraints))


def _input(name, text):
    dtype, _, shape = text.partition("[")
    extents = [part for part in shape.rstrip("]").split(",") if part.strip()]
    return Input(name, tuple(parse_dim(part) for part in extents), dtype)
