"""`r0kit stages` as a process."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests/goldens/row_softmax/row_softmax_golden_cpu.py"
CONTRACT = ROOT / "tests/render/contracts/row_softmax.yaml"


def stages(*arguments: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "r0kit", "stages", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=ROOT)


def test_the_source_goes_to_standard_output() -> None:
    run = stages(GOLDEN, "--contract", CONTRACT)
    assert (run.returncode, run.stderr) == (0, "")
    compile(run.stdout, "stages", "exec")
    assert "def row_softmax_composed(x: torch.Tensor)" in run.stdout


@pytest.mark.parametrize("target", ["stages.py", "."])
def test_the_source_goes_to_a_file(tmp_path: Path, target: str) -> None:
    run = stages(GOLDEN, "--contract", CONTRACT, "-o", tmp_path / target)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    [written] = tmp_path.iterdir()
    assert written.name == ("row_softmax_golden_modular.py" if target == "." else target)
    assert "def row_softmax_module_2" in written.read_text(encoding="utf-8")


def test_what_is_missing_is_said_and_nothing_is_written(tmp_path: Path) -> None:
    contract = tmp_path / "c.yaml"
    text = CONTRACT.read_text(encoding="utf-8")
    wire = ", {name: s, source: module_1}"
    assert wire in text
    contract.write_text(text.replace(wire, ""), encoding="utf-8")
    run = stages(GOLDEN, "--contract", contract, "-o", tmp_path / "stages.py")
    assert (run.returncode, run.stdout) == (1, "")
    assert "c.yaml:" in run.stderr
    assert "Module 2 (normalise) needs s" in run.stderr
    assert not (tmp_path / "stages.py").exists()


@pytest.mark.parametrize(
    ("golden", "contract", "message"),
    [
        ("no.py", CONTRACT, "no.py does not exist"),
        (GOLDEN, "no.yaml", "no.yaml does not exist"),
        (CONTRACT, CONTRACT, "row_softmax.yaml"),
    ],
)
def test_unreadable_inputs_are_findings(golden: object, contract: object, message: str) -> None:
    run = stages(golden, "--contract", contract)
    assert (run.returncode, run.stdout) == (1, "")
    assert message in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("target", ["row_softmax_golden_cpu.py", "SPEC.md", "row_softmax.yaml"])
def test_what_is_read_is_not_overwritten(tmp_path: Path, target: str) -> None:
    for file in (GOLDEN, GOLDEN.with_name("SPEC.md"), CONTRACT):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    before = (tmp_path / target).read_bytes()
    run = stages(tmp_path / GOLDEN.name, "--contract", tmp_path / CONTRACT.name, "-o", tmp_path / target)
    assert (run.returncode, run.stdout) == (1, "")
    assert "is one of the files that are read" in run.stderr
    assert (tmp_path / target).read_bytes() == before
