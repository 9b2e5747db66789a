#!/usr/bin/env python3
"""What verification costs, as a ratio to running the golden as often: `python scripts/bench_verify.py [OP...]`

For operators of tests/goldens with extents that make the golden work for its time: processor time of the golden alone and
of its verification, per case and in one thread, their ratio (the aim is at most 3), and the start of the process, which
is that of torch. Needs torch, and r0kit installed or on PYTHONPATH.

A golden that calls a fused kernel (torch.softmax) where its stage functions spell the Steps out is the exception: there
the ratio is that of the Steps to the kernel. Attention is the worst of these, because torch.exp of the masked scores,
-1e30, takes nine times as long as of others.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path

import torch

from r0kit.contract.draft import draft
from r0kit.contract.plain import plain
from r0kit.contract.read import Document, parse
from r0kit.golden import read_program
from r0kit.partition import partition
from r0kit.spec import Spec, read_spec
from r0kit.verify import ALL, Resources, Runner, prepare
from r0kit.verify.callers import call_golden, golden_of, load_file
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


def start_seconds(subject: Prepared) -> float:
    """Seconds until the child process has torch and the golden."""
    begin = time.perf_counter()
    with Runner(subject, Resources()):
        return time.perf_counter() - begin


def main(names: list[str]) -> None:
    torch.set_grad_enabled(False)
    torch.set_num_threads(1)
    print(f"{'operator':20} {'golden ms':>9} {'verify ms':>9} {'ratio':>6} {'start s':>8}")
    for op in names or EXTENTS:
        subject = prepared(op)
        golden, verify = measured(subject)
        start = start_seconds(subject)
        print(f"{op:20} {golden * 1e3:9.2f} {verify * 1e3:9.2f} {verify / golden:6.2f} {start:8.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
