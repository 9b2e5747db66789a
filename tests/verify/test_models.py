"""Goldens that are `forward` of a class: the stage functions get the tensors that the instance owns, and its values.

Run in this process rather than in a child, so that torch starts once for all of them. Contracts and stage functions are
written by hand, so what is held here does not hang on how goldens are read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("torch")

import torch

from r0kit.contract.read import parse
from r0kit.spec import Spec, parse_spec
from r0kit.verify import models
from r0kit.verify.callers import ForeignError
from r0kit.verify.prepare import Prepared, Wanted, prepare
from r0kit.verify.run import Subject
from r0kit.verify.runner import _findings
from r0kit.verify.session import Resources
from r0kit.verify.verdict import Check, Failure, Status
from r0kit.verify.wording import raised
from tests.verify.test_faults import check


class Golden(NamedTuple):
    """`__init__` and `forward` of a Model, what stands below it, its inputs, and the right stage function."""

    body: str
    inputs: str  # name: shape, ...
    stage: str
    below: str = ""
    evaluation: bool = False


LINEAR = """
    def __init__(self, k, n, bias=True):
        super().__init__()
        self.fc = nn.Linear(k, n, bias=bias)
    def forward(self, x):
        return self.fc(x)
"""
NORM = """
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.bn = nn.BatchNorm2d(4)
    def forward(self, x):
        return self.bn(self.conv(x))
"""
NORM_INPUTS = (
    "x: [2, 3, 6, 6], conv_weight: [4, 3, 3, 3], conv_bias: [4], bn_weight: [4], bn_bias: [4], "
    "bn_running_mean: [4], bn_running_var: [4]"
)
NORM_STAGE = (
    "def op_module_1(x, w, b, gamma, beta, mean, var):\n"
    "    return F.batch_norm(F.conv2d(x, w, b), mean, var, gamma, beta, {})\n"
)
LINEAR_STAGE = "def op_module_1(x, w, b): return F.linear(x, w, b)\n"
GOLDENS = {
    "a list": Golden(
        LINEAR, "x: [2, 8], fc_weight: [5, 8], fc_bias: [5]", LINEAR_STAGE, "def get_init_inputs(): return [8, 5]"
    ),
    "a list and a dictionary": Golden(
        LINEAR,
        "x: [2, 8], fc_weight: [5, 8]",
        "def op_module_1(x, w): return x @ w.T\n",
        "def get_init_inputs(): return [[8], {'n': 5, 'bias': False}]",
    ),
    "a list and a dictionary that are the arguments": Golden(
        LINEAR.replace("k, n,", "sizes, names,", 1).replace("k, n,", "sizes[0], names['n'],"),
        "x: [2, 8], fc_weight: [5, 8], fc_bias: [5]",
        LINEAR_STAGE,
        "def get_init_inputs(): return [[8], {'n': 5}]",
    ),
    "a dictionary": Golden(
        LINEAR,
        "x: [2, 8], fc_weight: [5, 8], fc_bias: [5]",
        LINEAR_STAGE,
        "def get_init_inputs(): return {'k': 8, 'n': 5}",
    ),
    "defaults": Golden(
        LINEAR.replace("self, k, n,", "self, k=8, n=5,"), "x: [2, 8], fc_weight: [5, 8], fc_bias: [5]", LINEAR_STAGE
    ),
    "own inputs first": Golden(
        LINEAR.replace("self, k, n,", "self, k=8, n=5,"),
        "fc_bias: [5], x: [2, 8], fc_weight: [5, 8]",
        "def op_module_1(b, x, w): return F.linear(x, w, b)\n",
    ),
    "a parameter, a buffer and an attribute": Golden(
        """
    def __init__(self):
        super().__init__()
        self.norm = nn.GroupNorm(2, 4)
        self.bias = nn.Parameter(torch.zeros(4, 1))
        self.register_buffer("mask", torch.ones(4, 1), persistent=False)
        self.scale = torch.ones(3)
    def forward(self, x):
        return (self.norm(x) + self.bias) * self.mask * self.scale
""",
        "x: [2, 4, 3], norm_weight: [4], norm_bias: [4], bias: [4, 1], mask: [4, 1], scale: [3]",
        "def op_module_1(x, w, b, bias, mask, scale): return (F.group_norm(x, 2, w, b) + bias) * mask * scale\n",
    ),
    "the name of a parameter of forward": Golden(
        """
    def __init__(self):
        super().__init__()
        self.x = nn.Parameter(torch.randn(4))
    def forward(self, x, weight):
        return self.x * x - weight
""",
        "x: [3, 4], weight: [4], x_w: [4]",
        "def op_module_1(x, weight, x_w): return x_w * x - weight\n",
    ),
    "nested blocks in a list of modules, and in a list": Golden(
        """
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(4, 4), nn.ReLU()) for _ in range(2)])
        self.gains = [torch.ones(4), torch.full((4,), 2.0)]
    def forward(self, x):
        for block, gain in zip(self.blocks, self.gains):
            x = x + gain * block(x)
        return x
""",
        "x: [3, 4], blocks_0_0_weight: [4, 4], blocks_0_0_bias: [4], blocks_1_0_weight: [4, 4], blocks_1_0_bias: [4], "
        "gains_0: [4], gains_1: [4]",
        "def op_module_1(x, w0, b0, w1, b1, g0, g1):\n"
        "    x = x + g0 * F.relu(F.linear(x, w0, b0))\n"
        "    return x + g1 * F.relu(F.linear(x, w1, b1))\n",
    ),
    "a shared parameter": Golden(
        """
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4, bias=False)
        self.second = nn.Linear(4, 4, bias=False)
        self.second.weight = self.first.weight
    def forward(self, x):
        return self.second(self.first(x))
""",
        "x: [3, 4], first_weight: [4, 4]",
        "def op_module_1(x, w): return x @ w.T @ w.T\n",
    ),
    "by its second name": Golden(
        """
    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(torch.ones(4))
        self.second = self.first
    def forward(self, x):
        return x * self.first * self.second
""",
        "x: [3, 4], first: [4], second: [4]",
        "def op_module_1(x, first, second): return x * first * second\n",
    ),
    "statistics of the batch": Golden(NORM, NORM_INPUTS, NORM_STAGE.format("True")),
    "running statistics": Golden(NORM, NORM_INPUTS, NORM_STAGE.format("False"), evaluation=True),
    "a state that forward overwrites": Golden(
        """
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(4))
    def forward(self, x):
        y = x + self.calls
        self.calls += 1
        return y
""",
        "x: [3, 4], calls: [4]",
        "def op_module_1(x, calls): return x + calls\n",
    ),
    "what nobody has filled": Golden(
        """
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(4, 5))
        self.bias = nn.Parameter(torch.empty(5))
    def forward(self, x):
        return x @ self.weight + self.bias
""",
        "x: [3, 4], weight: [4, 5], bias: [5]",
        "def op_module_1(x, w, b): return x @ w + b\n",
    ),
    "a hook": Golden(
        """
    def __init__(self):
        super().__init__()
        self.register_forward_pre_hook(lambda module, given: (given[0] * 2,))
    def forward(self, x):
        return x + 1
""",
        "x: [3, 4]",
        "def op_module_1(x): return x * 2 + 1\n",
    ),
    "dropout after the seed": Golden(
        """
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
    def forward(self, x):
        return F.dropout(self.fc(x), 0.5, self.training)
""",
        "x: [3, 4], fc_weight: [4, 4], fc_bias: [4]",
        "def op_module_1(x, w, b): return F.dropout(F.linear(x, w, b), 0.5)\n",
    ),
}


def prepared(
    folder: Path, golden: Golden, changed: str = "", spec: Spec | None = None, golden_text: str = ""
) -> Prepared:
    """The golden, its contract and its stage function (or `changed`), in files of `folder`."""
    path, stages = folder / "op_golden.py", folder / "stages.py"
    imports = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n"
    path.write_text(
        golden_text or f"{imports}\nclass Model(nn.Module):{golden.body}\n{golden.below}\n", encoding="utf-8"
    )
    stages.write_text(imports + (changed or golden.stage), encoding="utf-8")
    return prepare(
        parse(contract(golden.inputs), "c.yaml"), str(path), spec, Wanted((), 0, str(stages), golden.evaluation)
    )


def contract(inputs: str) -> str:
    listed = [part.split(": ") for part in inputs.replace("], ", "];").split(";")]
    primary = ", ".join(f'{{name: {name}, shape: "{shape}", dtype: float32}}' for name, shape in listed)
    given = ", ".join(f"{{name: {name}, source: primary}}" for name, _ in listed)
    return (
        f"op: op\nmodule_count: 1\nprimary_inputs: [{primary}]\n"
        f"modules: [{{id: 1, name: all, section: vector, inputs: [{given}], outputs: [{{name: y}}]}}]\n"
        "final_outputs: [{name: y, source: module_1}]\n"
        "composition_verification: {atol: 1.0e-4, rtol: 1.0e-4, seeds: [1, 2], shapes: [{B: 1}]}\n"
    )


@pytest.mark.parametrize("name", GOLDENS)
def test_the_right_stage_agrees(tmp_path: Path, name: str) -> None:
    assert check(prepared(tmp_path, GOLDENS[name])) is None


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("a list", "F.linear(x, w, b)", "F.linear(x, w)"),
        ("a list and a dictionary", "x @ w.T", "x @ w.roll(1, 0).T"),
        ("a parameter, a buffer and an attribute", ", 2, w, b)", ", 2, None, b)"),
        ("a parameter, a buffer and an attribute", ", 2, w, b)", ", 2, w)"),
        ("a parameter, a buffer and an attribute", " + bias", ""),
        ("a parameter, a buffer and an attribute", " * mask", ""),
        ("a parameter, a buffer and an attribute", " * scale", ""),
        ("nested blocks in a list of modules, and in a list", "w1, b1))", "w0, b1))"),
        ("by its second name", " * second", ""),
        ("statistics of the batch", "True", "False"),
        ("running statistics", "mean, var, gamma", "mean * 0, var * 0 + 1, gamma"),
        ("running statistics", "gamma, beta, False", "None, beta, False"),
        ("a state that forward overwrites", "x + calls", "x + calls + 1"),
        ("what nobody has filled", " + b", ""),
    ],
)
def test_a_fault_shows(tmp_path: Path, name: str, old: str, new: str) -> None:
    """Also one that the class's own values would hide: a weight of ones, a bias or a running mean of zeros."""
    golden = GOLDENS[name]
    assert old in golden.stage
    failure = check(prepared(tmp_path, golden, golden.stage.replace(old, new)))
    assert failure is not None
    assert (failure.category.value, failure.output) == ("precision", "y")


def test_the_mode_matters(tmp_path: Path) -> None:
    """A stage function that is right in one mode is wrong in the other."""
    for name in ("statistics of the batch", "running statistics"):
        golden = GOLDENS[name]
        failure = check(prepared(tmp_path, golden._replace(evaluation=not golden.evaluation)))
        assert failure is not None


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        (
            "x: [2, 8], fc_weight: [8, 5], fc_bias: [5]",
            "fc_weight has shape [5, 8] in the golden's class, and [8, 5] in this case of the contract",
        ),
        (
            "x: [2, 8], fc_w: [5, 8], fc_bias: [5]",
            "fc_w is neither a parameter of forward nor a tensor of the golden's class, which has fc_weight, fc_bias",
        ),
    ],
)
def test_tensors_that_the_class_does_not_have_so(tmp_path: Path, inputs: str, said: str) -> None:
    found = prepared(tmp_path, GOLDENS["a list"]._replace(inputs=inputs))
    failure = told(found)
    assert (failure.category.value, failure.rule, failure.detail) == ("structural", "verify.state", said)
    (finding,) = _findings(found, [Check(found.cases[0], Status.FAIL, failure=failure)])
    assert (finding.location.path, finding.location.line) == ("c.yaml", 3)


@pytest.mark.parametrize(
    ("old", "new", "said", "line"),
    [
        (
            "nn.Linear(k, n, bias=bias)",
            "nn.Linear(k, -n)",
            "the golden raises RuntimeError: Trying to create tensor with",
            9,
        ),
        ("return [8, 5]", "return [8]", "the golden raises TypeError: Model.__init__() missing 1 required", 0),
        ("return [8, 5]", "return 8 / 0", "the golden raises ZeroDivisionError: division by zero", 13),
    ],
)
def test_what_cannot_be_made_is_told_as_an_error_of_the_golden(
    tmp_path: Path, old: str, new: str, said: str, line: int
) -> None:
    golden = GOLDENS["a list"]
    changed = golden._replace(body=golden.body.replace(old, new), below=golden.below.replace(old, new))
    failure = told(prepared(tmp_path, changed))
    assert (failure.category.value, failure.rule, failure.line) == ("runtime", "verify.golden-raises", line)
    assert failure.detail.startswith(said)


def told(found: Prepared) -> Failure:
    """What the first case is told to have failed with, where it raises."""
    subject = Subject(lambda phase: None)
    subject.load(found.setup)
    with pytest.raises(ForeignError) as caught:
        subject.run(found.request(found.cases[0]))
    return raised(found, found.cases[0], caught.value.data, Resources())


PLAN: Mapping[str, Any] = {
    "name": "w",
    "shapes": [[64, 64]],
    "dtype": "float32",
    "low": -1.0,
    "high": 1.0,
    "is_list": False,
    "special": None,
    "owned": True,
}


@pytest.mark.parametrize(
    ("value", "plan", "low", "high", "kept"),
    [
        (torch.ones(64, 64), {}, 0.75, 1.25, False),
        (torch.zeros(64, 64), {}, -0.25, 0.25, False),
        (torch.full((64, 64), 1e-6), {}, 0.75e-6, 1.25e-6, False),
        (torch.full((64, 64), -8.0), {}, -10.0, -6.0, False),
        (torch.full((64, 64), math.nan), {}, -0.125, 0.125, False),
        (torch.full((64, 64), math.inf), {}, math.inf, math.inf, True),
        (torch.eye(64), {}, 0.0, 1.0, True),
        (torch.full((64, 64), 7), {"dtype": "int64"}, 7, 7, True),
        (torch.ones(64, 1).expand(64, 64), {}, 0.75, 1.25, False),
        (torch.ones(64, 64), {"dtype": "float16"}, 0.75, 1.25, False),
        (torch.ones(64, 64), {"owned": False, "low": 3.0, "high": 5.0}, 3.0, 5.0, False),
    ],
)
def test_values_stay_near_those_of_the_class(
    value: torch.Tensor, plan: dict[str, Any], low: float, high: float, kept: bool
) -> None:
    """Numbers that are all the same are disturbed by at most a quarter; a range of SPEC counts more than the class."""
    before = value.clone()
    settled = models.settle({"w": value}, [{**PLAN, **plan}], 3)["w"]
    assert torch.equal(settled, value)
    assert settled.data_ptr() != value.data_ptr()
    assert settled.dtype == getattr(torch, plan.get("dtype", "float32"))
    assert low <= settled.min() <= settled.max() <= high
    assert torch.equal(settled, before) == kept


SPEC = """\
---
op_name: op
supported_dtypes: [float32]
inputs: [{name: x, shape: [B, 8], dtype: float32}]
outputs: [{name: y, shape: [B, 5], dtype: float32}]
p0_shapes: [{x: [3, 8]}, {x: [7, 8]}]
atol: 1.0e-4
rtol: 1.0e-4
---
"""


def test_a_case_of_spec_need_not_list_what_the_class_owns(tmp_path: Path) -> None:
    golden = GOLDENS["a list"]._replace(inputs="x: [B, 8], fc_weight: [5, 8], fc_bias: [5]")
    found = prepared(tmp_path, golden, spec=parse_spec(SPEC, "SPEC.md")[0])
    assert [finding.message for finding in found.findings if "left out" in finding.message] == []
    assert [case.tensors[0].shapes for case in found.cases if case.seed == 1][:2] == [((3, 8),), ((7, 8),)]
    assert [tensor.owned for tensor in found.cases[0].tensors] == [False, True, True]
    assert check(found) is None


def test_a_class_of_any_kind(tmp_path: Path) -> None:
    """One that is no `nn.Module` has the tensors among its attributes."""
    text = (
        "import torch\n\n\nclass Golden:\n    def __init__(self):\n        self.gain = torch.ones(4)\n\n"
        "    def forward(self, x):\n        return x * self.gain\n"
    )
    golden = Golden("", "x: [3, 4], gain: [4]", "def op_module_1(x, gain): return x * gain\n")
    assert check(prepared(tmp_path, golden, golden_text=text)) is None
    failure = check(prepared(tmp_path, golden, "def op_module_1(x, gain): return x\n", golden_text=text))
    assert failure is not None
