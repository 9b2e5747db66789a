#!/usr/bin/env python3
"""Growth of reading a golden: bench_steps.py [--steps N] [--runs N]

Straight-line goldens of several styles grow four times at each stage; the ratio of processor times says how reading
grows (4 is linear). Then the cold start of `r0kit steps` on a labelled golden, as a ratio to that of the interpreter.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from r0kit.cli.common import collect_rarely  # noqa: E402
from r0kit.golden import program_of  # noqa: E402
from r0kit.spec import Case, Spec, TensorSpec  # noqa: E402

GOLDEN = ROOT / "tests" / "goldens" / "flash_attention" / "flash_attention_golden_cpu.py"
HEAD = (
    "import torch\nimport torch.nn.functional as F\n\ndef _scaled(t, s=0.5):\n    return t * s\n\ndef f_golden(x, w):\n"
)
SPEC = Spec(
    "SPEC.md",
    inputs=(TensorSpec("x", ("M", "N"), "float16"), TensorSpec("w", ("N", "N"), "float16")),
    p0_cases=(Case("p0", {}, {"x": (4, 8), "w": (8, 8)}),),
)

# Style -> the first statements, and those that are repeated.
STYLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "mixed": (
        "h = x.float()",
        (
            "h = h + x",
            "t = torch.exp(h * 0.5)",
            "h = F.relu(t - h)",
            "m = h.amax(dim=-1, keepdim=True)",
            "h = (h - m) / (m + 1.0)",
            "h = h @ w.float()",
            "h = torch.softmax(h, dim=-1)",
            "h = _scaled(h).reshape(h.shape[0], -1)",
        ),
    ),
    "stores": ("h = x.float().clone()", ("h[0] = h[1] * 2", "h[:, 1:] += 1", "h.mul_(0.5)")),
    "views": ("h = x.float().clone(); v = h[0]", ("v += 1", "h[1] += v", "t = h.t()", "h = t.t() * 1.0; v = h[0]")),
    "lists": ("parts = [x.float()]; h = parts[0]", ("parts.append(parts[-1] * 2)", "h = h + parts[-1]")),
}


def source(style: str, steps: int) -> str:
    """A golden of about that many Steps."""
    first, repeated = STYLES[style]
    count = 0
    lines = [first]
    while count < steps:
        lines.append(repeated[(len(lines) - 1) % len(repeated)])
        count += 2
    return HEAD + "".join(f"    {line}\n" for line in (*lines, "return h"))


def seconds(text: str, runs: int) -> tuple[float, int]:
    """Least processor time of reading a source, and the number of Steps."""
    times, steps = [], 0
    for _ in range(runs):
        begin = time.process_time()
        steps = len(program_of(text, "f_golden.py", SPEC).steps)
        times.append(time.process_time() - begin)
    return min(times), steps


def growth(style: str, most: int, runs: int) -> str:
    """One line: Steps, time per Step and ratio to the stage before, for stages of four times the size."""
    cells, before = [], 0.0
    for steps in (most // 16, most // 4, most):
        spent, found = seconds(source(style, steps), runs)
        ratio = f" x{spent / before:.2f}" if before else ""
        cells.append(f"{found} Steps {spent / found * 1e6:.0f} us each{ratio}")
        before = spent
    return f"{style:8} {'; '.join(cells)}"


def wall(command: Sequence[str], runs: int) -> float:
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(time.perf_counter() - begin)
    return median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20_000, help="Steps of the largest golden")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    collect_rarely()  # as every command does
    for style in STYLES:
        print(growth(style, options.steps, options.runs), flush=True)
    print(f"memory   {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB at most")
    cold = wall([sys.executable, "-m", "r0kit", "steps", str(GOLDEN)], options.runs)
    bare = wall([sys.executable, "-c", "import typer"], options.runs)
    print(f"cold     {cold:.2f} s for `r0kit steps {GOLDEN.name}`, {cold / bare:.1f} times importing typer alone")


if __name__ == "__main__":
    main()
