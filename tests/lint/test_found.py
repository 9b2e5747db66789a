"""Pitfalls in the many forms in which people write them."""

import pytest

from r0kit.lint import BEFORE, lint_text
from r0kit.lint.rows.examples import define, factory, kernel

_PAIR = tuple(f"{name}: pypto.Tensor((64, 64), pypto.DT_FP32)" for name in ("predictions", "targets", "out"))
_THREE = tuple(f"{name}: pypto.Tensor((64, 64), pypto.DT_FP32)" for name in ("a", "p", "n"))
_LONG = tuple(f"{name}: pypto.Tensor([4, {n}], pypto.DT_FP16)" for name, n in (("a", 70000), ("b", 4), ("out", 4)))
_OPEN = tuple(f"{name}: pypto.Tensor([], pypto.DT_FP32)" for name in ("x", "out"))
_COLUMN = "out: pypto.Tensor((64, 1), pypto.DT_FP32)"
_NEAR_FAR = "d1 = a - p\nd2 = a - n\nnear = pypto.sum(d1 ** 2, dim=1, keepdim=True)\nfar = (d2 * d2).sum(1, True)\n"
_MODEL_NEW = "\n\nclass ModelNew:\n    def forward(self, x, out):\n{}"


def rules(text: str, version: str | None = None) -> list[str]:
    return sorted({finding.rule for finding in lint_text(text, version=version).findings})


def _body(code: str, *lines: str, tensors: tuple[str, ...] = (), **options: str) -> tuple[str, str]:
    text = "\n".join(lines)
    return code, define(text, *tensors) if tensors else kernel(text, **options)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        _body("P03", "out[:] = pypto.mul(2, x)"),
        _body("P03", "c = 0.5", "out[:] = pypto.div(c, x)"),
        ("P03", kernel("out[:] = f(x)") + "\n\ndef f(v):\n    return pypto.add(1.0, v)\n"),
        ("P03", "import pypto as pt\n\n\ndef helper(x: pt.Tensor):\n    return pt.sub(1.0, x)\n"),
        ("P03", "from pypto import Tensor, sub\n\n\ndef helper(x: Tensor):\n    return sub(1.0, x)\n"),
        _body("P02", "y = x[:32, :]", "out[:32, :] = 3.0 % y"),
        ("P04", factory("t = pypto.sqrt(eps)\n    out[:] = x + t".replace("\n    ", "\n"), "eps", "0.5")),
        _body("P04", "out[:] = x + pypto.add(1.0, 2.0)"),
        _body("P05", "out[:] = x.clamp(0.0, 1.0)"),
        _body("P05", "out[:] = pypto.squeeze(x, 0)"),
        _body("P05", "out[:] = pypto.sigmiod(x)"),
        ("P08", define("pypto.set_cube_tile_shapes([16, 16], [64, 64], [16, 16])\nout[:] = a @ b", *_LONG)),
        ("P08", factory("pypto.set_cube_tile_shapes([16, 16], [64, 64], [16, 16])\nout[:] = pypto.matmul(x, x, pypto.DT_FP32)",
                        "m, k", "64, 131072", "(m, k)")),
        _body("P09", _NEAR_FAR + "out[:] = pypto.relu(near - far + 1.0)", tensors=(*_THREE, _COLUMN)),
        _body("P09", "d = a - p", "out[:] = pypto.sqrt(pypto.sum(d * d, dim=1, keepdim=True))", tensors=(*_THREE, _COLUMN)),
        ("P09", define("d = a - p\nout[:] = pypto.sum(d * d, dim=1, keepdim=True)", *_THREE, _COLUMN, name="l2_distance")),
        ("P10", kernel("out[:] = x * 2.0", "(4, 8, 64)", "8, 64")),
        ("P10", kernel("out[:] = x * 2.0").replace("(64, 64)", "[pypto.DYNAMIC, pypto.STATIC]").replace("32, 64", "64")),
        ("P11", factory("out[:] = x * 2.0", "m, n", "128, 16", "(m, n)")),
        ("P11", kernel("out[:] = x + 1.0", "(128, 4096)", "1, 16384")),
        ("P12", kernel("out[:] = pypto.amax(x, dim=-1, keepdim=True)", "(8, 40000)", "1, 40000", "(8, 1)")),
        ("P12", "HIDDEN = 65536\n" + kernel("out[:] = pypto.sum(x, -1, True)", "(8, HIDDEN)", "1, HIDDEN", "(8, 1)")),
        ("P13", kernel("# 连续维是 256，已达1KB\npypto.set_vec_tile_shapes(1, 256, 64)\nout[:] = x + 1.0", "(16, 256, 256)",
                       "1, 16, 256")),
        ("P14", kernel("out[:] = pypto.exp(x)", tile="")),
        ("P14", kernel("out[:] = pypto.matmul(x, y, pypto.DT_FP32)", inputs="x y")),
        _body("P15", "out[:] = 1.0 / (1.0 + pypto.exp(-x))"),
        _body("P15", "e = pypto.exp(x)", "out[:] = e / (e + 1.0)"),
        _body("P15", "out[:] = pypto.reciprocal(pypto.exp(pypto.neg(x)) + 1.0)"),
        _body("P15", "e = pypto.exp(x)", "out[:] = e / pypto.sum(e, dim=1, keepdim=True)"),
        _body("P15", "m = x.amax(-1, keepdim=True)", "e = (x - m).exp()", "out[:] = e / e.sum(-1, keepdim=True)"),
        _body("P15", "out[:] = pypto.maximum(-x, x)"),
        _body("P15", "out[:] = pypto.sqrt(x * x)"),
        _body("P15", "out[:] = -pypto.maximum(-x, -0.5)"),
        ("P16", factory("out[:] = x + 1.0", "n", "64").replace("):\n    @", "):\n    assert n % 32 == 0\n    @", 1)),
        ("P18", factory("out[:] = pypto.maximum(x, (pypto.exp(x) - 1.0) * alpha)", "alpha", "0.5")),
        ("P18", factory("out[:] = pypto.maximum(x * slope, x)", "slope", "1.5")),
        _body("P18", "out[:] = pypto.maximum(x, pypto.expm1(x))"),
        _body("P19", "inv = 1.0 / 64", "mean = pypto.sum(x, dim=1) * inv", "sq = pypto.sum(x * x, dim=1) * inv",
              "out[:] = pypto.sub(mean * mean, sq)", out="(64,)"),
        ("P22", kernel("out[:] = pypto.sum(x, 1, True)", out="(64, 1)")
         + "\n\ndef forward(x, y):\n    kernel(x, y)\n    return y.squeeze(-1)\n"),
        ("P22", factory("out[:] = pypto.sum(x, dim=1, keepdim=True)", "n", "64")
         + "\n\nclass Layer:\n    def __init__(self):\n        self.kernel = make_kernel(64)\n\n"
         "    def forward(self, x, y):\n        self.kernel(x, y)\n        return y.squeeze(1)\n"),
        ("P23", define("out[:] = pypto.sum(x, dim, True)", *_OPEN, "dim: int")
         + _MODEL_NEW.format("        kernel(x, out, dim=-1)\n")),
        ("P24", "import pyto\n\n\ndef f(x):\n    return pyto.sigmoid(x)\n"),
        ("P24", "from pto import add, sub\n"),
        ("P26", factory("out[:] = x + 1.0", "m", "1048576", "(m, 64)")),
        _body("P28", "d = predictions - targets", "a = pypto.abs(d)", "c = pypto.minimum(a, 0.5)",
              "out[:] = 0.5 * c * c + (a - c)", tensors=_PAIR),
        _body("P28", "d = predictions - targets", "out[:] = pypto.minimum(d * d * 0.5, pypto.abs(d) - 0.5)", tensors=_PAIR),
        _body("P30", "out[:] = pypto.amax(pypto.amax(x, dim=1), dim=0)", out="()"),
        _body("P30", "s = pypto.sum(x, dim=1, keepdim=True)", "pypto.set_vec_tile_shapes(64, 1)",
              "out[:] = pypto.sum(s, dim=0, keepdim=True)", out="(1, 1)"),
    ],
)  # fmt: skip
def test_found(code: str, text: str) -> None:
    assert rules(text) == [code]


def test_short_huber_with_the_delta_of_its_factory() -> None:
    body = """diff = x - x[:, :]
abs_diff = pypto.abs(diff)
neg_abs = pypto.mul(abs_diff, -1.0)
clipped = pypto.mul(pypto.maximum(neg_abs, -delta), -1.0)
out[:] = clipped * clipped * 0.5 + abs_diff - clipped"""
    assert "P28" in rules(factory(body, "delta", "2.0"))
    assert rules(factory(body, "delta", "1.0")) == ["P15"]


@pytest.mark.parametrize(
    "line",
    ["predictions * (pypto.log(predictions) - pypto.log(targets))", "predictions * pypto.log(predictions / targets)"],
)
def test_kl_divergence_reversed(line: str) -> None:
    text = define(f"out[:] = {line}", *_PAIR) + "\n\ndef golden(p, t):\n    return F.kl_div(torch.log(p), t)\n"
    assert rules(text) == ["P29"]
    assert rules(text.replace("predictions", "u").replace("targets", "v")) == []


def test_branches_in_forward_and_in_the_kernel() -> None:
    branches = (
        "        if self.dim == 0:\n            kernel(x, out)\n        if self.dim == 1:\n            kernel(x, out)\n"
    )
    assert rules(kernel("out[:] = pypto.exp(x)") + _MODEL_NEW.format(branches)) == ["P21"]
    nested = "if dim == 0:\n    out[:] = x\nelse:\n    if dim == 1:\n        out[:] = x + 1.0"
    assert rules("dim = 1\n" + kernel(nested)) == ["P21"]


def test_the_signature_of_a_model_without_the_original() -> None:
    model = "\n\nclass ModelNew:\n    def __init__(self, eps, input_shape):\n        self.eps = eps\n"
    assert rules(kernel("out[:] = pypto.exp(x)") + model) == ["P20"]


@pytest.mark.parametrize("line", ["1.0 / x", "2 * x", "0.5 - x", "1.0 - x * y"])
def test_scalars_on_the_left_before_0_2(line: str) -> None:
    assert rules(kernel(f"out[:] = {line}", inputs="x y"), BEFORE) == ["P01"]
    assert rules(kernel(f"out[:] = {line}", inputs="x y")) == []
