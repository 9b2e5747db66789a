"""What axes are called in a Module: by their extent, with a number only where two axes of one extent meet."""

from tracing import trace

from r0kit.golden import program_of
from r0kit.partition import Strategy, partition
from r0kit.spec import Spec, TensorSpec


def attention(t, q, k, v):
    return t.matmul(t.softmax(t.matmul(q, k.transpose(-2, -1)), dim=-1), v)


def axes(result):
    return [part.traversal.axes for part in result.parts]


def test_one_extent_in_two_modules_is_one_name():
    result = partition(trace(attention, q="float32[S, D]", k="float32[T, D]", v="float32[T, D]"))
    assert axes(result)[0] == ("S", "D", "T")
    assert sorted(axes(result)[-1]) == ["D", "S"] or sorted(axes(result)[-1]) == ["D", "S", "T"]


def test_two_axes_of_one_extent_in_a_module_are_told_apart():
    shapes = dict.fromkeys("qkv", "float32[S, D]")
    result = partition(trace(attention, **shapes), strategy=Strategy.CONVENTIONAL)
    assert axes(result)[0] == ("S", "D", "S_2")
    assert result.decisions[0].axis.name == "S_2" and str(result.decisions[0].axis.extent) == "S"


def loop_of(body, outputs):
    source = f"import torch\ndef op_golden(x, decay):\n{body}    return {outputs}\n"
    inputs = (TensorSpec("x", ("B", "T", "D"), "float32"), TensorSpec("decay", ("D",), "float32"))
    return partition(program_of(source, "op_golden.py", Spec("SPEC.md", inputs=inputs)))


SCAN = """    h = torch.zeros(x.shape[0], x.shape[2])
    outs = []
    for t in range(x.shape[1]):
        h = decay * h + x[:, t]
        outs.append(h * 2)
"""


def test_a_loop_runs_over_the_axes_of_its_body_and_needs_that_of_its_trips():
    (part,) = loop_of(SCAN, "h").parts
    assert sorted(part.traversal.axes) == ["B", "D", "T"] and part.traversal.reduces == ("T",)


def test_what_the_trips_leave_side_by_side_has_their_axis():
    (part,) = loop_of(SCAN, "torch.stack(outs, dim=1), h").parts
    assert sorted(part.traversal.axes) == ["B", "D", "T"] and part.traversal.reduces == ("T",)


def test_what_runs_again_over_the_trips_waits_for_the_last_one():
    parts = loop_of(SCAN, "x * h[:, None]").parts
    assert [boundary.axis for part in parts for boundary in part.boundaries] == ["T"]
