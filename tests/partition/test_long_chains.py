"""Programs as long as a spelled-out loop makes them."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from r0kit.golden import program_of
from r0kit.partition import Strategy, partition
from r0kit.partition.crossing import RECOMPUTED
from r0kit.partition.merging import Links
from r0kit.spec import Spec, TensorSpec

ROWS = 1500


def test_a_chain_of_stores_before_a_contraction_is_one_module() -> None:
    stores = "".join(f"    w[{row}:{row + 1}] = x[{row}:{row + 1}]\n" for row in range(ROWS))
    source = f"import torch\ndef f_golden(x, y):\n    w = torch.zeros({ROWS}, 4)\n{stores}    return y @ w\n"
    inputs = (TensorSpec("x", (ROWS, 4), "float32"), TensorSpec("y", ("M", ROWS), "float32"))
    chosen = partition(program_of(source, "f_golden.py", Spec("SPEC.md", inputs=inputs)))
    assert [part.section.value for part in chosen.parts] == ["cube"]


def test_a_long_chain_of_softmaxes_is_cut_into_modules_of_bounded_size() -> None:
    """No Module computes the whole chain before it again, and none reads the statistics of all of them."""
    repeated = "    x = torch.softmax(x, dim=-1)\n" * 80
    source = f"import torch\ndef f_golden(x):\n{repeated}    return x\n"
    spec = Spec("SPEC.md", inputs=(TensorSpec("x", ("M", "N"), "float32"),))
    chosen = partition(program_of(source, "f_golden.py", spec), spec, Strategy.CONVENTIONAL)
    assert len(chosen.parts) == 161
    assert max(len(part.steps) for part in chosen.parts) <= RECOMPUTED + 4
    assert max(len(part.inputs) for part in chosen.parts) <= RECOMPUTED
    for part in chosen.parts:
        known = {crossing.name for crossing in part.inputs}
        for step in part.steps:
            assert known.issuperset(step.tensors)
            known.add(step.target)


edges = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda edge: edge[0] < edge[1]), max_size=20)


@given(edges, st.integers(1, 4))
def test_links_between_modules_are_those_of_the_graph(pairs: list[tuple[int, int]], size: int) -> None:
    """Anchors 0 to 7 in their order, `size` of them in each Module; every way through a third Module is found."""
    reads = {str(n): {str(a) for a, b in pairs if b == n} for n in range(8)}
    groups = [tuple(str(n) for n in range(first, min(first + size, 8))) for first in range(0, 8, size)]
    flow = SimpleNamespace(cones={name: SimpleNamespace(spans=dict.fromkeys(found)) for name, found in reads.items()})
    links = Links(flow, groups)
    direct = {(a // size, b // size) for a, b in pairs if a // size != b // size}
    ways = set(direct)
    for middle in range(len(groups)):
        ways |= {(a, c) for a, b in ways for b2, c in ways if b == b2 == middle}
    for a, b in combinations(range(len(groups)), 2):
        through = {(a, c) for c in range(len(groups)) if (a, c) in ways and (c, b) in ways}
        assert links.between(a, b) == bool(through)
        shared = any({x // size for x, y in pairs if y == n} >= {a, b} for n in range(8))
        assert links.connected(a, b) == ((a, b) in direct or shared)
