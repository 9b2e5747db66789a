"""The text of a kernel file, and of the call that compiles and simulates it."""

from __future__ import annotations

from collections.abc import Sequence

from r0kit.plan.simulate.vector import dtype_of
from r0kit.plan.work import Value

TORCH = {"float32": "float32", "float16": "float16", "bfloat16": "bfloat16", "int32": "int32", "int16": "int16"}


def kernel_source(arguments: Sequence[tuple[str, Value]], body: Sequence[str]) -> str:
    """A Python file with `kernel`, compiled and simulated by `main()`. The compiler reads it from its file."""
    declared = ", ".join(f"{name}: pypto.Tensor({value.shape}, pypto.{dtype_of(value)})" for name, value in arguments)
    given = ", ".join(
        f"torch.zeros({value.shape}, dtype=torch.{TORCH.get(value.dtype, value.dtype)})" for _, value in arguments
    )
    lines = (
        "import pypto",
        "import torch",
        "",
        "",
        '@pypto.frontend.jit(runtime_options={"run_mode": pypto.RunMode.SIM})',
        f"def kernel({declared}):",
        *(f"    {line}" for line in body),
        "",
        "",
        "def main():",
        f"    kernel({given})",
        "",
    )
    return "\n".join(lines)
