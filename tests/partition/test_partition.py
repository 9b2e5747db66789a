"""Partitions of small traced Programs, against what the requirement's own text and design.md section 6 say."""

import pytest
from tracing import trace

from r0kit.golden.program import Section
from r0kit.partition import Strategy, partition
from r0kit.partition.model import BoundaryKind
from r0kit.partition.pins import Pins
from r0kit.platform import load
from r0kit.spec import Spec, parse_spec

ALL = [Strategy.CONVENTIONAL, Strategy.ONLINE, Strategy.SINGLE_TILE, Strategy.AUTO]


def ranges(**axes):
    return Spec("SPEC.md", dynamic_axes_ranges={name: (1, high) for name, high in axes.items()})


def sections(result):
    return "".join("C" if part.section is Section.CUBE else "V" for part in result.parts)


def drawn(function, spec=None, pins=None, **inputs):
    """Sections under each strategy, in the order of ALL."""
    program = trace(function, **inputs)
    return [sections(partition(program, spec, strategy, pins=pins or Pins())) for strategy in ALL]


def softmax(t, x):
    m = x.amax(-1, keepdim=True)
    e = t.exp(x - m)
    return e / e.sum(-1, keepdim=True)


def layer_norm(t, x, g, b):
    mean = x.mean(-1, keepdim=True)
    d = x - mean
    var = (d * d).mean(-1, keepdim=True)
    return d * t.rsqrt(var + 1e-5) * g + b


def attention(t, q, k, v, mask):
    s = t.matmul(q, k.transpose(-2, -1)) * 0.125 + mask.float() * -1e30
    return t.matmul(t.softmax(s, dim=-1), v)


ROWS = {"x": "float32[M, N]"}
NORM = {"x": "float32[B, D]", "g": "float32[D]", "b": "float32[D]"}
HEADS = {
    "q": "float16[B, H, S, D]",
    "k": "float16[B, H, T, D]",
    "v": "float32[B, H, T, E]",
    "mask": "int8[S, T]",
}


def test_stable_softmax_is_three_traversals_or_two_online_or_one_resident():
    assert drawn(softmax, ranges(M=4096, N=1 << 20), **ROWS) == ["VVV", "VV", "V", "VV"]


def test_layer_norm_by_welford():
    assert drawn(layer_norm, ranges(B=64, D=1 << 18), **NORM) == ["VVV", "VV", "V", "VV"]


def test_attention_is_not_softmax():
    spec = ranges(B=8, H=64, S=1 << 17, T=1 << 17, D=128, E=128)
    assert drawn(attention, spec, **{**HEADS, "q": "float32[B, H, S, D]", "k": "float32[B, H, T, D]"}) == [
        "CVVVC",
        "CVCV",
        "CVC",
        "CVCV",
    ]


def test_online_attention_contracts_the_unnormalised_weights():
    inputs = {**HEADS, "q": "float32[B, H, S, D]", "k": "float32[B, H, T, D]"}
    result = partition(trace(attention, **inputs), None, Strategy.ONLINE)
    product, rescale = result.parts[2], result.parts[3]
    assert [step.op for step in product.steps] == ["matmul"]
    assert [step.op for step in rescale.steps] == ["div"]
    assert {state.name for state in rescale.traversal.state} == {product.outputs[0]}
    assert result.parts[1].traversal.recurrence == "softmax_statistics+attention"


def test_activation_after_a_contraction_is_vector_and_its_bias_is_not():
    def golden(t, a, b, bias):
        return t.gelu(t.matmul(a, b) + bias)

    program = trace(golden, a="float32[M, K]", b="float32[K, N]", bias="float32[N]")
    result = partition(program)
    assert sections(result) == "CV"
    assert [step.op for step in result.parts[0].steps] == ["matmul", "add"]
    assert result.parts[1].boundaries[0].kind is BoundaryKind.SECTION


@pytest.mark.parametrize(
    ("epilogue", "expected"),
    [
        (lambda t, c, s: c * 2.0, "C"),
        (lambda t, c, s: (c * s).half(), "C"),
        (lambda t, c, s: c.half(), "C"),
        (lambda t, c, s: c * s + 1.0, "CV"),
        (lambda t, c, s: t.relu(c), "CV"),
        (lambda t, c, s: c * s.unsqueeze(-1), "CV"),
    ],
)
def test_epilogues_on_the_accumulator(epilogue, expected):
    def golden(t, a, b, s):
        return epilogue(t, t.matmul(a, b), s)

    rows = "float32[M]" if expected == "CV" and "unsqueeze" in epilogue.__code__.co_names else "float32[N]"
    program = trace(golden, a="float32[M, K]", b="float32[K, N]", s=rows)
    assert sections(partition(program)) == expected


def test_an_elementwise_operator_is_one_module():
    assert drawn(lambda t, x: x * t.sigmoid(x), **ROWS) == ["V"] * 4


def test_a_returned_input_is_copied():
    result = partition(trace(lambda t, x: x, **ROWS))
    assert [step.op for step in result.parts[0].steps] == ["clone"]
    assert result.parts[0].outputs == ("out",)


def test_gate_and_up_projection_share_a_module():
    def golden(t, x, gate, up, down):
        return t.matmul(t.silu(t.matmul(x, gate)) * t.matmul(x, up), down)

    weights = {"gate": "float16[K, I]", "up": "float16[K, I]", "down": "float16[I, K]"}
    assert drawn(golden, x="float16[M, K]", **weights) == ["CVC"] * 4


def test_consecutive_contractions_are_independent_stages():
    def golden(t, x, a, b):
        return t.matmul(t.matmul(x, a), b)

    result = partition(trace(golden, x="float16[M, K]", a="float16[K, N]", b="float16[N, P]"))
    assert sections(result) == "CC"
    assert result.parts[1].boundaries[0].kind is BoundaryKind.INDEPENDENT_STAGE
    assert (result.parts[1].boundaries[0].kind, result.parts[1].boundaries[0].axis) == (
        BoundaryKind.INDEPENDENT_STAGE,
        "N",
    )


def test_a_reduced_value_is_post_processed_where_it_is():
    def golden(t, x, y):
        return (x - y).abs().mean().sqrt()

    assert drawn(golden, x="float32[B, N]", y="float32[B, N]") == ["V"] * 4


def test_elementwise_values_are_recomputed_and_reduced_ones_cross():
    result = partition(trace(softmax, **ROWS), ranges(N=1 << 20), Strategy.CONVENTIONAL)
    last = result.parts[2]
    assert next(crossing.name for crossing in last.inputs) == "x"
    assert {step.op for step in last.steps} == {"sub", "exp", "div"}


def test_a_value_of_many_operands_is_stored_rather_than_recomputed():
    def golden(t, a, b, c, d):
        h = a + b + c + d
        return h / h.sum(-1, keepdim=True)

    names = dict.fromkeys("abcd", "float32[M, N]")
    result = partition(trace(golden, **names), ranges(M=4096, N=1 << 20), Strategy.CONVENTIONAL)
    assert sections(result) == "VV"
    assert len(result.parts[1].inputs) == 2


def test_a_gather_sinks_through_elementwise_steps():
    def golden(t, x, index):
        return -1.0 * (x - t.logsumexp(x, dim=1, keepdim=True)).gather(1, index)

    inputs = {"x": "float32[B, C]", "index": "int64[B, 1]"}
    assert drawn(golden, ranges(B=8192, C=1 << 20), **inputs) == ["VV", "V", "V", "V"]


def test_raising_the_bound_until_ub_overflows_leaves_single_tile():
    program = trace(softmax, **ROWS)
    small = partition(program, ranges(M=64, N=512))
    limit = small.decisions[0].limit
    assert small.decisions[0].scheme is Strategy.SINGLE_TILE
    assert sections(partition(program, ranges(M=64, N=limit))) == "V"
    large = partition(program, ranges(M=64, N=limit + 1))
    assert sections(large) == "VV"
    assert large.decisions[0].scheme is Strategy.ONLINE
    assert str(limit) in large.decisions[0].reason
    filling = sum(size for _, size in large.decisions[0].buffers)
    assert load().ub - 4 * 32 < filling <= load().ub  # two tiles of float32, rounded up to the alignment


def test_capacity_depends_on_the_platform():
    program = trace(softmax, **ROWS)
    limits = [partition(program, ranges(N=512), platform=load(name)).decisions[0].limit for name in ("a5", "a2a3")]
    assert limits[0] > limits[1] > 512


def test_auto_moves_no_more_bytes_than_conventional():
    program = trace(softmax, **ROWS)
    spec = ranges(M=64, N=1 << 20)
    moved = {strategy: partition(program, spec, strategy).traffic for strategy in ALL}
    assert moved[Strategy.AUTO] <= moved[Strategy.CONVENTIONAL]
    assert partition(program, spec).floor <= min(moved.values())


def test_a_pinned_split_is_followed_and_recorded():
    def golden(t, x):
        h = t.exp(x)
        return t.tanh(h)

    program = trace(golden, **ROWS)
    result = partition(program, pins=Pins(split_after=frozenset({program.steps[0].target})))
    assert sections(result) == "VV"
    assert result.parts[1].boundaries[0].kind is BoundaryKind.PINNED


def test_a_pinned_resident_axis_needs_no_boundary():
    result = partition(trace(softmax, **ROWS), ranges(N=1 << 20), pins=Pins(resident=frozenset({"N"})))
    assert sections(result) == "V"
    assert result.parts[0].traversal.algorithm == "resident"


def test_a_pin_that_cannot_be_followed_is_reported():
    def golden(t, a, b):
        return t.relu(t.matmul(a, b))

    program = trace(golden, a="float32[M, K]", b="float32[K, N]")
    names = (*tuple(step.target for step in program.steps[:1]), "out")
    result = partition(program, pins=Pins(keep_together=(names,)))
    assert sections(result) == "CV"
    assert [finding.rule for finding in result.findings] == ["partition.impossible-pin"]


def test_dequantisation_by_channel_stays_on_the_fix_pipe():
    def golden(t, a, b, scale, bias):
        return ((t.matmul(a.int(), b.int()) + bias).float() * scale).half()

    inputs = {"a": "int8[M, K]", "b": "int8[K, N]", "scale": "float32[N]", "bias": "int32[N]"}
    assert drawn(golden, **inputs) == ["C"] * 4


def test_dequantisation_with_an_offset_is_one_vector_epilogue():
    def golden(t, a, b, scale, offset):
        return (t.matmul(a.int(), b.int()).float() * scale + offset).half()

    inputs = {"a": "int8[M, K]", "b": "int8[K, N]", "scale": "float32[N]", "offset": "float32[N]"}
    result = partition(trace(golden, **inputs))
    assert sections(result) == "CV"
    assert [step.op for step in result.parts[0].steps if step.op != "cast"] == ["matmul"]
    assert result.parts[0].steps[-1].dtype == "int32"


def test_groups_of_a_reshape_are_axes_of_their_own():
    def golden(t, w):
        n, k = w.shape
        groups = w.reshape(n, k // 32, 32)
        return groups / groups.amax(-1, keepdim=True)

    result = partition(trace(golden, w="float16[N, K]"), ranges(N=8192, K=16384))
    assert sections(result) == "V"
    assert result.decisions[0].axis.bound == 32


def test_a_returned_layout_is_stored_by_the_cube():
    assert drawn(lambda t, a, b: t.matmul(a, b).transpose(0, 1), a="float16[M, K]", b="float16[K, N]") == ["C"] * 4


def test_operators_that_share_only_a_table_stay_apart():
    def golden(t, q, k, table):
        return q * table, k * table

    assert drawn(golden, q="float32[H, S, D]", k="float32[G, S, D]", table="float32[S, D]") == ["VV"] * 4


def test_the_running_maximum_says_what_its_tail_and_masked_rows_need():
    state = partition(trace(softmax, **ROWS), ranges(N=1 << 20)).parts[0].traversal.state[0]
    assert (state.dtype, state.initial) == ("float32", "-1.0e30")
    assert "before the maximum" in state.mask
    assert "guard" in state.mask


def test_auto_says_why_it_did_not_take_the_recurrence():
    """Small scores, wide values: what online stores of the output beside it outweighs the scores it reads once less."""
    inputs = "q: [1, 2, 4, 16], k: [1, 2, 6, 16], v: [1, 2, 6, 1000000], mask: [4, 6]"
    shapes = "".join(f"  - {{name: {name}, shape: {text[text.index('[') :]}}}\n" for name, text in HEADS.items())
    spec, _ = parse_spec(f"---\nop_name: attention\ninputs:\n{shapes}p0_shapes:\n  - {{{inputs}}}\n---\n", "SPEC.md")
    result = partition(trace(attention, **HEADS), spec)
    assert result.strategy is Strategy.AUTO
    assert result.decisions[0].scheme is Strategy.CONVENTIONAL
    assert "moves less through GM than online" in result.decisions[0].reason
    assert "E = 1000000" in result.decisions[0].reason


def mixed_heads(t, q, k, v, w, bias):
    weights = t.softmax(t.matmul(q, k.transpose(-2, -1)) + bias, dim=-1)
    return t.matmul(t.einsum("hst,hg->gst", weights, w), v)


MIXED = {
    "q": "float32[H, S, D]",
    "k": "float32[H, T, D]",
    "v": "float32[H, T, E]",
    "w": "float32[H, H]",
    "bias": "float32[H, S, T]",
}


@pytest.mark.parametrize("strategy", ALL)
def test_what_needs_the_end_of_an_axis_is_not_written_on_the_way(strategy):
    """`s + bias - m` would be one value to read instead of two; an online traversal knows m only at its end."""
    result = partition(trace(mixed_heads, **MIXED), ranges(T=1 << 17), strategy)
    for part in result.parts:
        steps = {step.target: step for step in part.steps}
        late = (
            {step.target for step in part.steps if step.op == "amax"} if part.traversal.algorithm == "online" else set()
        )
        shifted = {name for name, step in steps.items() if late & set(step.tensors) and step.op == "sub"}
        assert not shifted & set(part.outputs)


@pytest.mark.parametrize(
    ("reduction", "dtype", "initial"),
    [
        ("amax", "float16", "-1.0e30"),
        ("amax", "int32", "-2147483648"),
        ("amin", "int8", "127"),
        ("amax", "uint8", "0"),
        ("argmax", "int16", "(-32768, 0)"),
    ],
)
def test_a_running_extreme_of_integers_begins_at_an_integer(reduction, dtype, initial):
    program = trace(lambda t, x: getattr(x, reduction)(-1), x=f"{dtype}[M, N]")
    (state,) = partition(program).parts[0].traversal.state
    assert state.initial == initial
