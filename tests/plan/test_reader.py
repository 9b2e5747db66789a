"""golden_steps -> operations with shapes; whatever else a line holds is told, never raised."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planning import contract, plan

from r0kit.contract.model import Contract
from r0kit.plan import as_data, as_text
from r0kit.plan.expression import Call, Name, Number, UnreadError, read_line
from r0kit.plan.extents import ExtentError, concrete, dimensions
from r0kit.plan.reader import work_of
from r0kit.plan.work import Work

EXTENTS = {"B": 2, "M": 8, "N": 64}


def work(made: Contract) -> Work:
    """The Work of the only Module."""
    return work_of(made, made.modules[0], EXTENTS)


def steps(made: Contract) -> list[tuple[str, str, tuple[str | float, ...]]]:
    """Target, operation and operands."""
    return [(step.target, step.op, step.operands) for step in work(made).operations]


def test_a_line_is_an_expression() -> None:
    assert read_line("s = sum(exp(x - m), N)") == (
        "s",
        Call("sum", (Call("exp", (Call("sub", (Name("x"), Name("m"))),)), Name("N"))),
    )
    assert read_line("y = einsum(ab,bc->ac, x, w)")[1] == Call(
        "einsum", (Name("x"), Name("w")), (("equation", "ab,bc->ac"),)
    )
    assert read_line("y = -x.T ** 2.0")[1] == Call(
        "neg", (Call("pow", (Call("transpose", (Name("x"),)), Number(2.0))),)
    )


@pytest.mark.parametrize(
    "line",
    (
        *("", "y", "y = ", "a, b = x", "y = x[0]", "y = (x, x)", "y = 'x'", "y = \0"),
        *("for t in range(T): y = x", "y = x if m else n", "y = lambda: x", "y = x < m < n"),
        *("y = " + "(" * 999, "y = " + "-" * 1500 + "x", "y = " + "x" * 3000),
        "y = __import__('os').system('true')",
    ),
)
def test_what_is_no_such_line_is_told(line: str) -> None:
    with pytest.raises(UnreadError):
        read_line(line)


def test_equal_expressions_are_one_value() -> None:
    assert steps(contract("x: [M, N]; m: [M, 1]", "p = exp(x - m) / sum(exp(x - m), N)", "p: [M, N]")) == [
        ("t1", "sub", ("x", "m")),
        ("t2", "exp", ("t1",)),
        ("t5", "sum", ("t2",)),
        ("p", "div", ("t2", "t5")),
    ]


def test_a_narrow_input_is_cast_once_and_an_output_keeps_its_dtype() -> None:
    made = contract("x: [M, N] bfloat16", "y = x * sigmoid(x)", "y: [M, N] bfloat16")
    assert steps(made) == [("x_f32", "cast", ("x",)), ("t1", "sigmoid", ("x_f32",)), ("y", "mul", ("x_f32", "t1"))]
    assert work(made).values["y"].dtype == "bfloat16"


def test_a_module_without_a_cast_computes_in_its_own_dtype() -> None:
    made = contract("x: [M, N] float16", "y = exp(x)", "y: [M, N] float16")
    module = made.modules[0]._replace(api=({"value": "y", "op": "exp"},))
    assert steps(made._replace(modules=(module,))) == [("y", "exp", ("x",))]


def test_a_value_of_lower_rank_stands_where_its_axes_are() -> None:
    made = contract("x: [B, M, N]; g: [N]; s: [B]; w: [M, N]", "y = x * (g * 2.0) * s + w", "y: [B, M, N]")
    found = work(made)
    shapes = {name: found.values[name].shape for name in ("g", "s", "w")}
    assert shapes == {"g": (1, 1, 64), "s": (2, 1, 1), "w": (1, 8, 64)}
    assert not found.note


def test_a_reduced_axis_stands_anywhere() -> None:
    made = contract("x: [M, N]; s: [M, 1]; z: [M, N, K]", "y = sum(x * rsqrt(s) * z, N)", "y: [M, 1, K]")
    found = work_of(made, made.modules[0], {**EXTENTS, "K": 16})
    assert not found.note
    assert {name: found.values[name].shape for name in ("x", "s", "z")} == {
        "x": (8, 64, 1),
        "s": (8, 1, 1),
        "z": (8, 64, 16),
    }


def test_what_is_created_is_a_number_or_counts_an_axis() -> None:
    made = contract(
        "x: [M, N]; n: [M, 1] int32", "y = where(arange(N) < n, x, zeros([M, N])) + full(2.0, [N])", "y: [M, N]"
    )
    assert steps(made) == [
        ("t1", "arange", ()),
        ("t2", "lt", ("t1", "n")),
        ("t3", "where", ("t2", "x", 0.0)),
        ("y", "add", ("t3", 2.0)),
    ]
    assert work(made).values["t1"].shape == (1, 64)


def test_parameters_and_extents_are_numbers() -> None:
    made = contract("x: [M, N]", "y = x / sqrt(N) + eps", "y: [M, N]", params={"eps": 1e-5})
    assert steps(made) == [("t1", "div", ("x", 8.0)), ("y", "add", ("t1", 1e-5))]


def test_an_output_that_is_another_value_is_copied() -> None:
    assert steps(contract("x: [M, N]", "y = x", "y: [M, N]")) == [("y", "clone", ("x",))]


@pytest.mark.parametrize(
    ("lines", "why"),
    (
        ("y = x + z", "z is no value of the Module"),
        ("y = sum(x, K)", "K is no axis of x"),
        ("y = sum(x, dim=7)", "dim=7 of x"),
        ("y = x @ x", "matmul in a vector Module"),
        ("z = exp(x)", "no line computes the output y"),
        ("y = exp(x); y = log(x)", "y is computed twice"),
        ("y = x + [M, N]", "the list [M, N]"),
        ("y = x * mode", "the parameter mode is no number"),
    ),
)
def test_why_a_module_is_counted(lines: str, why: str) -> None:
    found = work(contract("x: [M, N]", lines, "y: [M, N]", params={"mode": "fast"}))
    assert found.note == why
    assert [step.op for step in found.operations] == ["step"] * (len(lines.split("; ")) + 1)


def test_shapes_in_numbers() -> None:
    assert concrete("[M, 2 * N, (N + 1) // 2, 0x10]", EXTENTS) == (8, 128, 32, 16)
    assert dimensions("[M,2*N]") == ("M", "2 * N")
    for shape in ("[M // 0]", "[M - 8]", "[Q]", "", "[M ** 2]", "[1_000_000_000 * 1_000_000_000]"):
        with pytest.raises(ExtentError):
            concrete(shape, EXTENTS)


OPERATORS = ("+", "-", "*", "/", "@", "**", "~", "<", "(", ")", ",", "=", "[", "]")
CALLS = (
    "exp(",
    "sum(",
    "amax(",
    "cumsum(",
    "float16(",
    "where(",
    "einsum(ab,bc->ac, ",
    "loop[0]",
    "for",
    ".T",
    "dim=1",
)
WORDS = st.sampled_from(["x", "y", "m", "M", "N", "eps", "2.0", "1e-5", *OPERATORS, *CALLS])
LINES = st.lists(st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=30), max_size=4)


@settings(max_examples=300, deadline=None)
@given(LINES, st.sampled_from(["vector", "cube"]), st.sampled_from(["[M, N]", "[M]", "[M, 1]", "[]", "[N, M]"]))
def test_any_lines_have_a_plan_or_a_reason(lines: list[str], section: str, shape: str) -> None:
    made = contract("x: [M, N] float16; m: [M, 1]", "", f"y: {shape}", section=section)
    module = made.modules[0]._replace(golden_steps=tuple(f"y = {line}" for line in lines))
    found = plan(made._replace(modules=(module,)), "a2a3", M=8, N=64)
    assert found.modules[0].phases or found.modules[0].notes or found.modules[0].failures
    assert as_text(found) and as_data(found)
