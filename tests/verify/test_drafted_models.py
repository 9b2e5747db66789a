"""Classes from their file to the verdict: `gen` drafts the contract, `stages` cuts it, and torch runs both.

The truth is torch's own run of the class; the stage functions know its tensors as primary inputs alone.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.importorskip("torch")

from r0kit.contract.draft import draft
from r0kit.contract.plain import plain
from r0kit.contract.read import Document, parse
from r0kit.contract.write import data_text
from r0kit.finding import InputError
from r0kit.golden import read_program
from r0kit.golden.filegiven import with_inputs_of_file
from r0kit.golden.signature import read_interface
from r0kit.partition import partition
from r0kit.spec import Tolerance, in_eval
from r0kit.stages import stages_of
from r0kit.verify.prepare import Wanted, prepare
from tests.verify.test_faults import check

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n\n"


class Drafted(NamedTuple):
    """A class with the inputs of its contract, and a fault: what is changed to what in the function of which Module."""

    text: str
    inputs: str
    module: int
    old: str
    new: str
    evaluation: bool = False


CONV = """\
class Model(nn.Module):
    def __init__(self, inside, outside, scaling=2.0):
        super().__init__()
        self.conv = nn.Conv2d(inside, outside, 3)
        self.bn = nn.BatchNorm2d(outside)
        self.scaling = scaling
    def forward(self, x):
        return self.bn(torch.tanh(self.conv(x)) * self.scaling)
def get_inputs(): return [torch.rand(4, 3, 8, 8)]
def get_init_inputs(): return [[3, 5], {"scaling": 0.5}]
"""
MODELS = {
    "linear, group norm and a bias": Drafted(
        """\
class Model(nn.Module):
    def __init__(self, inside, outside, groups, bias_shape):
        super().__init__()
        self.fc = nn.Linear(inside, outside)
        self.norm = nn.GroupNorm(groups, outside)
        self.bias = nn.Parameter(torch.zeros(bias_shape))
    def forward(self, x):
        return self.norm(self.fc(x)) + self.bias
def get_inputs(): return [torch.randn(6, 8)]
def get_init_inputs(): return [8, 12, 3, (12,)]
""",
        "x fc_weight fc_bias norm_weight norm_bias bias",
        2,
        r"\+ bias\b",
        "- bias",
    ),
    "statistics of the batch": Drafted(
        CONV, "x conv_weight conv_bias bn_weight bn_bias", 2, r"torch\.mean\(", "0.9 * torch.mean("
    ),
    "running statistics": Drafted(
        CONV,
        "x conv_weight conv_bias bn_weight bn_bias bn_running_mean bn_running_var",
        2,
        r"bn_running_mean\.",
        "torch.zeros_like(bn_running_mean).",
        True,
    ),
    "blocks in a list of modules": Drafted(
        """\
class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.up = nn.Linear(size, 2 * size)
        self.down = nn.Linear(2 * size, size, bias=False)
    def forward(self, x):
        return x + self.down(F.relu(self.up(x)))
class Model(nn.Module):
    def __init__(self, size=8, depth=2):
        super().__init__()
        self.blocks = nn.ModuleList([Block(size) for _ in range(depth)])
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
def get_inputs(): return [torch.rand(3, 8)]
""",
        "x blocks_0_up_weight blocks_0_up_bias blocks_0_down_weight "
        "blocks_1_up_weight blocks_1_up_bias blocks_1_down_weight",
        6,
        r"torch\.relu\(",
        "torch.abs(",
    ),
    "a buffer, a plain tensor, a name that forward has": Drafted(
        """\
class Model(nn.Module):
    def __init__(self, size=6):
        super().__init__()
        self.register_buffer("mask", torch.tril(torch.ones(size, size)))
        self.gain = torch.randn(size)
        self.x = nn.Parameter(torch.ones(size))
    def forward(self, x):
        return (x @ self.mask) * self.gain + self.x
def get_inputs(): return [torch.rand(3, 6)]
""",
        "x x_w mask gain",
        2,
        r"\+ x_w",
        "+ 1.0",
    ),
    "a shared parameter": Drafted(
        """\
class Model(nn.Module):
    def __init__(self, names=7, size=6):
        super().__init__()
        self.embedding = nn.Embedding(names, size)
        self.head = nn.Linear(size, names, bias=False)
        self.head.weight = self.embedding.weight
    def forward(self, rows):
        return self.head(torch.sigmoid(self.embedding(rows)))
def get_inputs(): return [torch.randint(0, 7, (3, 5))]
""",
        "rows embedding_weight",
        1,
        r"torch\.sigmoid\(",
        "torch.tanh(",
    ),
}


def document_of(path: Path, evaluation: bool = False) -> Document:
    """The contract of the class in the file `path` as `gen` drafts it, with a tolerance."""
    spec = in_eval(None, str(path)) if evaluation else None
    known = with_inputs_of_file(read_interface(str(path), "op", spec), spec)
    known = replace(known, tolerance=Tolerance(atol=1e-4, rtol=1e-4))
    contract = draft(partition(read_program(str(path), known, "op"), known), known).contract
    return parse(data_text(plain(contract)), "module_interfaces.yaml")


def written(folder: Path, model: Drafted) -> Path:
    path = folder / "op_golden.py"
    path.write_text(HEAD + model.text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", MODELS)
def test_a_class_agrees_and_a_fault_in_a_module_is_placed(tmp_path: Path, name: str) -> None:
    model = MODELS[name]
    path = written(tmp_path, model)
    document = document_of(path, model.evaluation)
    found = prepare(document, str(path), None, Wanted((1, 2), evaluation=model.evaluation))
    assert found.findings == ()
    assert {tensor.name for tensor in found.contract.primary_inputs} == set(model.inputs.split())
    assert [case.id for case in found.cases] == ["shape_1-seed1", "shape_1-seed2"]
    assert check(found) is None
    source = stages_of(document, str(path), in_eval(None, "") if model.evaluation else None).source
    start = source.index(f"def op_module_{model.module}(")
    end = source.index("\ndef ", start)
    changed, count = re.subn(model.old, model.new, source[start:end], count=1)
    assert count, source[start:end]
    stages = tmp_path / "stages.py"
    stages.write_text(source[:start] + changed + source[end:], encoding="utf-8")
    failure = check(prepare(document, str(path), None, Wanted((1,), 0, str(stages), model.evaluation)))
    assert failure is not None
    assert (failure.module, failure.category.value) == (model.module, "precision")


def test_a_tensor_that_the_contract_does_not_list_is_missing(tmp_path: Path) -> None:
    """As any input is that a Module needs."""
    path = written(tmp_path, MODELS["linear, group norm and a bias"])
    document = document_of(path)
    text = re.sub(r"\n *- \{name: norm_bias, [^\n]*", "", document.text)
    assert "norm_bias, " not in text
    with pytest.raises(InputError) as caught:
        prepare(parse(text, "module_interfaces.yaml"), str(path), None, Wanted((1,)))
    assert "needs the primary input norm_bias" in caught.value.findings[0].message


def test_the_mode_of_the_reading_is_that_of_the_run(tmp_path: Path) -> None:
    """A contract of the class in training lacks what evaluation needs; the other way round it has more than is read."""
    path = written(tmp_path, MODELS["statistics of the batch"])
    with pytest.raises(InputError) as caught:
        prepare(document_of(path), str(path), None, Wanted((1,), evaluation=True))
    assert "needs the primary input bn_running_mean" in caught.value.findings[0].message
    found = prepare(document_of(path, evaluation=True), str(path), None, Wanted((1,))).findings
    assert [(one.message.rpartition(" ")[2], one.hint) for one in found] == [
        ("bn_running_mean", "leave it out, or verify with --eval"),
        ("bn_running_var", "leave it out, or verify with --eval"),
    ]
