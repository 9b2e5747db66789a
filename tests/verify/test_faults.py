"""Planted faults: one operation of one stage function is changed, and verification names that Module.

Run in this process rather than in a child, so that torch starts once for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("torch")

from r0kit.contract.read import Document, parse
from r0kit.spec import Spec
from r0kit.stages import stages_of
from r0kit.verify.prepare import Prepared, Wanted, prepare
from r0kit.verify.run import Subject
from r0kit.verify.verdict import Failure
from r0kit.verify.wording import failure_of
from tests.labelled import Operator
from tests.stages.drafted import drafted


class Fault(NamedTuple):
    """What is changed (a regular expression, and what replaces it) in which Module, and how the failure is classified."""

    operator: str
    strategy: str
    module: int
    old: str
    new: str
    category: str = "precision"


FAULTS = {
    "mean for sum": Fault("row_softmax", "online", 1, r"torch\.sum\(", "torch.mean("),
    "swapped operands": Fault("row_softmax", "conventional", 3, r"e / s\b", "s / e"),
    "missing keepdim": Fault("layer_norm", "conventional", 2, "keepdim=True", "keepdim=False", "structural"),
    "variance about nothing": Fault("layer_norm", "online", 1, r"= \w+ - mean", "= x_f32"),
    "forgotten eps": Fault("layer_norm", "conventional", 3, r"var \+ eps", "var"),
    "wrong axis": Fault(
        "linear_logsumexp", "conventional", 2, r"amax\((\w+), dim=\(1,\)", r"amax(\1, dim=(0,)", "structural"
    ),
    "mask after the maximum": Fault("attention", "online", 2, r"amax\(scores_2", "amax(scores"),
    "forgotten scale": Fault("attention", "single_tile", 2, r" \* \(1\.0 / math\.sqrt\(D\)\)", ""),
    "multiplied for divided": Fault("attention", "online", 4, r"y_acc / ", "y_acc * "),
    "transposed operand": Fault("attention", "conventional", 1, r"\(0, 1, 3, 2\)", "(0, 1, 2, 3)", "runtime"),
    "cast too early": Fault(
        "quant_matmul", "auto", 2, r"acc\.to\(torch\.float32\)", "acc.to(torch.float16)", "precision"
    ),
    "narrow accumulator": Fault("quant_matmul", "auto", 1, r"x1\.to\(torch\.int32\)", "x1.to(torch.int32).fmod(100)"),
    "one past the mask": Fault("masked_mean_pool", "auto", 1, r"pos < ", "pos <= "),
    "sum for mean": Fault("huber_loss", "auto", 1, r"torch\.mean\(", "torch.sum("),
    "the other activation": Fault(
        "matmul_bias_gelu", "auto", 2, r"torch\.nn\.functional\.gelu\([^)]*\)", "torch.relu(c_2)"
    ),
    "forgotten bias": Fault("linear_logsumexp", "online", 1, r" \+ b\b", ""),
    "-inf rows": Fault("attention_masked_rows", "online", 2, r"-1e30", 'float("-inf")'),
    "no output cast": Fault("rms_norm", "online", 2, r"\.to\(torch\.bfloat16\)", "", "structural"),
    "wrong sign": Fault("silu", "auto", 1, r"torch\.sigmoid\(x\)", "torch.sigmoid(-x)"),
    "minimum for maximum": Fault("router_softmax", "conventional", 1, r"torch\.amax", "torch.amin"),
    "unbiased": Fault("group_norm", "conventional", 3, r"C // 8 \* H \* W", "C // 8 * H * W - 1"),
    "wrong state": Fault("gated_delta_recurrent", "auto", 1, r"state_mul \+ ", "state_mul - "),
}


def check(prepared: Prepared) -> Failure | None:
    """The first failure over all cases with the dtypes of the contract."""
    subject = Subject(lambda phase: None)
    subject.load(prepared.setup)
    for case in prepared.cases:
        answer = subject.run(prepared.request(case)) if not case.variant else {"failure": None}
        if answer["failure"]:
            return failure_of(prepared, case, answer["failure"])
    return None


def planted(source: str, fault: Fault) -> str:
    """The source with the fault in the function of its Module."""
    start = source.index(f"def {fault.operator}_module_{fault.module}(")
    end = source.find("\ndef ", start + 1)
    changed, count = re.subn(fault.old, fault.new, source[start:end])
    assert count, f"nothing to change in\n{source[start:end]}"
    return source[:start] + changed + source[end:]


def prepare_with(
    document: Document, operator: Operator, spec: Spec, stages: Path, change: Callable[[str], str], up_to: int = 0
) -> Prepared:
    """The contract with the generated stage functions, changed, in the file `stages`."""
    golden = str(operator.golden)
    stages.write_text(change(stages_of(document, golden, spec).source), encoding="utf-8")
    return prepare(document, golden, spec, Wanted((42,), up_to, str(stages)))


def with_small_values(spec: Spec) -> Spec:
    """A SPEC under which an epsilon matters."""
    inputs = tuple(
        replace(tensor, value_range=(-1e-3, 1e-3)) if tensor.name == "x" else tensor for tensor in spec.inputs
    )
    return replace(spec, inputs=inputs)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_placed(tmp_path: Path, name: str) -> None:
    """In a stages file that is right but for the fault."""
    fault = FAULTS[name]
    operator, spec, document = drafted(fault.operator, fault.strategy)
    spec = with_small_values(spec) if "eps" in name else spec
    stages = tmp_path / "stages.py"
    prepared = prepare_with(document, operator, spec, stages, lambda source: source)
    assert check(prepared) is None
    failure = check(prepare_with(document, operator, spec, stages, lambda source: planted(source, fault)))
    assert failure is not None
    assert (failure.module, failure.category.value) == (fault.module, fault.category)
    assert f"Module {fault.module}" in failure.summary


def test_enough_goldens_have_faults() -> None:
    assert len({fault.operator for fault in FAULTS.values()}) >= 12


ONLINE = """\
import torch


def row_softmax_module_1(x):
    m = torch.full((x.shape[0], 1), -1.0e30)
    s = torch.zeros(x.shape[0], 1)
    for tile in x.float().split(16, dim=1):
        m_new = torch.maximum(m, tile.amax(1, keepdim=True))
        s = s * torch.exp(m - m_new) + torch.exp(tile - m_new).sum(1, keepdim=True)
        m = m_new
    return m, s
"""
FLASH = """\
import math

import torch


def attention_golden_stage123(q, k, v, mask):
    scale, T = 1.0 / math.sqrt(q.shape[-1]), k.shape[2]
    m = torch.full((*q.shape[:3], 1), -1.0e30)
    o = torch.zeros(*q.shape[:3], v.shape[-1])
    for start in range(0, T, 16):
        part = slice(start, start + 16)
        s = q.float() @ k[:, :, part].float().mT * scale + mask[:, part].float() * -1.0e30
        m_new = torch.maximum(m, s.amax(-1, keepdim=True))
        alpha = torch.exp(m - m_new)
        o = o * alpha + torch.exp(s - m_new) @ v[:, :, part].float()
        m = m_new
    return o
"""


@pytest.mark.parametrize(
    ("operator", "text", "old", "module"),
    [
        ("row_softmax", ONLINE, "s * torch.exp(m - m_new) + ", 1),
        ("row_softmax", ONLINE, " * torch.exp(m - m_new)", 1),
        ("attention", FLASH, " * alpha", 3),
    ],
)
def test_a_recurrence_written_by_hand(tmp_path: Path, operator: str, text: str, old: str, module: int) -> None:
    """The right one passes; the one that forgets alpha, or the old sum, is placed."""
    labelled, spec, document = drafted(operator, "online")
    stages = tmp_path / "stages.py"
    stages.write_text(text, encoding="utf-8")
    wanted = Wanted((42,), stages_file=str(stages))
    assert check(prepare(document, str(labelled.golden), spec, wanted)) is None
    assert old in text
    stages.write_text(text.replace(old, ""), encoding="utf-8")
    failure = check(prepare(document, str(labelled.golden), spec, wanted))
    assert failure is not None
    assert failure.module == module


@pytest.mark.parametrize(
    ("old", "new", "module", "said"),
    [
        ('"shape": "[M, 1]"', '"shape": "[M, N]"', 1, "declares [M, N], here [4, 128]"),
        ('"dtype": "float32"', '"dtype": "float16"', 1, "with dtype float32, and declares float16"),
    ],
)
def test_a_wrong_declaration_is_named(old: str, new: str, module: int, said: str) -> None:
    operator, spec, document = drafted("row_softmax", "online")
    assert old in document.text
    document = parse(document.text.replace(old, new), "changed.yaml")
    failure = check(prepare(document, str(operator.golden), spec, Wanted((42,))))
    assert failure is not None
    assert (failure.module, failure.category.value) == (module, "structural")
    assert said in failure.detail


def test_a_wrong_tolerance_is_named() -> None:
    operator, spec, document = drafted("row_softmax", "online")
    text = document.text.replace('"atol": 0.001', '"atol": 0.5')
    found = prepare(parse(text, "changed.yaml"), str(operator.golden), spec, Wanted((42,))).findings
    assert [finding.message for finding in found] == ["atol 0.5 is looser than SPEC's 0.001"]


def test_a_prefix_is_judged_by_the_golden_s_own_steps(tmp_path: Path) -> None:
    operator, spec, document = drafted("layer_norm", "conventional")

    def change(source: str) -> str:
        return planted(source, Fault("layer_norm", "conventional", 2, r"diff \* diff", "diff"))

    assert check(prepare_with(document, operator, spec, tmp_path / "s.py", change, up_to=1)) is None
    failure = check(prepare_with(document, operator, spec, tmp_path / "s.py", change, up_to=2))
    assert failure is not None
    assert failure.module == 2


def answers(prepared: Prepared) -> list[dict[str, Any]]:
    subject = Subject(lambda phase: None)
    subject.load(prepared.setup)
    return [subject.run(prepared.request(case)) for case in prepared.cases]


def test_generated_functions_agree_to_the_last_bit() -> None:
    operator, spec, document = drafted("layer_norm", "online")
    assert {answer["max_abs"] for answer in answers(prepare(document, str(operator.golden), spec, Wanted((42,))))} == {
        0.0
    }
