"""The judge itself: it tells right from wrong from what does not compile, and survives a kernel that never ends."""

from pathlib import Path

import pytest
from wheel.judge import NEEDS_WHEEL, Job, judge

_KERNEL = """import pypto


@pypto.frontend.jit(runtime_options={{"run_mode": pypto.RunMode.SIM}})
def kernel(x: pypto.Tensor((64, 64), pypto.DT_FP32), out: pypto.Tensor((64, 64), pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(32, 64)
    {}
"""


@NEEDS_WHEEL
def test_what_compiles_and_what_does_not(tmp_path: Path) -> None:
    """Without values: the quick half, and a sample for the default suite."""
    jobs = [Job(_KERNEL.format(line)) for line in ("out[:] = 1.0 - x", "out[:] = pypto.add(1.0, x)")]
    taken, refused = judge(jobs, tmp_path, tmp_path)
    assert taken.compiled
    assert not refused.compiled and "TypeError" in refused.said


@NEEDS_WHEEL
@pytest.mark.wheel
def test_values(tmp_path: Path, wheel_cache: Path) -> None:
    body = "out[:] = 1.0 - x"
    right, wrong = judge(
        [Job(_KERNEL.format(body), "1 - x"), Job(_KERNEL.format(body), "x - 1")], tmp_path, wheel_cache
    )
    assert right.right()
    assert wrong.compiled and not wrong.right() and wrong.difference > 1


@NEEDS_WHEEL
@pytest.mark.wheel
def test_a_kernel_that_never_ends_and_one_that_kills_its_process(tmp_path: Path) -> None:
    endless, deadly = "while True:\n    pass\n", "import os\nos.abort()\n"
    first, second = judge([Job(endless), Job(deadly)], tmp_path, tmp_path, limit=5)
    assert not first.compiled and first.said in ("no verdict: SIGKILL", "no verdict: SIGXCPU")
    assert not second.compiled and second.said == "no verdict: SIGABRT"
