#!/usr/bin/env python3
"""What verification costs, as a ratio to running the golden as often: `python scripts/bench_verify.py [OP...]`

For operators of tests/goldens with extents that make the golden work for its time: processor time of the golden alone and
of its verification, per case and in one thread, and their ratio (the aim is at most 3). Then the whole command over the
cases of the operator's own SPEC, whose goldens take no time, beside a process that starts torch and does nothing: wall
time, because the command reads the golden while torch starts. Needs torch, and r0kit installed or on PYTHONPATH.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from r0kit.contract.draft import draft
from r0kit.contract.plain import plain
from r0kit.contract.read import Document, parse
from r0kit.golden import read_program
from r0kit.partition import partition
from r0kit.spec import Spec, read_spec
from r0kit.verify import ALL, prepare
from r0kit.verify.callers import call_golden, golden_of, load_file
from r0kit.verify.child import settle
from r0kit.verify.inputs import make
from r0kit.verify.prepare import Prepared
from r0kit.verify.run import Subject

ROOT = Path(__file__).resolve().parents[1]

EXTENTS = {
    "row_softmax": {"M": 1024, "N": 4096},
    "layer_norm": {"B": 4, "S": 512, "D": 1024},
    "silu": {"N": 1 << 22},
    "matmul_bias_gelu": {"M": 512, "K": 1024, "N": 1024},
    "attention": {"B": 1, "H": 8, "S": 512, "T": 512, "D": 64},
    "linear_logsumexp": {"M": 512, "K": 1024, "N": 2048},
    "huber_loss": {"B": 1024, "N": 4096},
    "masked_mean_pool": {"B": 16, "S": 512, "D": 512},
}
REPEATS = 7


def prepared(op: str) -> Prepared:
    """The operator's drafted contract, with one large shape in place of its p0 cases."""
    folder = ROOT / "tests" / "goldens" / op
    [golden] = folder.glob("*_golden*.py")
    spec, _ = read_spec(str(folder / "SPEC.md"))
    contract = plain(draft(partition(read_program(str(golden), spec, op), spec), spec).contract)
    contract["composition_verification"]["shapes"] = [EXTENTS[op]]
    document: Document = parse(json.dumps(contract, default=dict), "module_interfaces.yaml")
    large = Spec(spec.path, inputs=spec.inputs, outputs=spec.outputs, default_params=spec.default_params)
    found = prepare(document, str(golden), large, ALL)
    assert found.cases, found.findings
    return found


def seconds(body: Callable[[], object]) -> float:
    """Processor seconds of one run."""
    begin = time.process_time()
    body()
    return time.process_time() - begin


def measured(subject: Prepared) -> tuple[float, float]:
    """Seconds of the golden and of its verification, per case, in the pair of runs whose ratio is the median.

    Golden and verification run in turn, so that a busy machine slows down both; making the inputs counts as
    verification. The child process does nothing else for a case.
    """
    calling = subject.setup["calling"]
    function = golden_of(load_file(subject.golden), calling)
    assert function is not None
    child = Subject(lambda phase: None)
    child.load(subject.setup)
    pairs: list[tuple[float, float]] = []
    for case in subject.cases:
        request = subject.request(case)
        assert child.run(request)["passed"]
        tensors = {t.name: make(asdict(t), case.seed, place) for place, t in enumerate(case.tensors)}
        golden = partial(call_golden, function, calling, tensors, case.params)
        golden()
        pairs += [(seconds(golden), seconds(partial(child.run, request))) for _ in range(REPEATS)]
    return sorted(pairs, key=lambda pair: pair[1] / pair[0])[len(pairs) // 2]


def command_seconds(op: str) -> tuple[float, float]:
    """Seconds of `r0kit verify` with the operator's own SPEC, and of a process that starts torch; least of several."""
    folder = ROOT / "tests" / "goldens" / op
    [golden] = folder.glob("*_golden*.py")
    with TemporaryDirectory() as scratch:
        contract = Path(scratch, "module_interfaces.yaml")
        r0kit = [sys.executable, "-m", "r0kit"]
        run([*r0kit, "gen", golden, "--spec", folder / "SPEC.md", "--op", op, "-o", contract])
        pairs = [
            (wall([*r0kit, "verify", golden, "--contract", contract]), wall([sys.executable, "-c", "import torch"]))
            for _ in range(3)
        ]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


def wall(command: list[Any]) -> float:
    begin = time.perf_counter()
    run(command)
    return time.perf_counter() - begin


def run(command: list[Any]) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(list(map(str, command)), env=environment, check=True, capture_output=True)


def main(names: list[str]) -> None:
    settle(threads=1)
    print(f"{'operator':20} {'golden ms':>9} {'verify ms':>9} {'ratio':>6} {'command s':>10} {'torch s':>8}")
    for op in names or EXTENTS:
        golden, verify = measured(prepared(op))
        command, start = command_seconds(op)
        row = f"{op:20} {golden * 1e3:9.2f} {verify * 1e3:9.2f} {verify / golden:6.2f} {command:10.2f} {start:8.2f}"
        print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
