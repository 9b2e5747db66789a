#!/usr/bin/env python3
"""Growth of drawing Modules: bench_partition.py [--modules N] [--runs N]

Straight-line goldens of several styles whose length doubles at each stage; the ratio of processor times says how the
partition grows with the number of Modules (2 is linear, 4 quadratic).
"""

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from r0kit.golden import program_of  # noqa: E402
from r0kit.golden.program import Program  # noqa: E402
from r0kit.partition import Strategy, partition  # noqa: E402
from r0kit.spec import Spec, TensorSpec  # noqa: E402

HEAD = "import torch\nimport torch.nn.functional as F\n\ndef f_golden(h, w, g):\n"
SPEC = Spec(
    "SPEC.md",
    inputs=(
        TensorSpec("h", ("M", "N"), "float32"),
        TensorSpec("w", ("N", "N"), "float32"),
        TensorSpec("g", ("N",), "float32"),
    ),
    dynamic_axes_ranges={"M": (1, 4096), "N": (1, 1 << 20)},
)
# Style -> the statement that is repeated, and how many Modules `conventional` makes of it.
STYLES = {
    "matmul": ("h = F.relu(h @ w)", 2),
    "softmax": ("h = torch.softmax(h, dim=-1)", 2),
    "norm": ("h = h + F.rms_norm(h, (h.shape[-1],), g)", 1),
    "block": ("h = h + F.silu(torch.softmax(h, dim=-1) @ w)", 4),
}


def program(style: str, modules: int) -> Program:
    """A golden of about that many Modules."""
    statement, each = STYLES[style]
    lines = [statement] * max(modules // each, 1)
    return program_of(HEAD + "".join(f"    {line}\n" for line in [*lines, "return h"]), "f_golden.py", SPEC)


def seconds(golden: Program, runs: int) -> tuple[float, int]:
    """Least processor time of a partition, and the number of Modules."""
    times, modules = [], 0
    for _ in range(runs):
        begin = time.process_time()
        modules = len(partition(golden, SPEC, Strategy.CONVENTIONAL).parts)
        times.append(time.process_time() - begin)
    return min(times), modules


def growth(style: str, most: int, runs: int) -> str:
    """One line: Modules, time and ratio to the stage before, for stages of twice the size."""
    cells, before = [], 0.0
    for modules in (most // 8, most // 4, most // 2, most):
        spent, found = seconds(program(style, modules), runs)
        ratio = f" x{spent / before:.1f}" if before else ""
        cells.append(f"{found} Modules {spent:.2f} s{ratio}")
        before = spent
    return f"{style:8} {'; '.join(cells)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--modules", type=int, default=160, help="Modules of the largest golden")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    for style in STYLES:
        print(growth(style, options.modules, options.runs), flush=True)


if __name__ == "__main__":
    main()
