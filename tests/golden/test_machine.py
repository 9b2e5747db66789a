"""Steps on small arrays in plain Python against the same Steps in torch."""

from __future__ import annotations

from typing import Any

import pytest

from golden.reading import Snippet
from r0kit.golden.builder import Builder
from r0kit.golden.lift.array import Array
from r0kit.golden.lift.kernels import KERNELS
from r0kit.golden.lift.machine import Machine, Unprovable, agree

torch = pytest.importorskip("torch")

EXPRESSIONS = [
    "x + y, x - y, x * y, x / y, -x, x.abs(), x.square(), x ** 2, 2.0 ** x",
    "x.exp(), torch.exp2(x), torch.expm1(x), y.abs().log(), y.abs().log2(), y.abs().log10(), torch.log1p(y.abs())",
    "y.abs().sqrt(), torch.rsqrt(y.abs() + 1), x.reciprocal(), x.sin(), x.cos(), x.tanh(), x.erf(), x.sigmoid()",
    "F.silu(x), F.gelu(x), F.relu(x), F.softplus(x), x.floor(), x.ceil(), x.trunc(), x.round(), x.sign()",
    "x // y, x % y, torch.maximum(x, y), torch.minimum(x, y), torch.fmax(x, y), torch.logaddexp(x, y)",
    "x.clamp(-0.5, 0.5), x.clamp(min=0), torch.where(x > y, x, y), x.masked_fill(x > 0, -1.0), torch.lerp(x, y, 0.3)",
    "x == y, x != y, x < y, x <= y, x > y, x >= y, ~(x > y), (x > 0) & (y > 0), (x > 0) | (y > 0), (x > 0) ^ (y > 0)",
    "torch.isnan(x), torch.isinf(x), torch.isfinite(x / 0), torch.logical_not(x), torch.full_like(x, 3.0)",
    "x.sum(0), x.sum(dim=(0, 1)), x.mean(1, keepdim=True), x.amax(0), x.amin(1), x.prod(1), x.argmax(1), x.argmin(0)",
    "(x > 0).any(1), (x > 0).all(0), torch.count_nonzero(x, 0), x.softmax(-1), torch.logsumexp(x, 0), x.var(1)",
    "x.to(torch.int32), (x > 0).float(), x.double().float(), x.to(torch.bool)",
    "x.reshape(-1), x.t(), x.unsqueeze(1), x[:, None].squeeze(1), x[None].expand(2, 3, 5), x[1], x[:, 1:4:2], x.flip(1)",
    "torch.cat([x, y], 1), torch.stack([x, y], 1), torch.tril(x), torch.triu(x, 1), torch.tril(torch.ones(4, 4), -1)",
    "x @ y.t(), torch.einsum('ij,kj->ki', x, y), x[0] @ y[0], x[None] @ y.t()",
    "torch.zeros(2, 3), torch.ones(2), torch.full((2, 2), 7.0), torch.eye(3, 4), torch.arange(1, 9, 2), torch.tensor(2.5)",
    "x.cumsum(1), x.cumprod(0), x.cummax(1)[0], x.cummin(0).values",
]


@pytest.mark.parametrize("expressions", EXPRESSIONS)
def test_kernels_agree_with_torch(expressions: str) -> None:
    snippet = Snippet(f"def f_golden(x, y):\n    return {expressions}\n", {"x": "3 5", "y": "3 5"})
    program = snippet.read()
    inputs = {name: Array(tuple(value.shape), value.flatten().tolist()) for name, value in snippet.tensors().items()}
    machine = Machine(Builder("f", {}), {})
    values = {**inputs, **machine.run(program.steps, inputs)}
    for output, expected in zip(program.outputs, snippet.run(), strict=True):
        found = values[output.value]
        assert found.shape == tuple(expected.shape)
        assert torch.allclose(
            torch.tensor(found.data).double(), expected.flatten().double(), 1e-4, 1e-5, equal_nan=True
        )


def test_a_store_into_a_region() -> None:
    source = "def f_golden(x, y):\n    z = x.clone()\n    z[1, ::2] = y[0, :3]\n    z[:, 4] = 1\n    return z\n"
    snippet = Snippet(source, {"x": "3 5", "y": "3 5"})
    inputs = {name: Array(tuple(value.shape), value.flatten().tolist()) for name, value in snippet.tensors().items()}
    program = snippet.read()
    found = Machine(Builder("f", {}), {}).run(program.steps, inputs)[program.outputs[0].value]
    assert torch.allclose(torch.tensor(found.data), snippet.run()[0].flatten())


def test_every_kernel_is_an_operation() -> None:
    from r0kit.golden import ops
    from r0kit.golden.evaluate.operations import KINDS

    assert set(KERNELS) <= {*ops.KINDS, *KINDS}


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ([1.0, 2.0], [1.0, 2.0 + 1e-9], True),
        ([1.0], [1.0001], False),
        ([float("nan")], [float("nan")], True),
        ([float("nan")], [0.0], False),
        ([float("inf")], [float("inf")], True),
        ([float("inf")], [-float("inf")], False),
    ],
)
def test_agreement_is_up_to_rounding(left: list[Any], right: list[Any], same: bool) -> None:
    assert agree(Array((len(left),), left), Array((len(right),), right)) is same


def test_what_has_no_kernel_is_not_guessed() -> None:
    snippet = Snippet("def f_golden(x):\n    return torch.erfinv(x)\n", {"x": "3"})
    with pytest.raises(Unprovable):
        Machine(Builder("f", {}), {}).run(snippet.read().steps, {"x": Array((3,), [0.0, 0.1, 0.2])})
