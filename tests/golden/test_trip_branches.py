"""Tiling loops whose trips differ: the first one sets the state, the last one writes the result."""

from __future__ import annotations

import pytest

from tests.golden.reading import Snippet

NAMES = """
    def f_golden(q, k, v):
        S, D = k.shape
        T = 4
        count = (S + T - 1) // T
        for t in range(count):
            start = t * T
            end = min(start + T, S)
            s = q @ k[start:end].T
            mj = s.amax(-1, keepdim=True)
            p = torch.exp(s - mj)
            lj = p.sum(-1, keepdim=True)
            oj = p @ v[start:end]
            if t == 0:
                if t == count - 1:
                    out = oj / lj
                else:
                    o, l, m = oj, lj, mj
            else:
                m_new = torch.maximum(m, mj)
                a, b = torch.exp(m - m_new), torch.exp(mj - m_new)
                l = a * l + b * lj
                o = a * o + b * oj
                m = m_new
                if t == count - 1:
                    out = o / l
        return out
"""

STORES = """
    def f_golden(q, k, v):
        S, D = k.shape
        R, T = 2, 4
        count = (S + T - 1) // T
        out = torch.zeros(q.shape[0], D)
        for r in range((q.shape[0] + R - 1) // R):
            top = r * R
            low = min(top + R, q.shape[0])
            rows = low - top
            o = torch.zeros(R, D)
            l = torch.zeros(R, 1)
            m = torch.full((R, 1), float('-inf'))
            for t in range(count):
                start = t * T
                end = min(start + T, S)
                s = q[top:low] @ k[start:end].T
                mj = s.amax(-1, keepdim=True)
                p = torch.exp(s - mj)
                lj = p.sum(-1, keepdim=True)
                oj = p @ v[start:end]
                if t == 0:
                    if t == count - 1:
                        out[top:low] = oj / lj
                    else:
                        o[:rows], l[:rows], m[:rows] = oj, lj, mj
                else:
                    m_new = torch.maximum(m[:rows], mj)
                    a, b = torch.exp(m[:rows] - m_new), torch.exp(mj - m_new)
                    l_new = a * l[:rows] + b * lj
                    o_new = a * o[:rows] + b * oj
                    if t == count - 1:
                        out[top:low] = o_new / l_new
                    else:
                        o[:rows], l[:rows], m[:rows] = o_new, l_new, m_new
        return out
"""

SHAPES = {"q": "M D", "k": "S D", "v": "S D"}
ATTENTION = ["permute", "matmul", "amax", "sub", "exp", "sum", "matmul", "div"]


@pytest.mark.parametrize("length", [8, 10, 3], ids=["whole tiles", "a tail", "one trip"])
@pytest.mark.parametrize("source", [NAMES, STORES], ids=["names", "stores in two loops"])
def test_online_softmax_with_a_first_and_a_last_trip(source: str, length: int) -> None:
    snippet = Snippet(source, SHAPES, {"M": 5, "D": 6, "S": length})
    program = snippet.read()
    ops = [step.op for step in program.steps]
    assert "loop" not in ops and sorted(ops) == sorted(ATTENTION)
    torch = pytest.importorskip("torch")
    from tests.golden.execute import execute

    for got, wanted in zip(execute(program, snippet.tensors(), snippet.extents), snippet.run(), strict=True):
        torch.testing.assert_close(got, wanted)


def test_a_number_of_tiles_rounded_down_relies_on_an_even_division() -> None:
    source = """
    def f_golden(x):
        total = torch.zeros(x.shape[0], 1)
        for t in range(x.shape[1] // 128):
            total = total + x[:, t * 128:t * 128 + 128].sum(1, keepdim=True)
        return total
"""
    program = Snippet(source, {"x": "M N"}, {"N": 512}).read()
    assert [step.op for step in program.steps] == ["sum"]
    assert any("128" in f"{one.left} {one.right}" for one in program.constraints)


LEFT_OVER = """
    def f_golden(x):
        state = torch.zeros(x.shape[0], 1)
        out = torch.zeros(x.shape[0], 1)
        count = x.shape[1] // 2
        for t in range(count):
            now = x[:, t * 2:t * 2 + 2].sum(1, keepdim=True)
            if t == count - 1:
                out = now if t == 0 else state + now
            else:
                CHANGE
        return out, state
"""


@pytest.mark.parametrize("change", ["state = now if t == 0 else state + now", "state += now"])
def test_what_only_trips_before_the_last_change_is_not_taken_as_unchanged(change: str) -> None:
    snippet = Snippet(LEFT_OVER.replace("CHANGE", change), {"x": "M N"}, {"N": 8})
    _out, state = snippet.read().outputs
    steps = {step.target: step for step in snippet.read().steps}
    assert steps[state.value].op in ("opaque", "project")  # never the zeros from before the loop
