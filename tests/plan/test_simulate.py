"""Kernels of Modules, and what is made of the simulator's answers; the simulator itself is in tests/wheel."""

from __future__ import annotations

import ast
from importlib.util import find_spec

import pytest
from planning import contract, plan

from r0kit.contract.model import Contract
from r0kit.plan import as_data
from r0kit.plan.contraction import products_of
from r0kit.plan.reader import table, work_of
from r0kit.plan.simulate import Outcome, Session, SimulatorError, simulated
from r0kit.plan.simulate.cube import cube_arguments, cube_body
from r0kit.plan.simulate.session import words
from r0kit.plan.simulate.source import kernel_source
from r0kit.plan.simulate.vector import UnwrittenError, arguments, kernel_body

STATISTICS = contract(
    "x: [M, N] float16", "m = amax(x, N); s = sum(exp(x - m), N)", "m: [M, 1]; s: [M, 1]", algorithm="online"
)
ROWS = contract("x: [M, N]", "y = sum(x, N)", "y: [M, 1]")


class Answers(Session):
    """A session that answers from a list, and keeps what it was asked."""

    def __init__(self, answers: list[Outcome]) -> None:
        self.answers, self.asked, self.version = answers, [], "0.2.0"

    def run(self, source: str) -> Outcome:
        self.asked.append(source)
        return self.answers[len(self.asked) - 1]


def body(made: Contract, tile: tuple[int, ...], **extents: int) -> list[str]:
    """The kernel of the only Module, a vector one."""
    work = work_of(made, made.modules[0], extents)
    return kernel_body(work, ((work.space, tile),))


def test_a_kernel_stores_its_outputs_at_the_end() -> None:
    assert body(STATISTICS, (8, 64), M=32, N=64) == [
        "pypto.set_vec_tile_shapes(8, 64)",
        "v1 = pypto.cast(v0, pypto.DT_FP32)",
        "v2 = pypto.amax(v1, dim=1, keepdim=True)",
        "v3 = v1 - v2",
        "v4 = pypto.exp(v3)",
        "v5 = pypto.sum(v4, dim=1, keepdim=True)",
        "out_v2[:] = v2",
        "out_v5[:] = v5",
    ]


def test_a_mask_of_integers_reaches_float32_by_way_of_float16() -> None:
    masked = contract("x: [M, N]; m: [M, N] int8", "y = x + m * -1.0e30", "y: [M, N]")
    assert body(masked, (8, 64), M=8, N=64)[1:3] == [
        "v2 = pypto.cast(pypto.cast(v1, pypto.DT_FP16), pypto.DT_FP32)",
        "v3 = v2 * -1e+30",
    ]


def test_the_last_axis_is_aligned_for_the_compiler() -> None:
    assert body(ROWS, (4, 1001), M=4, N=1001)[0] == "pypto.set_vec_tile_shapes(4, 1008)"


def test_one_axis_is_expanded_at_a_time() -> None:
    affine = contract("x: [B, M, N]; g: [N]", "y = x * g", "y: [B, M, N]")
    assert body(affine, (1, 8, 64), B=2, M=8, N=64)[1:3] == [
        "v2_1_0 = pypto.expand_clone(v1, [1, 8, 64])",
        "v2 = v0 * v2_1_0",
    ]


def test_a_reduction_takes_one_axis_at_a_time() -> None:
    assert body(contract("x: [M, N]", "y = mean(x)", "y: [1, 1]"), (4, 64), M=4, N=64)[1:3] == [
        "v1 = pypto.sum(v0, dim=1, keepdim=True) * 0.015625",
        "v1 = pypto.sum(v1, dim=0, keepdim=True) * 0.25",
    ]


def test_a_later_phase_sets_its_own_tile() -> None:
    loss = contract("x: [B, N]", "each = sqrt(sum(x, N)); loss = mean(each, B)", "loss: [1, 1]")
    session = Answers([Outcome(1)] * 8)
    simulated(plan(loss, "a2a3", B=128, N=4096), loss, session)
    tiles = [line.strip() for line in session.asked[0].splitlines() if "set_vec" in line]
    assert tiles == ["pypto.set_vec_tile_shapes(4, 4096)", "pypto.set_vec_tile_shapes(128, 8)"]


def test_a_product_as_a_kernel() -> None:
    made = contract("a: [M, K] float16; b: [N, K] float16; c: [N]", "y = a @ b.T + c", "y: [M, N]", section="cube")
    (product,) = products_of(made, made.modules[0], {"M": 32, "K": 64, "N": 48})
    source = kernel_source(cube_arguments(product), cube_body(product, (16, 16, 32, 64, 16, 16)))
    assert "b: pypto.Tensor((48, 64), pypto.DT_FP16), bias: pypto.Tensor((1, 48), pypto.DT_FP16)" in source
    assert "pypto.set_cube_tile_shapes([16, 16], [32, 64], [16, 16])" in source
    assert "a_trans=False, b_trans=True, extend_params={'bias_tensor': bias})" in source


@pytest.mark.parametrize("name", sorted(name for name, row in table().items() if row.get("pypto")))
def test_every_operation_of_the_table_makes_python(name: str) -> None:
    text = table()[name]["pypto"].format("a", "b", "c", axis=1, inverse="0.5", dtype="pypto.DT_FP32")
    assert isinstance(ast.parse(text, mode="eval").body, ast.expr)


@pytest.mark.parametrize(
    ("made", "why"),
    (
        (contract("x: [M, N]", "y = cumsum(x, N)", "y: [M, N]"), "the graph API has no cumsum here"),
        (contract("x: [A, B, C, D, E]", "y = exp(x)", "y: [A, B, C, D, E]"), "at most 4 dimensions"),
        (contract("x: [M, N] float8", "y = exp(x)", "y: [M, N] float8"), "y is float8"),
        (contract("x: [M, N]", "y = odd(x)", "y: [M, N]"), "odd is not an operation"),
        (
            contract("x: [M, N]", "y = x * scale", "y: [M, N]", params={"scale": float("inf")}),
            "inf is no number that a kernel",
        ),
    ),
)
def test_what_is_not_written_is_told(made: Contract, why: str) -> None:
    extents = dict.fromkeys("ABCDEMN", 32)
    with pytest.raises(UnwrittenError, match=why):
        work = work_of(made, made.modules[0], extents)
        kernel_source(arguments(work), kernel_body(work, ((work.space, work.space),)))


def test_a_product_of_unlike_dtypes_is_not_written() -> None:
    made = contract("a: [M, K] float32; b: [K, N] float16", "y = a @ b", "y: [M, N]", section="cube")
    (product,) = products_of(made, made.modules[0], {"M": 32, "K": 64, "N": 48})
    with pytest.raises(UnwrittenError, match="a product of float32 and float16"):
        cube_arguments(product)


def test_both_orders_are_shown_and_where_they_differ() -> None:
    first = plan(ROWS, "a2a3", M=128, N=4096)
    count = len(first.modules[0].phases[0].candidates)
    answers = [Outcome(300), Outcome(200), Outcome(None, "Run pass failed."), *[Outcome(400)] * (count - 3)]
    ranked = simulated(first, ROWS, Answers(answers))
    phase = ranked.modules[0].phases[0]
    assert as_data(ranked)["modules"][0]["phases"][0]["simulated_order"][:3] == [2, 1, 4]
    assert next(candidate.tile for candidate in phase.candidates) == (4, 4096)
    assert [candidate.cycles for candidate in phase.candidates][:3] == [300, 200, None]
    assert phase.candidates[2].rejected == "Run pass failed."
    order, difference = phase.notes
    assert order.startswith("in order of simulated cycles: 2, 1, 4")
    assert difference.startswith(
        "the orders differ: the plan begins with (4, 4096), 300 cycles; the simulator with (2, 4096)"
    )


def test_a_module_that_is_not_written_keeps_its_plan() -> None:
    scan = contract("x: [M, N]", "y = cumsum(x, N)", "y: [M, N]")
    module = simulated(plan(scan, "a2a3", M=8, N=64), scan, Answers([])).modules[0]
    assert module.phases[0].candidates
    assert module.notes == ("not simulated: the graph API has no cumsum here",)


def test_the_compilers_words_without_its_stack() -> None:
    said = (
        "RuntimeError: Errcode: FC1001!\nReduce op: the tileShape of last axis need to 32Byte align!, func "
        "ValidateReductionAxis, file reduction.cpp, line 299\nlibtile_fwk_interface.so(+0x5a6999) [0x7f9db47a6999]\n"
    )
    assert words(said) == "RuntimeError: Errcode: FC1001! Reduce op: the tileShape of last axis need to 32Byte align!"


@pytest.mark.skipif(find_spec("pypto") is not None, reason="the compiler is installed")
def test_without_the_compiler_the_install_command_is_named() -> None:
    with pytest.raises(SimulatorError, match=r'pip install "r0kit\[pypto\]"'), Session():
        pass
