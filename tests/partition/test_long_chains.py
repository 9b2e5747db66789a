"""Programs as long as a spelled-out loop makes them."""

from __future__ import annotations

from r0kit.golden import program_of
from r0kit.partition import partition
from r0kit.spec import Spec, TensorSpec

ROWS = 1500


def test_a_chain_of_stores_before_a_contraction_is_one_module() -> None:
    stores = "".join(f"    w[{row}:{row + 1}] = x[{row}:{row + 1}]\n" for row in range(ROWS))
    source = f"import torch\ndef f_golden(x, y):\n    w = torch.zeros({ROWS}, 4)\n{stores}    return y @ w\n"
    inputs = (TensorSpec("x", (ROWS, 4), "float32"), TensorSpec("y", ("M", ROWS), "float32"))
    chosen = partition(program_of(source, "f_golden.py", Spec("SPEC.md", inputs=inputs)))
    assert [part.section.value for part in chosen.parts] == ["cube"]
