"""Kernels of all kinds: `lint` speaks up exactly where the compiler refuses a kernel or the values are not torch's."""

from pathlib import Path
from typing import Literal, NamedTuple

import pytest
from wheel.judge import NEEDS_WHEEL, Job, Verdict, judge

from r0kit.lint import JUDGED, lint_text
from r0kit.lint.rows.examples import define, factory, kernel

pytestmark = [NEEDS_WHEEL, pytest.mark.wheel]

Outcome = Literal["refused", "wrong", "right"]


class Claim(NamedTuple):
    """source, reference: a kernel and what torch computes; found: the pitfalls that lint names, however severe."""

    outcome: Outcome
    source: str
    reference: str
    found: tuple[str, ...] = ()
    values: dict[str, str] = {}  # noqa: RUF012 (never changed)
    tolerance: float = 1e-3


_HALF_TO_TWO = {"x": "torch.rand(64, 64) * 1.5 + 0.5"}
_CUBE = "pypto.set_cube_tile_shapes([32, 32], [64, 64], [{0}, {0}])\n"
_SQUARE = tuple(f"{name}: pypto.Tensor((64, 64), pypto.DT_FP32)" for name in ("a", "b", "out"))
_MATMUL = "out[:] = pypto.matmul(a, b, pypto.DT_FP32{})"
_WIDE = [
    f"{n}: pypto.Tensor({s}, pypto.DT_FP32)"
    for n, s in zip(("a", "b", "out"), ((32, 64), (64, 65536), (32, 65536)), strict=True)
]
_TALL = [_WIDE[0], "b: pypto.Tensor((65536, 64), pypto.DT_FP32)", _WIDE[2]]
_SOFTMAX = """e = pypto.exp(x - pypto.amax(x, dim=-1, keepdim=True))
out[:] = e / pypto.sum(e, dim=-1, keepdim=True)"""
_BY_HAND = "out[:] = pypto.mul(pypto.maximum(pypto.mul(x, -1.0), -0.5), -1.0)"
_PAIR = tuple(f"{name}: pypto.Tensor((64, 64), pypto.DT_FP32)" for name in ("pred", "target", "out"))
_POSITIVE = {"pred": "torch.rand(64, 64) + 0.1", "target": "torch.rand(64, 64) + 0.1"}
_SHORT_HUBER = "a = pypto.abs(pred - target)\nc = pypto.minimum(a, 1.0)\nout[:] = c * c * 0.5 + a - c"


def _closed(expression: str) -> str:
    return factory(f"out[:] = {expression}", "delta: float", "0.5")


def _one_tile(body: str, elements: int, inputs: str = "x") -> str:
    return kernel(body, f"(2, {elements})", f"1, {elements}", inputs=inputs)


CLAIMS: dict[str, Claim] = {
    "scalar over tensor": Claim("right", kernel("out[:] = 1.0 / x"), "1 / x", (), _HALF_TO_TWO),
    "scalar times tensor": Claim("right", kernel("out[:] = 2.0 * x"), "2 * x"),
    "scalar floor-divided": Claim("refused", kernel("out[:] = 2.0 // x"), "2 // x", ("P02",), _HALF_TO_TWO),
    "scalar modulo tensor": Claim("refused", kernel("out[:] = 2.0 % x"), "2 % x", ("P02",), _HALF_TO_TWO),
    "tensor to a power": Claim("right", kernel("out[:] = x ** 2.0"), "x ** 2", (), _HALF_TO_TWO),
    "sub, scalar first": Claim("refused", kernel("out[:] = pypto.sub(1.0, x)"), "1 - x", ("P03",)),
    "mul, scalar first": Claim("refused", kernel("out[:] = pypto.mul(2.0, x)"), "2 * x", ("P03",)),
    "div, scalar first": Claim("refused", kernel("out[:] = pypto.div(1.0, x)"), "1 / x", ("P03",), _HALF_TO_TWO),
    "pow, scalar first": Claim("refused", kernel("out[:] = pypto.pow(2.0, x)"), "2 ** x", ("P03",)),
    "maximum, scalar first": Claim("right", kernel("out[:] = pypto.maximum(0.5, x)"), "x.clamp(min=0.5)"),
    "neg of a closure": Claim("refused", _closed("pypto.maximum(x, pypto.neg(delta))"), "x.clamp(min=-0.5)", ("P04",)),
    "exp of a closure": Claim("refused", _closed("x + pypto.exp(delta)"), "x + 0.5", ("P04",)),
    "Python on a closure": Claim("right", _closed("pypto.maximum(x, delta * -1.0)"), "x.clamp(min=-0.5)"),
    "where": Claim("right", kernel("out[:] = pypto.where(x > 0.0, x, 0.0)"), "x.relu()"),
    "tanh": Claim("refused", kernel("out[:] = pypto.tanh(x)"), "x.tanh()", ("P05",)),
    "mean": Claim("refused", kernel("out[:] = x - pypto.mean(x, dim=1, keepdim=True)"), "x - x.mean(1, True)", ("P05",)),
    "N of the right operand": Claim("refused", define(_CUBE.format(256) + _MATMUL.format(""), *_WIDE), "a @ b", ("P08",)),
    "N transposed": Claim("right", define(_CUBE.format(256) + _MATMUL.format(", b_trans=True"), *_TALL), "a @ b.T"),
    "a tile of more axes": Claim("right", kernel("out[:] = x + 1.0", tile="1, 32, 64"), "x + 1"),
    "add at the limit": Claim("right", _one_tile("out[:] = x + y", 24576, "x y"), "x + y"),
    "add beyond it": Claim("refused", _one_tile("out[:] = x + y", 24640, "x y"), "x + y", ("P12",)),
    "product at the limit": Claim("right", _one_tile("out[:] = x * 2.0", 49152), "x * 2"),
    "product beyond it": Claim("refused", _one_tile("out[:] = x * 2.0", 50000), "x * 2", ("P12",)),
    "matmul without cube tile": Claim("refused", define(_MATMUL.format(""), *_SQUARE), "a @ b", ("P14",)),
    "matmul without vector tile": Claim("right", define(_CUBE.format(64) + _MATMUL.format(""), *_SQUARE, tile=""), "a @ b"),
    "add without any tile": Claim("refused", kernel("out[:] = x + 1.0", tile=""), "x + 1", ("P14",)),
    "a tile set before the call": Claim(
        "right", kernel("out[:] = x + 1.0", tile="") + "\n\npypto.set_vec_tile_shapes(32, 64)\n", "x + 1"
    ),
    "transpose without any tile": Claim("refused", kernel("out[:] = pypto.transpose(x, 0, 1)", tile=""), "x.T", ("P14",)),
    "expansion without any tile": Claim(
        "refused",
        kernel("out[:] = pypto.expand_clone(x, [64, 64])", "(1, 64)", "", "(64, 64)"),
        "x.expand(64, 64)", ("P14",),
    ),
    "softmax by hand": Claim("right", kernel(_SOFTMAX), "x.softmax(-1)", ("P15",)),
    "abs by hand": Claim("right", kernel("out[:] = pypto.maximum(x, x * (-1.0))"), "x.abs()", ("P15",)),
    "minimum by hand": Claim("right", kernel(_BY_HAND), "x.clamp(max=0.5)", ("P15",)),
    "softmax": Claim("right", kernel("out[:] = pypto.softmax(x, dim=-1)"), "x.softmax(-1)"),
    "slope of 2": Claim("wrong", kernel("out[:] = pypto.maximum(x, x * 2.0)"), "F.leaky_relu(x, 2.0)", ("P18",)),
    "slope of 0.1": Claim("right", kernel("out[:] = pypto.maximum(x, x * 0.1)"), "F.leaky_relu(x, 0.1)"),
    "variance": Claim(
        "wrong",
        kernel(
            "m = pypto.sum(x, dim=1, keepdim=True) / 64.0\nq = pypto.sum(pypto.mul(x, x), dim=1, keepdim=True) / 64.0\n"
            "out[:] = pypto.sub(pypto.mul(m, m), q)",
            out="(64, 1)",
        ),
        "x.var(1, unbiased=False, keepdim=True)",
        ("P19",),
    ),
    "Huber, delta 1": Claim("right", define(_SHORT_HUBER, *_PAIR), "F.huber_loss(pred, target, reduction='none')"),
    "Huber by comparison": Claim(
        "wrong",
        define("d = pred - target\nout[:] = pypto.minimum(d * d * 0.5, pypto.abs(d) - 0.5)", *_PAIR),
        "F.huber_loss(pred, target, reduction='none')",
        ("P28",),
    ),
    "a method of torch": Claim("refused", kernel("out[:] = x.clamp(0.0, 1.0)"), "x.clamp(0, 1)", ("P05",)),
    "softmax without maximum": Claim(
        "right", kernel("e = pypto.exp(x)\nout[:] = e / pypto.sum(e, dim=1, keepdim=True)"), "x.softmax(1)", ("P15",)
    ),
    "sigmoid, exp over 1 + exp": Claim(
        "right", kernel("e = pypto.exp(x)\nout[:] = e / (e + 1.0)"), "torch.sigmoid(x)", ("P15",)
    ),
    "abs by its sign": Claim("right", kernel("out[:] = x * pypto.sign(x)"), "x.abs()", ("P15",)),
    "divergence by a quotient": Claim(
        "right", define("out[:] = target * pypto.log(target / pred)", *_PAIR, name="kl_div") + "\n\nkernel = kl_div\n",
        "F.kl_div(torch.log(pred), target, reduction='none')", (), _POSITIVE,
    ),
    "Huber without clamp": Claim(
        "wrong",
        define("d = pred - target\nout[:] = d * d * 0.5", *_PAIR, name="huber_kernel") + "\n\nkernel = huber_kernel\n",
        "F.huber_loss(pred, target, reduction='none')",
        ("P28",),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory, wheel_cache: Path) -> dict[str, Verdict]:
    jobs = [Job(claim.source, claim.reference, claim.values) for claim in CLAIMS.values()]
    return dict(zip(CLAIMS, judge(jobs, tmp_path_factory.mktemp("judge"), wheel_cache), strict=True))


def _outcome(verdict: Verdict, tolerance: float) -> Outcome:
    if not verdict.compiled:
        return "refused"
    return "right" if verdict.right(tolerance) else "wrong"


@pytest.mark.parametrize("name", CLAIMS)
def test_the_compiler_says_so(name: str, verdicts: dict[str, Verdict]) -> None:
    assert _outcome(verdicts[name], CLAIMS[name].tolerance) == CLAIMS[name].outcome, verdicts[name]


@pytest.mark.parametrize("name", CLAIMS)
def test_lint_agrees(name: str) -> None:
    """What is refused or wrong has an error; what is right has none, though perhaps advice."""
    findings = lint_text(CLAIMS[name].source, version=JUDGED).findings
    assert tuple(sorted({finding.rule for finding in findings})) == CLAIMS[name].found
    errors = any(finding.severity.value == "error" for finding in findings)
    assert errors == (CLAIMS[name].outcome != "right")
