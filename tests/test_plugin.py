"""`pytest --r0kit FOLDER` as a process of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("torch")

ROOT = Path(__file__).parents[1]
CONTRACT = ROOT / "tests/render/contracts/row_softmax.yaml"
GOLDEN = ROOT / "tests/goldens/row_softmax"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one operator, and a test that is not to be collected."""
    folder = tmp_path / "custom" / "row_softmax"
    folder.mkdir(parents=True)
    shutil.copy(GOLDEN / "row_softmax_golden_cpu.py", folder)
    shutil.copy(GOLDEN / "SPEC.md", folder)
    shutil.copy(CONTRACT, folder / "module_interfaces.yaml")
    (folder / "test_on_the_device.py").write_text("raise RuntimeError('no device')\n", encoding="utf-8")
    return tmp_path


def run(repository: Path, *arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "pytest", "-p", "r0kit.plugin", "-p", "no:cacheprovider", "-q", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, timeout=200)
    return done.returncode, done.stdout + done.stderr


def test_every_module_and_case_is_an_item(repository: Path) -> None:
    status, said = run(repository, "--r0kit", "custom", "--collect-only")
    items = re.findall(r"::(.+)$", said, flags=re.MULTILINE)
    assert status == 0
    assert items[:3] == ["contract", "module_1[p0_small-seed42]", "module_2[p0_small-seed42]"]
    assert len(items) == len(set(items)) == 1 + 2 * 11
    assert "no device" not in said


def test_without_the_option_nothing_changes(repository: Path) -> None:
    (repository / "test_own.py").write_text("def test_own(): pass\n", encoding="utf-8")
    status, said = run(repository, "test_own.py")
    assert (status, "1 passed" in said) == (0, True)
    status, said = run(repository, "test_own.py", "--r0kit", "custom", "--collect-only")
    assert "test_own.py::test_own" in said
    assert "::contract" in said


def test_what_is_off_fails_and_what_follows_is_skipped(repository: Path) -> None:
    contract = repository / "custom/row_softmax/module_interfaces.yaml"
    text = contract.read_text(encoding="utf-8")
    contract.write_text(text.replace('{name: s, shape: "[M, 1]"', '{name: s, shape: "[M, 2]"'), encoding="utf-8")
    report = repository / "junit.xml"
    status, said = run(repository, "--r0kit", str(contract), "-k", "contract or p0_small", f"--junitxml={report}")
    assert status == 1
    assert "Module 1 (online_stats) gives s with shape [4, 1], and declares [M, 2], here [4, 2] [verify.shape]" in said
    assert "Traceback" not in said
    cases = {case.get("name"): [child.tag for child in case] for case in ElementTree.parse(report).iter("testcase")}
    assert cases["contract"] == []
    assert cases["module_1[p0_small-seed42]"] == ["failure"]
    assert cases["module_2[p0_small-seed42]"] == ["skipped"]


@pytest.mark.long
def test_xdist_spreads_the_items(repository: Path) -> None:
    pytest.importorskip("xdist")
    status, said = run(repository, "--r0kit", "custom", "-n", "2", "-k", "contract or p0_tail")
    assert status == 0, said
    assert "7 passed" in said


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda folder: (folder / "row_softmax_golden_cpu.py").unlink(), "has no golden of row_softmax beside it"),
        (lambda folder: (folder / "module_interfaces.yaml").write_text("op: [", encoding="utf-8"), "not YAML"),
        (lambda folder: (folder / "row_softmax_golden_cpu.py").write_text("def f(:", encoding="utf-8"), "not Python"),
    ],
)
def test_what_cannot_be_read_is_one_failing_item(repository: Path, break_it: object, said: str) -> None:
    assert callable(break_it)
    break_it(repository / "custom/row_softmax")
    status, output = run(repository, "--r0kit", "custom")
    assert status == 1
    assert "1 failed" in output
    assert said in output
    assert "Traceback" not in output


@pytest.mark.long
def test_a_golden_that_ends_the_process_does_not_end_the_run(repository: Path) -> None:
    golden = repository / "custom/row_softmax/row_softmax_golden_cpu.py"
    text = golden.read_text(encoding="utf-8")
    golden.write_text(text.replace("    m = xf.max", "    import os; os._exit(0)\n    m = xf.max"), encoding="utf-8")
    status, said = run(repository, "--r0kit", "custom", "-k", "p0_small")
    assert status == 1
    assert "the golden ended the process with exit status 0" in said
    assert "1 failed" in said


MODEL = """\
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(3)

    def forward(self, x):
        return self.bn(x)


def scale_module_1(x, weight, bias, mean, var):
    return torch.nn.functional.batch_norm(x, mean, var, weight, bias)
"""
MODEL_CONTRACT = """\
op: scale
module_count: 1
primary_inputs:
  - {name: x, shape: "[N, 3]", dtype: float32}
  - {name: bn_weight, shape: "[3]", dtype: float32}
  - {name: bn_bias, shape: "[3]", dtype: float32}
  - {name: bn_running_mean, shape: "[3]", dtype: float32}
  - {name: bn_running_var, shape: "[3]", dtype: float32}
modules:
  - id: 1
    name: scale
    section: vector
    inputs:
      - {name: x, source: primary}
      - {name: bn_weight, source: primary}
      - {name: bn_bias, source: primary}
      - {name: bn_running_mean, source: primary}
      - {name: bn_running_var, source: primary}
    outputs: [{name: y, shape: "[N, 3]", dtype: float32}]
final_outputs: [{name: y, source: module_1}]
composition_verification: {atol: 1.0e-3, rtol: 1.0e-3, seeds: [1], shapes: [{N: 7}]}
"""


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (["pytest", "-p", "r0kit.plugin", "-p", "no:cacheprovider", "-q", "--r0kit", "."], "--r0kit-eval"),
        (["r0kit", "verify", "3_scale.py", "--contract", "module_interfaces.yaml"], "--eval"),
    ],
)
def test_the_mode_of_a_class_is_an_option(tmp_path: Path, command: list[str], option: str) -> None:
    """The stage function, written for evaluation, agrees in that mode alone (in training it would not)."""
    (tmp_path / "3_scale.py").write_text(MODEL, encoding="utf-8")
    (tmp_path / "module_interfaces.yaml").write_text(MODEL_CONTRACT, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTEST_ADDOPTS", None)
    line = [sys.executable, "-m", *command, option]
    done = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout
