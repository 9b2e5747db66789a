"""What `auto` takes for its bytes, with and without pins, and at which extents it says that it weighed them."""

import pytest
from tracing import trace

from r0kit.finding import Location
from r0kit.golden.program import Section
from r0kit.partition import Partition, Strategy, partition
from r0kit.partition.model import BoundaryKind
from r0kit.partition.pins import Pin, Pins
from r0kit.spec import Spec, parse_spec

HEADS = {
    "q": "float16[B, H, S, D]",
    "k": "float16[B, H, T, D]",
    "v": "float32[B, H, T, E]",
    "mask": "int8[S, T]",
}


def attention(t, q, k, v, mask):
    """Small scores, wide values: what online stores of the output beside it outweighs the scores it reads once less."""
    s = t.matmul(q, k.transpose(-2, -1)) * 0.125 + mask.float() * -1e30
    return t.matmul(t.softmax(s, dim=-1), v)


def spec() -> Spec:
    inputs = "q: [1, 2, 4, 16], k: [1, 2, 6, 16], v: [1, 2, 6, 1000000], mask: [4, 6]"
    shapes = "".join(f"  - {{name: {name}, shape: {text[text.index('[') :]}}}\n" for name, text in HEADS.items())
    found, _ = parse_spec(f"---\nop_name: attention\ninputs:\n{shapes}p0_shapes:\n  - {{{inputs}}}\n---\n", "SPEC.md")
    return found


def drawn(pins: Pins, strategy: Strategy = Strategy.AUTO) -> Partition:
    return partition(trace(attention, **HEADS), spec(), strategy, pins=pins)


SCALED = next(step.target for step in trace(attention, **HEADS).steps if step.op == "mul")


def pinned(**keys: object) -> Pins:
    """Pins whose names have places, as if read from a file."""
    names = [*keys.get("split_after", ()), *keys.get("section", ())]
    return Pins(**keys, pins=tuple(Pin("split_after", name, Location("PINS.yaml", 1, 1)) for name in names))


@pytest.mark.parametrize("pins", [Pins(), pinned(split_after=frozenset({SCALED})), Pins(resident=frozenset({"S"}))])
def test_with_compatible_pins_too_auto_moves_no_more_than_one_module_per_traversal(pins):
    auto = drawn(pins)
    assert auto.traffic == drawn(pins, Strategy.CONVENTIONAL).traffic < drawn(pins, Strategy.ONLINE).traffic
    assert auto.decisions[0].scheme is Strategy.CONVENTIONAL and auto.strategy is Strategy.AUTO
    assert auto.findings == ()


def test_the_pin_is_followed_where_auto_falls_back():
    result = drawn(pinned(split_after=frozenset({SCALED})))
    assert {b.value for part in result.parts for b in part.boundaries if b.kind is BoundaryKind.PINNED} == {SCALED}


def test_a_pin_that_only_online_can_follow_holds_it():
    """The product before the division is a value of the rewritten golden alone: one Module per traversal has none."""
    rewritten = drawn(Pins(), Strategy.ONLINE).program
    product = next(step.target for step in rewritten.steps if step.target.endswith("_acc"))
    result = drawn(pinned(split_after=frozenset({product})))
    assert result.decisions[0].scheme is Strategy.ONLINE and result.findings == ()


def test_a_pin_that_online_cannot_follow_turns_auto_from_it():
    """A person pins the normalised weights, which online never computes, where online would move fewer bytes."""
    bounds = Spec("SPEC.md", dynamic_axes_ranges=dict.fromkeys("BHS", (1, 1 << 12)) | {"T": (1, 1 << 17)})
    program = trace(attention, **HEADS)
    weights = next(step.target for step in program.steps if step.op == "div")
    assert partition(program, bounds).decisions[0].scheme is Strategy.ONLINE
    result = partition(program, bounds, pins=pinned(split_after=frozenset({weights})))
    assert result.findings == () and result.decisions[0].scheme is Strategy.CONVENTIONAL
    assert result.decisions[0].reason == "one Module per traversal follows pins that online cannot"


def test_the_extents_of_the_weights_have_their_sources():
    """E is given by nothing, T by SPEC's range, the others by the first p0 case."""
    case = "q: [1, 2, 4, 16], k: [1, 2, 6, 16]"
    shapes = "  - {name: q, shape: [B, H, S, D]}\n  - {name: k, shape: [B, H, T, D]}\n"
    text = f"---\nop_name: a\ninputs:\n{shapes}dynamic_axes_ranges: {{T: [1, 4096]}}\np0_shapes:\n  - {{{case}}}\n---\n"
    partial, _ = parse_spec(text, "SPEC.md")
    result = partition(trace(attention, **HEADS), partial)
    assert result.weighed == (
        "B = 1, H = 2, S = 4, D = 16 (first p0 case)",
        "T = 4096 (bounds of SPEC)",
        "E = 1024 (assumed)",
    )


def test_the_reason_for_falling_back_says_at_which_extents():
    reason = drawn(Pins()).decisions[0].reason
    assert "; weighed at B = 1, H = 2, S = 4, D = 16, E = 1000000 (first p0 case); weighed at T = " in reason


def test_an_axis_without_range_is_weighed_where_one_tile_does_not_hold_it():
    """T is 6 in the p0 case, a number to check with: online reads long scores once less, however it is at 6."""
    result = partition(trace(attention, **HEADS | {"v": "float32[B, H, T, D]"}), spec())
    decision = result.decisions[0]
    assert decision.scheme is Strategy.ONLINE
    assert decision.limit < result.extents["T"] < 4 * decision.limit
    assert result.extents["S"] == 4
    assert result.weighed[1] == f"T = {result.extents['T']} (no range in SPEC, so more than one tile holds)"


def test_no_extents_no_word():
    assert partition(trace(lambda t, x: x * 2, x="float32[4, 8]")).weighed == ()


def test_sections_are_pinned_under_a_fallback_too():
    result = drawn(Pins(section={SCALED: Section.VECTOR}))
    assert result.traffic == drawn(Pins(section={SCALED: Section.VECTOR}), Strategy.CONVENTIONAL).traffic
