#!/usr/bin/env python3
"""Time of `validate`, as ratios to the least that a command of its kind can do: bench_validate.py [--runs N] [--quick]

The floor imports argparse, json and PyYAML, reads the file with yaml.safe_load and prints a verdict without a check.
Commands take turns, so that a machine that gets slower in between slows all of them; the median of the runs counts.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent

FLOOR = """
import argparse, json, sys
from pathlib import Path
import yaml
parser = argparse.ArgumentParser()
parser.add_argument("file", type=Path)
parser.add_argument("--json", action="store_true")
data = yaml.safe_load(parser.parse_args().file.read_text(encoding="utf-8"))
print(json.dumps({"status": "PASS" if data else "FAIL", "violations": []}, indent=2))
sys.exit(0)
"""

HEAD = """\
schema_version: 1
op: chain
module_count: {count}
has_cross_core: false
is_fusion: false
primary_inputs:
  - {{name: v0, shape: "[M, N]", dtype: float32}}
modules:
"""

MODULE = """\
  - id: {k}
    name: step_{k}
    description: step {k} of the chain
    section: vector
    golden_steps:
      - v{k} = v{j} + 1
    inputs:
      - {{name: v{j}, source: {source}}}
    outputs:
      - {{name: v{k}, shape: "[M, N]", dtype: float32}}
    golden_stage_fn: chain_golden_stage1_to_{k}
"""

TAIL = """\
final_outputs:
  - {{name: v{count}, source: module_{count}}}
composition_verification:
  atol: 0.001
  rtol: 0.001
  seeds: [42]
  shapes:
    - {{M: 4, N: 8}}
"""

Command = tuple[str, ...]


def chain(count: int) -> str:
    """A valid contract of `count` vector Modules, each of which reads the one before."""
    modules = (
        MODULE.format(k=k, j=k - 1, source="primary" if k == 1 else f"module_{k - 1}") for k in range(1, count + 1)
    )
    return "".join((HEAD.format(count=count), *modules, TAIL.format(count=count)))


def floor(*files: str) -> Command:
    """The command that measures the floor."""
    return (sys.executable, "-c", FLOOR, *files)


def script(*files: str) -> Command:
    """`validate_module_yaml` as a bare checkout has it."""
    return (sys.executable, str(ROOT / "scripts/validate_module_yaml.py"), *files, "--json")


def r0kit(*files: str) -> Command:
    """`r0kit validate`."""
    return (sys.executable, "-m", "r0kit", "validate", *files, "--json")


def medians(commands: Sequence[Command], runs: int) -> list[float]:
    """Median wall time in seconds of each command; they take turns, after one turn that warms the caches."""
    times: list[list[float]] = [[] for _ in commands]
    for turn in range(runs + 1):
        for command, measured in zip(commands, times, strict=True):
            start = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
            if turn:
                measured.append(time.perf_counter() - start)
    return [median(measured) for measured in times]


def row(name: str, seconds: float, against: float, target: str = "") -> None:
    """One line of the table."""
    print(f"{name:<52}{seconds * 1000:>10.1f} ms{seconds / against:>8.2f}   {target}")


def memory(command: Command) -> int:
    """Largest resident size of the command in MiB."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT)
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0
    return usage.ru_maxrss // 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=20, help="runs of each command (default 20)")
    parser.add_argument("--quick", action="store_true", help="leave out the large contracts")
    options = parser.parse_args()
    if sys.dont_write_bytecode:
        print("Python is told to keep no bytecode: each run compiles r0kit anew, which an installed package does not.")
    print(f"{'':<52}{'median':>13}{'ratio':>8}   target")
    with tempfile.TemporaryDirectory() as folder:
        cold_start(Path(folder), options.runs)
        if not options.quick:
            many_files(Path(folder), options.runs)
            large(Path(folder), options.runs)
            growth(Path(folder))


def cold_start(folder: Path, runs: int) -> None:
    """A contract of three Modules: what starting costs."""
    small = _written(folder, 3)
    base, classic, full = medians([floor(small), script(small), r0kit(small)], runs)
    row("3 Modules: floor", base, base)
    row("3 Modules: validate_module_yaml", classic, base, "<= 1.33")
    row("3 Modules: r0kit validate", full, base, "<= 3")


def many_files(folder: Path, runs: int) -> None:
    """1,000 contracts of ten Modules in one call, against the floor on one of them."""
    files = [_written(folder, 10, f"{number:04d}") for number in range(1000)]
    base, alone, two = medians([floor(files[0]), r0kit(*files), r0kit(*files, "--jobs", "2")], max(3, runs // 4))
    row("1,000 files of 10 Modules: r0kit validate", alone, base, "<= 40 times the floor on one file")
    row("1,000 files of 10 Modules: r0kit validate --jobs 2", two, base, "clearly less than with one")


def large(folder: Path, runs: int) -> None:
    """A contract of 5,000 Modules: what each Module costs."""
    big = _written(folder, 5000)
    base, classic = medians([floor(big), script(big)], max(3, runs // 4))
    row("5,000 Modules: floor", base, base)
    row("5,000 Modules: validate_module_yaml", classic, base, "<= 0.35")


def growth(folder: Path) -> None:
    """Time and memory per Module as contracts grow; the ratio is to the smallest."""
    first = 0.0
    for count in (5000, 10000, 20000, 50000):
        command = script(_written(folder, count))
        (seconds,) = medians([command], 3)
        first = first or seconds / 5000
        row(f"{count:,} Modules: per 5,000 of them", seconds / count * 5000, first * 5000, f"{memory(command)} MiB")


def _written(folder: Path, count: int, name: str = "contract") -> str:
    path = folder / f"{name}_{count}.yaml"
    path.write_text(chain(count), encoding="utf-8")
    return str(path)


if __name__ == "__main__":
    main()
