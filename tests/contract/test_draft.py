"""What is drafted from a Partition: names, mathematics, records, wiring."""

import handmade
import pytest
from handmade import Golden, partition

from r0kit.contract.draft import draft
from r0kit.contract.draft.draft import stage_function
from r0kit.contract.draft.mathematics import mathematics
from r0kit.contract.model import Tensor, Wire
from r0kit.golden.axes import Axis
from r0kit.golden.dims import Dim
from r0kit.partition.model import AxisDecision, Strategy


def steps_of(contract):
    return [list(module.golden_steps) for module in contract.modules]


def names_of(contract):
    return [module.name for module in contract.modules]


@pytest.mark.parametrize(
    ("made", "names", "steps"),
    [
        (
            handmade.softmax_conventional,
            ["row_max", "exp_sum", "normalize"],
            [["m = amax(x, N)"], ["s = sum(exp(x - m), N)"], ["y = exp(x - m) / s"]],
        ),
        (
            handmade.softmax_online,
            ["online_stats", "normalize"],
            [["m = amax(x, N)", "s = sum(exp(x - m), N)"], ["y = exp(x - m) / s"]],
        ),
        (
            handmade.attention_online,
            ["qk", "online_softmax", "pv", "rescale"],
            [
                ["scores = q @ k.T"],
                ["m = amax(scores, T)", "p = exp(scores - m)", "l = sum(p, T)"],
                ["o = p @ v"],
                ["y = o / l"],
            ],
        ),
        (
            handmade.matmul_bias_gelu,
            ["matmul_bias", "gelu"],
            [["c_2 = a @ b + bias"], ["y = gelu(c_2, approximate=tanh)"]],
        ),
    ],
)
def test_names_and_mathematics(made, names, steps):
    contract = draft(made()).contract
    assert names_of(contract) == names
    assert steps_of(contract) == steps


def test_wiring_and_flags():
    contract = draft(handmade.attention_online()).contract
    assert contract.primary_inputs[0] == Tensor("q", "[S, D]", "float16")
    assert contract.modules[3].inputs == (Wire("o", 3), Wire("l", 2))
    assert contract.modules[1].outputs == (Tensor("p", "[S, T]", "float32"), Tensor("l", "[S, 1]", "float32"))
    assert contract.final_outputs == (Wire("y", 4),)
    assert contract.is_fusion and contract.has_cross_core and contract.module_count == 4
    softmax = draft(handmade.softmax_online()).contract
    assert not softmax.is_fusion and not softmax.has_cross_core


def test_every_module_tells_why_it_starts_and_how_it_runs():
    contract = draft(handmade.softmax_online()).contract
    stats, output = contract.modules
    again = {"kind": "data_dependence", "from": "module_1", "value": "s", "axis": "N", "line": 15}
    assert (stats.boundary, output.boundary) == ((), (again,))
    assert stats.traversal["algorithm"] == "online" and stats.traversal["reduces"] == ["N"]
    assert stats.traversal["state"][0] == {
        "name": "m",
        "dtype": "float32",
        "initial": "-1.0e30",
        "update": "max(m, rowmax(tile))",
        "tail_mask": "-1.0e30 before the maximum",
    }
    assert output.traversal == {"axes": ["M", "N"], "reduces": [], "algorithm": "single"}
    assert output.source_lines == (10, 12, 13, 15)


def test_the_reduction_record_says_where_one_tile_stops_being_enough():
    (record,) = draft(handmade.softmax_online()).contract.reduction
    assert record["bound"] == 1048576 and record["may_exceed_tile"] is True and record["scheme"] == "online"
    assert record["single_tile_limit"] == 15872 and record["buffers"] == [{"value": "x", "bytes": 31744}]
    assert record["traversals"] == [
        {"module": "module_1", "range": "0..N", "algorithm": "online", "state": ["m", "s"]},
        {"module": "module_2", "range": "0..N", "algorithm": "single", "state": []},
    ]


@pytest.mark.parametrize(("bound", "exceeds"), [(None, True), (64, False), (15873, True)])
def test_an_axis_exceeds_a_tile_by_its_bound(bound, exceeds):
    made = handmade.softmax_online()
    axis = Axis(1, "N", Dim.of("N"), bound)
    decision = AxisDecision(axis, Strategy.SINGLE_TILE, "fits", 15872)
    (record,) = draft(partition(made.program, *made.parts, decisions=(decision,))).contract.reduction
    assert record["may_exceed_tile"] is exceeds
    assert record["bound"] == (bound or "unbounded")


def test_axes_that_are_reduced_together_are_traversed_by_the_modules_that_run_over_them_all():
    made = handmade.softmax_online()
    axis = Axis(1, "M*N", Dim.of("M") * Dim.of("N"), None)
    decision = AxisDecision(axis, Strategy.ONLINE, "", names=("M", "N"))
    (record,) = draft(partition(made.program, *made.parts, decisions=(decision,))).contract.reduction
    assert [(entry["module"], entry["range"]) for entry in record["traversals"]] == [
        ("module_1", "0..M*N"),
        ("module_2", "0..M*N"),
    ]


def test_the_one_module_of_an_operator_is_named_after_it():
    golden = Golden("silu", x="M, N")
    golden.step("_sigmoid", "sigmoid", "x", "M, N")
    golden.step("y", "mul", "x _sigmoid", "M, N")
    contract = draft(partition(golden.program("y"), golden.part(1, "_sigmoid y", {"x": 0}, "y"))).contract
    assert names_of(contract) == ["silu"] and steps_of(contract) == [["y = x * sigmoid(x)"]]


def test_each_step_has_its_api_by_platform_or_the_reason_why_not():
    contract = draft(handmade.matmul_bias_gelu()).contract
    bias = contract.modules[0].api[1]
    assert (bias["value"], bias["op"], bias["a5"], bias["a2a3"]) == ("c_2", "add", "pl.matmul(bias)", "pypto.matmul")
    golden = Golden("erf", x="M")
    golden.step("y", "erf", "x", "M")
    (record,) = draft(partition(golden.program("y"), golden.part(1, "y", {"x": 0}, "y"))).contract.modules[0].api
    assert record["a5"].startswith("none: no erf page")


def two_matmuls(first, second):
    golden = Golden("mlp", x="M, K", w="K, N", u="N, P")
    golden.step(first, "matmul", "x w", "M, N", labels=((0, 1), (1, 2), (0, 2)))
    golden.step(second, "matmul", f"{first} u", "M, P", labels=((0, 1), (1, 2), (0, 2)))
    parts = (
        golden.part(1, first, {"x": 0, "w": 0}, first),
        golden.part(2, second, {first: 1, "u": 0}, second),
    )
    return names_of(draft(partition(golden.program(second), *parts)).contract)


def test_modules_that_do_the_same_are_told_apart_by_what_they_write_or_read():
    assert two_matmuls("up", "down") == ["matmul_up", "matmul_down"]
    assert two_matmuls("_a", "_b") == ["matmul_w", "matmul_u"]


def test_float64_is_declared_float32_with_a_warning():
    golden = Golden("double", x="M:float64")
    golden.step("y", "add", "x 1.0", "M", "float64")
    drafted = draft(partition(golden.program("y"), golden.part(1, "y", {"x": 0}, "y")))
    assert {tensor.dtype for tensor in (*drafted.contract.primary_inputs, *drafted.contract.modules[0].outputs)} == {
        "float32"
    }
    assert [(finding.rule, finding.location.line) for finding in drafted.findings] == [
        ("gen.float64", 0),
        ("gen.float64", 10),
    ]


def test_stage_functions_count_their_modules():
    assert stage_function("op", 1) == "op_golden_stage1"
    assert stage_function("op", 9) == "op_golden_stage123456789"
    assert stage_function("op", 12) == "op_golden_stage1_to_12"


def lines_of(*steps, outputs, inputs=None):
    golden = Golden("op", **(inputs or {"x": "M, N", "z": "M, N"}))
    for step in steps:
        golden.step(*step[:4], **dict(step[4:]))
    return mathematics(tuple(golden.steps.values()), outputs.split(), golden.program())


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ([("_a", "add", "x z", "M, N"), ("y", "mul", "_a z", "M, N")], "y = (x + z) * z"),
        ([("_a", "mul", "x z", "M, N"), ("y", "sub", "z _a", "M, N")], "y = z - x * z"),
        ([("_a", "sub", "x z", "M, N"), ("y", "sub", "z _a", "M, N")], "y = z - (x - z)"),
        ([("_a", "neg", "x", "M, N"), ("y", "pow", "_a 2", "M, N")], "y = (-x) ** 2"),
        ([("_a", "pow", "x 2", "M, N"), ("y", "neg", "_a", "M, N")], "y = -x ** 2"),
        ([("_a", "div", "x z", "M, N"), ("y", "div", "x _a", "M, N")], "y = x / (x / z)"),
        ([("_a", "lt", "x z", "M, N"), ("y", "where", "_a x 0.0", "M, N")], "y = where(x < z, x, 0.0)"),
        ([("_a", "mul", "x $scale", "M, N"), ("y", "div", "_a N", "M, N")], "y = x * scale / N"),
        ([("y", "reshape", "x", "M*N")], "y = reshape(x, [M*N])"),
        ([("y", "sum", "x", "1", ("axes", (0, 1)))], "y = sum(x)"),
        ([("y", "sum", "x", "N", ("axes", (0,)))], "y = sum(x, M)"),
        ([("y", "slice", "x", "M, 2", ("axis", 1), ("start", 0), ("stop", 2))], "y = x[:, :2]"),
        ([("y", "topk_values", "x", "M, 2", ("axis", 1), ("k", 2))], "y = topk(x, N, k=2)"),
    ],
)
def test_mathematics_is_what_a_person_would_write(steps, text):
    assert lines_of(*steps, outputs="y") == (text,)


def test_axes_of_equal_extent_are_called_by_number():
    steps = [("y", "sum", "x", "N", ("axes", (1,)))]
    assert lines_of(*steps, outputs="y", inputs={"x": "N, N"}) == ("y = sum(x, dim=1)",)


def test_a_value_used_twice_has_a_line_and_a_long_line_is_broken():
    twice = [("_a", "exp", "x", "M, N"), ("_b", "add", "_a z", "M, N"), ("y", "mul", "_a _b", "M, N")]
    assert lines_of(*twice, outputs="y") == ("_a = exp(x)", "y = _a * (_a + z)")
    long = [("sum_of_products", "mul", "a_rather_long_name another_long_name", "M")]
    long += [("quotient_of_both", "div", "a_rather_long_name another_long_name", "M")]
    long += [("y", "add", "sum_of_products quotient_of_both", "M")]
    lines = lines_of(*long, outputs="y", inputs={"a_rather_long_name": "M", "another_long_name": "M"})
    assert lines == (
        "sum_of_products = a_rather_long_name * another_long_name",
        "y = sum_of_products + a_rather_long_name / another_long_name",
    )
