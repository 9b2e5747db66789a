"""`r0kit init`: the new operator works with every command, as it stands."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def r0kit(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "r0kit", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8")


def test_the_commands_that_it_prints_all_work(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    made = r0kit(tmp_path, "init", "my_op")
    assert (made.returncode, made.stderr) == (0, "")
    commands = [line for line in made.stdout.splitlines() if line.startswith("r0kit ")]
    assert [shlex.split(line)[1] for line in commands] == ["gen", "validate", "render", "stages", "verify"]
    for line in commands:
        run = r0kit(tmp_path, *shlex.split(line)[1:])
        assert run.returncode == 0, f"{line}\n{run.stdout}{run.stderr}"
        assert "warning" not in run.stderr
    files = {path.name for path in (tmp_path / "custom/my_op").iterdir()}
    assert files == {
        "SPEC.md",
        "my_op_golden_cpu.py",
        "DESIGN.md",
        "module_interfaces.yaml",
        "my_op_golden_modular.py",
    }
    assert "{" not in (tmp_path / "custom/my_op/DESIGN.md").read_text(encoding="utf-8").split("```")[0]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "ops" / "my_op"
    folder.mkdir(parents=True)
    (folder / "DESIGN.md").write_text("mine", encoding="utf-8")
    run = r0kit(tmp_path, "init", "my_op", "--dir", "ops")
    assert (run.returncode, run.stdout) == (1, "")
    assert "DESIGN.md exists already" in run.stderr
    assert [path.read_text(encoding="utf-8") for path in folder.iterdir()] == ["mine"]


@pytest.mark.parametrize("name", ["my op", "3d", "class", "../x", ""])
def test_a_name_must_be_one_in_python(tmp_path: Path, name: str) -> None:
    run = r0kit(tmp_path, "init", name)
    assert (run.returncode, run.stdout) == (2, "")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    run = r0kit(tmp_path, "init", "my_op", "--dir", "file")
    assert (run.returncode, run.stdout) == (1, "")
    assert "cannot be made: not a directory" in run.stderr
