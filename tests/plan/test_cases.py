"""The base test cases: concrete extents, each checked against the plan."""

from __future__ import annotations

from planning import contract, plan

from r0kit.plan import BaseCase
from r0kit.plan.cases import KINDS

ONLINE = contract(
    "x: [M, N]",
    "m = amax(x, N); s = sum(exp(x - m), N)",
    "m: [M, 1]; s: [M, 1]",
    algorithm="online",
)
RESIDENT = contract("x: [M, N]", "e = exp(x - amax(x, N)); y = e / sum(e, N)", "y: [M, N]")


def cases(made: object, **extents: int) -> dict[str, BaseCase]:
    """The cases of the only Module, by kind."""
    return {case.kind: case for case in plan(made, "a2a3", **extents).modules[0].cases}  # type: ignore[arg-type]


def test_four_cases_with_extents_from_the_tile() -> None:
    found = cases(ONLINE, M=256, N=1024)
    assert tuple(found) == KINDS
    assert [dict(case.extents) for case in found.values()] == [
        {"M": 16, "N": 1024},
        {"M": 16, "N": 1023},
        {"M": 15, "N": 1023},
        {"M": 33, "N": 2049},
    ]
    assert found["several tiles with a tail"].tiles == (("M", 3, 1), ("N", 3, 1))
    assert all(case.served for case in found.values())


def test_the_aligned_case_is_aligned_where_the_plan_is_not() -> None:
    assert dict(cases(ONLINE, M=3, N=1001)["aligned"].extents) == {"M": 3, "N": 1000}


def test_states_are_named_where_they_are_carried() -> None:
    states = {"algorithm": "online", "state": [{"name": "m"}, {"name": "s"}]}
    module = ONLINE.modules[0]._replace(traversal=states)
    several = cases(ONLINE._replace(modules=(module,)), M=256, N=1024)["several tiles with a tail"]
    assert "m, s carried over the tiles of N" in several.says


def test_an_axis_that_stays_whole_is_held_while_it_fits() -> None:
    several = cases(RESIDENT, M=64, N=4096)["several tiles with a tail"]
    assert several.served
    assert "N held whole" in several.says


def test_an_axis_that_outgrows_ub_goes_back_to_r0_and_the_case_stays() -> None:
    module = plan(RESIDENT, "a2a3", M=64, N=16_384).modules[0]
    several = {case.kind: case for case in module.cases}["several tiles with a tail"]
    assert (several.served, several.extents["N"]) == (False, 32_769)
    assert several.says.startswith("back to R0: N is traversed again")
    assert module.failures == (f"test case 'several tiles with a tail': {several.says}",)


def test_a_case_stays_within_the_bound_of_spec() -> None:
    bounded = RESIDENT._replace(reduction=({"axis": "N", "bound": 16_384},))
    several = cases(bounded, M=64, N=16_384)["several tiles with a tail"]
    assert several.served
    assert several.extents == {"M": 3, "N": 16_384}


def test_a_shape_without_symbols_has_no_cases_to_bind() -> None:
    found = cases(contract("x: [16, 512]", "y = exp(x)", "y: [16, 512]"))
    assert all(not case.extents and "one shape" in case.says for case in found.values())


def test_one_axis_cannot_have_two_tails() -> None:
    found = cases(contract("x: [N]", "y = exp(x)", "y: [N]"), N=100_000)
    assert dict(found["one tail"].extents) == {"N": 16_383}
    assert found["two tails"].says == "1 of the axes have tiles longer than 1"


def test_an_axis_whose_extent_is_an_expression_stays_as_it_is() -> None:
    found = cases(contract("x: [M, 2 * N]", "y = exp(x)", "y: [M, 2 * N]"), M=64, N=512)
    assert dict(found["aligned"].extents) == {"M": 16}


def test_a_sorted_axis_is_named() -> None:
    sort = contract("x: [M, N]", "y = cumsum(x, N)", "y: [M, N]")
    several = cases(sort, M=8, N=20_000)["several tiles with a tail"]
    assert not several.served
    assert several.says.startswith("back to R0: N is sorted or scanned")
