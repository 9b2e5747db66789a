"""Loops that stay loops: what stands outside of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from r0kit.golden.builder import Builder
from r0kit.golden.dims import Dim
from r0kit.golden.lift.machine import Machine, Unprovable
from r0kit.golden.program import Step
from tests.golden.reading import Snippet

VIEW_OF_A_VIEW = """
    def f_golden(cache, x, rows):
        lines = cache.view(cache.shape[0] * 4, 1, 6)[:, 0, :]
        for base in range(0, x.shape[0], 4):
            for t in range(base, min(base + 4, x.shape[0])):
                row = int(rows[t].item())
                if row < 0:
                    continue
                lines[row] = x[t]
        return cache
"""

VIEW_CHANGED_BEFORE = """
    def f_golden(x, n):
        part = x[:, 0:3]
        x += 1
        for k in range(2 + int(n[0].item())):
            if n[k].item() > 0:
                part = part * 0.5
        return part
"""


@pytest.mark.parametrize(
    "source, shapes",
    [
        (VIEW_OF_A_VIEW, {"cache": "R 4 1 6", "x": "T 6", "rows": "T:int64"}),
        (VIEW_CHANGED_BEFORE, {"x": "M 6", "n": "K:int64"}),
    ],
    ids=["view of a view changed inside", "view of a tensor changed before"],
)
def test_a_kept_loop_reads_only_what_stands_before_it(source: str, shapes: dict[str, str]) -> None:
    program = Snippet(source, shapes).read()
    assert any(step.op == "loop" for step in program.steps)
    assert list(_dangling(program.steps, {one.name for one in program.inputs})) == []


APPENDING = """
    def f_golden(x, w):
        h = torch.zeros(x.shape[1])
        found = []
        for t in range(x.shape[0]):
            h = torch.tanh(h * w + x[t])
            found.append(h * 2)
        y = torch.stack(found, dim=0)
        return y - 1
"""


def test_what_every_trip_appends_is_called_as_its_list() -> None:
    program = Snippet(APPENDING, {"x": "T D", "w": "D"}).read()
    assert any(step.op == "loop" for step in program.steps)
    assert [step.target for step in program.steps if step.attrs.get("stacked")] == ["found"]


def _dangling(steps: Sequence[Step], known: set[str]) -> Iterator[str]:
    """Values that a Step reads and nothing before it computes; a trip may read what the trip before leaves."""
    for step in steps:
        inside = {inner.target for inner in step.body}
        yield from (name for name in step.tensors if name not in known | inside)
        yield from _dangling(step.body, known | inside)
        known = known | {step.target}


def test_extents_too_large_to_try_are_seen_before_any_number_is_drawn() -> None:
    builder = Builder("golden.py", {})
    builder.input("x", (Dim.of(8192), Dim.of(8192)), "float32")
    builder.input("y", (Dim.of(4),), "float32")
    Machine(builder, {}).afford(["y"])
    with pytest.raises(Unprovable, match="too large"):
        Machine(builder, {}).afford(["x", "y"])
