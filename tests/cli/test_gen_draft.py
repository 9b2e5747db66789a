"""`r0kit gen` with Modules: strategies, platforms, pins, updates, and what it tells on standard error."""

import json
import shutil
from pathlib import Path

import pytest
import yaml
from labelled import FOLDER
from test_gen import Run, command

from r0kit.validate import validate_text

SOFTMAX = FOLDER / "row_softmax"


def gen(op: str, *options: object) -> Run:
    folder = FOLDER / op
    return command(next(folder.glob("*_golden*.py")), "--spec", folder / "SPEC.md", "--op", op, *options)


def names(run: Run) -> list[str]:
    return [module["name"] for module in yaml.safe_load(run.stdout)["modules"]]


@pytest.mark.parametrize(
    ("strategy", "modules"),
    [
        ("conventional", ["row_max", "exp_sum", "normalize"]),
        ("online", ["online_stats", "normalize"]),
        ("single_tile", ["row_softmax"]),
        ("auto", ["online_stats", "normalize"]),
    ],
)
def test_strategies_of_a_softmax(strategy: str, modules: list[str]) -> None:
    run = gen("row_softmax", "--strategy", strategy)
    assert (run.returncode, names(run)) == (0, modules)
    assert validate_text(run.stdout).findings == ()


def test_what_was_decided_is_told_in_a_few_lines() -> None:
    lines = gen("row_softmax").stderr.splitlines()
    assert lines[0] == (
        "r0kit gen: row_softmax: 2 Modules (strategy auto, platform a5): 1 online_stats (vector), 2 normalize (vector)"
    )
    assert lines[1].startswith("r0kit gen: axis N (at most 1048576): online, ")
    assert "beyond the 42320 that fit UB" in lines[1]
    assert lines[2].startswith("r0kit gen: through GM: ") and "times the floor of" in lines[2]
    assert len(lines) == 3


@pytest.mark.parametrize(("op", "usable"), [("1e3", "op_1e3"), ("a b", "a_b"), ("r\u00e9-lu", "r\u00e9_lu")])
def test_an_operator_that_no_function_can_be_called_after_is_told_what_to_do(op: str, usable: str) -> None:
    folder = FOLDER / "silu"
    run = command(next(folder.glob("*_golden*.py")), "--spec", folder / "SPEC.md", "--op", op)
    assert run.returncode == 0 and yaml.safe_load(run.stdout)["op"] == op
    assert f"the operator {op!r} is no Python name" in run.stderr and f"--op {usable}" in run.stderr
    assert "no Python name" not in gen("silu").stderr


def test_platforms() -> None:
    near, far = gen("attention", "--platform", "a5"), gen("attention", "--platform", "a2a3")
    paths = [yaml.safe_load(run.stdout)["modules"][1]["handoff"][0]["written_to"] for run in (near, far)]
    assert paths == ["UB", "GM workspace"]


def test_an_unknown_platform_lists_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    run = gen("silu", "--platform", "a6")
    assert (run.returncode, run.stdout) == (2, "")
    assert "a5, a2a3" in run.stderr + capsys.readouterr().err


def test_pins_are_followed_and_recorded(tmp_path: Path) -> None:
    pins = tmp_path / "pins.yaml"
    pins.write_text("resident: [N]\n", encoding="utf-8")
    run = gen("row_softmax", "--pin", pins)
    assert names(run) == ["row_softmax"]
    pins.write_text("split_after: [diff]\n", encoding="utf-8")
    run = gen("huber_loss", "--pin", pins)
    kinds = [b["kind"] for m in yaml.safe_load(run.stdout)["modules"] for b in m.get("boundary", ())]
    assert run.returncode == 0 and "pinned" in kinds


def test_a_pin_that_names_nothing_is_told(tmp_path: Path) -> None:
    pins = tmp_path / "pins.yaml"
    pins.write_text("split_after: [mm]\n", encoding="utf-8")
    run = gen("row_softmax", "--pin", pins)
    assert run.returncode == 0
    assert "split_after pins mm, which is no computed value of the golden" in run.stderr


@pytest.mark.parametrize("content", ["split_afer: [m]\n", "[", None])
def test_unreadable_pins_write_nothing(tmp_path: Path, content: str | None) -> None:
    pins = tmp_path / "pins.yaml"
    if content is not None:
        pins.write_text(content, encoding="utf-8")
    run = gen("row_softmax", "--pin", pins)
    assert (run.returncode, run.stdout) == (1, "")
    assert "pins.yaml" in run.stderr


def test_an_update_of_its_own_file_changes_nothing(tmp_path: Path) -> None:
    contract = tmp_path / "module_interfaces.yaml"
    assert gen("attention", "-o", contract).returncode == 0
    before = contract.read_text(encoding="utf-8")
    run = gen("attention", "--update", contract, "-o", contract)
    assert (run.returncode, contract.read_text(encoding="utf-8")) == (0, before)
    assert all(line.startswith("r0kit gen: ") for line in run.stderr.splitlines())


def test_an_update_keeps_what_a_person_wrote(tmp_path: Path) -> None:
    contract = tmp_path / "module_interfaces.yaml"
    gen("row_softmax", "-o", contract)
    text = contract.read_text(encoding="utf-8")
    text = text.replace("name: normalize", "name: output  # agreed on").replace("seeds: [42, 123, 456]", "seeds: [7]")
    contract.write_text(text, encoding="utf-8")
    run = gen("row_softmax", "--update", contract)
    assert run.stdout == text


def test_an_update_tells_what_the_golden_has_changed(tmp_path: Path) -> None:
    folder = tmp_path / "row_softmax"
    shutil.copytree(SOFTMAX, folder)
    golden, spec = folder / "row_softmax_golden_cpu.py", folder / "SPEC.md"
    contract = tmp_path / "c.yaml"
    command(golden, "--spec", spec, "-o", contract)
    golden.write_text(
        golden.read_text(encoding="utf-8").replace("return e / s", "return e / s * 2.0"), encoding="utf-8"
    )
    run = command(golden, "--spec", spec, "--update", contract)
    assert "y = exp(x - m) / s * 2.0" in run.stdout
    assert "golden_steps of Module 2 (normalize) is written anew" in run.stderr


def test_an_old_contract_that_cannot_be_read_writes_nothing(tmp_path: Path) -> None:
    run = gen("row_softmax", "--update", tmp_path / "none.yaml")
    assert (run.returncode, run.stdout) == (1, "")
    assert "none.yaml does not exist" in run.stderr


def test_what_cannot_be_read_is_todo_and_told(tmp_path: Path) -> None:
    golden = tmp_path / "f_golden_cpu.py"
    golden.write_text(
        "import torch\nimport mylib\n\n\ndef f_golden_cpu(x):\n    t = mylib.secret(x)\n    return t + 1.0\n",
        encoding="utf-8",
    )
    spec = tmp_path / "SPEC.md"
    spec.write_text(
        """```json machine-contract
{"op_name": "f", "inputs": [{"name": "x", "shape": ["M"], "dtype": "float32"}],
 "outputs": [{"name": "y", "shape": ["M"], "dtype": "float32"}], "tolerance": {"atol": 1e-5, "rtol": 0},
 "p0_cases": [{"name": "p0", "input_shapes": {"x": [4]}, "output_shapes": {"y": [4]}}]}
```
""",
        encoding="utf-8",
    )
    run = command(golden, "--spec", spec)
    assert run.returncode == 0
    assert "mylib.secret" in run.stderr and "undecided: " in run.stderr
    assert "section: TODO  # cube or vector?" in run.stdout
    assert "rule11" in {finding.rule for finding in validate_text(run.stdout).findings}


def test_without_shapes_modules_are_left_to_a_person(tmp_path: Path) -> None:
    golden = tmp_path / "f_golden_cpu.py"
    golden.write_text("def f_golden_cpu(x):\n    return x * 2.0\n", encoding="utf-8")
    run = command(golden)
    assert run.returncode == 0
    assert "Modules are left to you: no SPEC states the shape of x" in run.stderr
    assert yaml.safe_load(run.stdout)["modules"][0]["name"] == "TODO"


def test_a_case_that_needs_other_modules_is_left_out_and_named(tmp_path: Path) -> None:
    golden = tmp_path / "f_golden_cpu.py"
    golden.write_text(
        "def f_golden_cpu(x, dim=-1, eps=1e-5):\n    s = x.sum(dim=dim, keepdim=True)\n    return x / (s + eps)\n",
        encoding="utf-8",
    )
    cases = ((4, {"dim": -1}), (5, {"dim": 0}), (7, {"eps": 0.1}))
    machine = {
        "op_name": "f",
        "inputs": [{"name": "x", "shape": ["M", "N"], "dtype": "float32"}],
        "outputs": [{"name": "y", "shape": ["M", "N"], "dtype": "float32"}],
        "default_params": {"dim": -1, "eps": 1e-5},
        "tolerance": {"atol": 1e-5, "rtol": 0},
        "p0_cases": [{"name": f"p{m}", "params": p, "input_shapes": {"x": [m, 8]}} for m, p in cases],
    }
    spec = tmp_path / "SPEC.md"
    spec.write_text(f"```json machine-contract\n{json.dumps(machine)}\n```\n", encoding="utf-8")
    run = command(golden, "--spec", spec)
    data = yaml.safe_load(run.stdout)
    assert data["composition_verification"]["shapes"] == [{"M": 4, "N": 8}, {"M": 7, "N": 8}]
    assert data["params"] == {"dim": -1, "eps": 1e-5}
    assert "p0 case p5 is left out: it has dim=0, but the Modules are drawn for dim=-1 [gen.case]" in run.stderr


def test_nothing_is_said_twice() -> None:
    golden = next((FOLDER / "silu").glob("*_golden*.py"))
    lines = command(golden, "--spec", FOLDER / "silu" / "SPEC.md", "--op", "other").stderr.splitlines()
    said = [line for line in lines if not line.startswith("  hint: ")]
    assert len(said) > 2
    assert len(said) == len(set(said))
