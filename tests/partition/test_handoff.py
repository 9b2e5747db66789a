"""Exchanges between cube and vector, and Steps in a section that has no API for them."""

from dataclasses import replace

import handmade
import pytest

from r0kit.golden.program import Section
from r0kit.partition.api import api_chain, api_conflicts
from r0kit.partition.handoff import handoffs


def routes(partition):
    return [(h.value, h.writer, h.reader, h.direction, h.written_to, h.path) for h in handoffs(partition)]


def test_a5_hands_tiles_over_on_chip():
    assert routes(handmade.attention_online()) == [
        ("scores", 1, 2, "cube_to_vector", "UB", "L0C -> UB (pl.move, FIX)"),
        ("p", 2, 3, "vector_to_cube", "L1", "UB -> L1 (pl.insert, MTE3)"),
        ("o", 3, 4, "cube_to_vector", "UB", "L0C -> UB (pl.move, FIX)"),
    ]
    assert [h.sync for h in handoffs(handmade.attention_online())] == [
        "ready: FIX -> V; free: V -> FIX",
        "ready: MTE3 -> MTE1; free: MTE1 -> MTE3",
        "ready: FIX -> V; free: V -> FIX",
    ]


def test_other_platforms_go_through_a_workspace():
    made = replace(handmade.attention_online(), platform="a2a3")
    assert routes(made)[:2] == [
        ("scores", 1, 2, "cube_to_vector", "GM workspace", "L0C -> GM (FIX), then GM -> UB (MTE2)"),
        ("p", 2, 3, "vector_to_cube", "GM workspace", "UB -> GM (MTE3), then GM -> L1 (MTE2)"),
    ]
    assert handoffs(made)[0].sync == "ready: FIX -> MTE2; free: MTE2 -> FIX"


def test_a_value_that_two_modules_read_waits_in_a_workspace():
    made = handmade.attention_online()
    twice = replace(made.parts[3], inputs=(*made.parts[3].inputs, made.parts[1].inputs[0]))
    assert routes(replace(made, parts=(*made.parts[:3], twice)))[0][4] == "GM workspace"


def test_vector_modules_hand_nothing_over():
    assert handoffs(handmade.softmax_conventional()) == ()


def test_the_api_of_a_step_is_that_of_its_section():
    made = handmade.matmul_bias_gelu()
    bias, gelu = made.parts[0].steps[1], made.parts[1].steps[0]
    assert api_chain(bias, Section.CUBE, "pypto_pro").apis == ("pl.matmul(bias)",)
    assert api_chain(gelu, Section.VECTOR, "pypto_pro").apis[0] == "pl.mul"
    assert api_conflicts(made) == ()


def test_a_step_whose_only_api_is_elsewhere_is_a_finding():
    made = handmade.matmul_bias_gelu()
    moved = replace(made, parts=(made.parts[0], replace(made.parts[1], section=Section.CUBE)))
    (finding,) = api_conflicts(moved)
    assert finding.rule == "partition.api-section" and finding.location.line == 12
    assert "gelu is in cube Module 2" in finding.message


@pytest.mark.parametrize("made", [handmade.softmax_online, handmade.attention_online])
def test_drafted_partitions_agree_with_the_apis(made):
    assert api_conflicts(made()) == ()
