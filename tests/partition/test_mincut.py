"""The minimum cut against trying every cut of small graphs."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from r0kit.partition.mincut import UNCUTTABLE, source_side

nodes = st.integers(0, 5)  # 0 is the source, 5 the sink
graphs = st.lists(st.tuples(nodes, nodes, st.integers(0, 9)).filter(lambda edge: edge[0] != edge[1]), max_size=14)


def cost(edges, side):
    return sum(capacity for tail, head, capacity in edges if tail in side and head not in side)


@given(graphs)
def test_no_cut_costs_less_and_none_of_that_cost_is_nearer_the_source(edges):
    found = source_side(edges, 0, 5)
    assert 0 in found and 5 not in found
    sides = [{0, *chosen} for size in range(5) for chosen in combinations(range(1, 5), size)]
    best = min(cost(edges, side) for side in sides)
    assert cost(edges, found) == best
    assert all(found <= side for side in sides if cost(edges, side) == best)


def test_what_cannot_be_cut_is_not():
    edges = [("s", "a", UNCUTTABLE), ("a", "b", 7), ("b", "t", UNCUTTABLE)]
    assert source_side(edges, "s", "t") == {"s", "a"}
