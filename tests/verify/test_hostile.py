"""Goldens that misbehave: one finding of one line, exit status 1, within the limits, and JSON that parses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

CONTRACT = """\
op: double
module_count: 1
primary_inputs: [{name: x, shape: "[N]", dtype: float32}]
modules:
  - {id: 1, section: vector, inputs: [{name: x, source: primary}], outputs: [{name: y, shape: "[N]", dtype: float32}]}
final_outputs: [{name: y, source: module_1}]
composition_verification: {atol: 1.0e-3, rtol: 1.0e-3, seeds: [1, 2, 3], shapes: [{N: 7}]}
"""
GOLDEN = """\
import os, subprocess, sys
import torch
{top}


def double_golden_cpu(x: torch.Tensor):
    hostile(x)
    y = x * 2
    return y
"""
BEHAVIOURS = {
    "loops for ever": ("while True: pass", "did not end within 2 s"),
    "sleeps": ("__import__('time').sleep(1000)", "did not end within 2 s"),
    "os._exit": ("os._exit(0)", "ended the process with exit status 0"),
    "sys.exit": ("sys.exit(0)", "the golden ends the process (SystemExit)"),
    "raises": ("raise ValueError('a wrong\\nvalue')", "the golden raises ValueError: a wrong value"),
    "interrupts itself": ("raise KeyboardInterrupt", "the golden raises KeyboardInterrupt"),
    "recurses": ("hostile(x)", "the golden raises RecursionError"),
    "allocates a tensor of 100 GB": ("torch.ones(25 * 2**30)", "needs more memory than the 1 GiB"),
    "allocates 100 GB of bytes": ("bytearray(100 * 2**30)", "needs more memory than the 1 GiB"),
    "crashes": ("os.abort()", "crashed the process (SIGABRT)"),
    "prints": ("print('status: PASS')", "the golden writes to standard output"),
    "prints without end": ("[print('x' * 10000) for _ in iter(int, 1)]", "did not end within 2 s"),
    "writes to the descriptor": ("os.write(1, b'noise')", "the golden writes to standard output: 15 bytes"),
    "closes its streams": ("os.close(1); os.close(2); raise OSError('no streams')", "raises OSError: no streams"),
    "reads standard input": ("input()", "the golden raises EOFError"),
    "starts a process that stays": ("subprocess.Popen(['sleep', '100']); os._exit(3)", "exit status 3"),
}
AT_IMPORT = {
    "loops for ever": ("while True: pass", "the golden did not end within 2 s when its file is loaded"),
    "exits": ("os._exit(1)", "the golden ended the process with exit status 1 when its file is loaded"),
    "raises": (
        "import no_such_module",
        "raises ModuleNotFoundError when it is loaded: No module named 'no_such_module'",
    ),
    "hides the golden": ("", "has no function double_golden_cpu when it runs"),
}


def verify(folder: Path, golden: str) -> tuple[subprocess.CompletedProcess[str], float]:
    (folder / "double_golden_cpu.py").write_text(golden, encoding="utf-8")
    (folder / "module_interfaces.yaml").write_text(CONTRACT, encoding="utf-8")
    files = [folder / "double_golden_cpu.py", "--contract", folder / "module_interfaces.yaml"]
    command = [sys.executable, "-m", "r0kit", "verify", *map(str, files)]
    limits = ["--json", "--timeout", "2", "--memory", "1"]
    start = time.monotonic()
    root = Path(__file__).parents[2]
    run = subprocess.run(
        [*command, *limits],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=100,
        env={"PYTHONPATH": str(root), "PATH": os.environ["PATH"]},
    )
    return run, time.monotonic() - start


def assert_one_finding(run: subprocess.CompletedProcess[str], said: str) -> None:
    assert run.returncode == 1
    assert run.stderr == ""
    report = json.loads(run.stdout)
    assert report["status"] == "FAIL"
    [finding] = [finding for finding in report["findings"] if finding["severity"] == "error"]
    assert said in finding["message"]
    assert "\n" not in finding["message"]
    assert finding["hint"]
    first = report["first_failure"]
    assert first.keys() == {"case_id", "failing_module_boundary", "failure_category", "summary"}
    assert first["failing_module_boundary"] is None
    assert first["failure_category"] in ("runtime", "other")


# One of each kind here; all of them in the long mode, because each starts torch.
_SHORT = {"loops for ever", "os._exit", "raises", "allocates a tensor of 100 GB", "prints"}


def _marked(names: Iterable[str]) -> list[Any]:
    return [pytest.param(name, marks=[] if name in _SHORT else [pytest.mark.long]) for name in names]


@pytest.mark.parametrize("name", _marked(BEHAVIOURS))
def test_a_hostile_golden_is_one_finding(tmp_path: Path, name: str) -> None:
    body, said = BEHAVIOURS[name]
    run, seconds = verify(tmp_path, GOLDEN.format(top=f"\n\ndef hostile(x):\n    {body}"))
    assert_one_finding(run, said)
    assert seconds < 60


@pytest.mark.parametrize("name", _marked(AT_IMPORT))
def test_a_hostile_file_is_one_finding(tmp_path: Path, name: str) -> None:
    body, said = AT_IMPORT[name]
    text = GOLDEN.format(top=f"{body}\n\n\ndef hostile(x):\n    pass")
    run, _ = verify(tmp_path, text + "\n\ndel double_golden_cpu\n" if name == "hides the golden" else text)
    assert_one_finding(run, said)


def test_files_beside_the_golden_are_its_own(tmp_path: Path) -> None:
    """A file called struct.py in the current folder must not break torch, and the golden may import its neighbours.

    Of r0kit it finds what runs it, and not what reads contracts and goldens, which would cost time in every child.
    """
    (tmp_path / "struct.py").write_text("raise RuntimeError('not the library')\n", encoding="utf-8")
    held = "import sys\nfound = {name for name in sys.modules if name.startswith('r0kit.')}\n"
    rooms = "assert {name.split('.')[1] for name in found} == {'verify'}, found\n\n\ndef hostile(x):\n    pass\n"
    (tmp_path / "neighbour.py").write_text(held + rooms, encoding="utf-8")
    run, _ = verify(tmp_path, GOLDEN.format(top="from neighbour import hostile"))
    assert (run.returncode, json.loads(run.stdout)["status"]) == (0, "PASS")
    assert not (tmp_path / "__pycache__").exists()
