"""The pypto wheel as a judge: does it compile a kernel, and does the kernel compute what torch computes?

The wheel runs in a child process (`child.py`), and each kernel in a process forked from that one, with limits on time
and memory. `RunMode.SIM` compiles and simulates; `enable_pass_verify` fills the output with values from the CPU.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

INSTALLED = find_spec("pypto") is not None
NEEDS_WHEEL = pytest.mark.skipif(not INSTALLED, reason='needs the compiler: pip install "r0kit[pypto]"')
LIMIT = 180.0  # seconds for one kernel


class Job(NamedTuple):
    """A file with a kernel called `kernel`, whose last parameter is its output.

    reference: an expression of the other parameters and torch ("": compile alone); values: expressions for inputs that
    are not normally distributed.
    """

    source: str
    reference: str = ""
    values: dict[str, str] = {}  # noqa: RUF012 (never changed)


class Verdict(NamedTuple):
    """compiled: the wheel took the kernel; said: its words where not; difference: the largest one from the reference."""

    compiled: bool
    said: str
    difference: float = 0.0

    def right(self, tolerance: float = 1e-4) -> bool:
        return self.compiled and self.difference <= tolerance


def judge(jobs: Sequence[Job], folder: Path, cache: Path, limit: float = LIMIT) -> list[Verdict]:
    """The verdicts on `jobs`, in their order. folder: an empty one; cache: where the CPU library is kept."""
    (folder / "jobs.json").write_text(json.dumps([job._asdict() for job in jobs]), "utf-8")
    calculator = cache / f"calculator-{version('pypto')}-{version('torch')}"
    calculator.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, Path(__file__).parent / "child.py", calculator, folder, str(limit)]
    with open(folder / "log.txt", "w", encoding="utf-8") as log:
        subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=600 + limit * len(jobs)
        )
    return [_verdict(folder, number) for number in range(len(jobs))]


def _verdict(folder: Path, number: int) -> Verdict:
    file = folder / f"{number}.json"
    assert file.exists(), (folder / "log.txt").read_text("utf-8")[-2000:]
    return Verdict(**json.loads(file.read_text("utf-8")))
