"""Which cases are run: shapes, dtypes, ranges, seeds; without torch."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from r0kit.contract.read import parse
from r0kit.contract.typed import contract_of
from r0kit.finding import Severity
from r0kit.spec import Spec, parse_spec
from r0kit.verify.cases import CasePlan, Facts, plan, sizes
from r0kit.verify.derived import MOST_ELEMENTS, derived_bindings, evaluated

CONTRACT = """\
op: pick
module_count: 1
primary_inputs:
  - {name: x, shape: "[M, 2*N]", dtype: float16}
  - {name: rows, shape: "[K]", dtype: int64}
modules: [{id: 1, inputs: [{name: x, source: primary}], outputs: [{name: y}]}]
final_outputs: [{name: y, source: module_1}]
composition_verification: {atol: 0.1, rtol: 0.1, seeds: [7, 8], shapes: [{M: 4, N: 3, K: 2}, {M: 9, N: 1, K: 1}]}
"""
MACHINE: dict[str, Any] = {
    "schema_version": 1,
    "op_name": "pick",
    "supported_dtypes": ["float16", "float32", "int8"],
    "inputs": [
        {"name": "x", "shape": ["M", "2*N"], "dtype": "float16", "value_range": [-3, 5]},
        {"name": "rows", "shape": ["K"], "dtype": "int64", "value_range": [0, 100]},
    ],
    "outputs": [{"name": "y", "shape": ["K", "2*N"], "dtype": "float16"}],
    "default_params": {"scale": 2.0},
    "tolerance": {"atol": 0.1, "rtol": 0.1},
    "dynamic_axes_ranges": {"M": [2, 64], "N": [1, 4096]},
    "p0_cases": [{"name": "p0", "params": {}, "input_shapes": {"x": [4, 6], "rows": [2]}, "output_shapes": {}}],
}
FACTS = Facts(indices={"rows": ("M",)})


def cases_of(
    machine: dict[str, Any] = MACHINE, facts: Facts = FACTS, text: str = CONTRACT, **options: Any
) -> tuple[list[CasePlan], list[str]]:
    spec, _ = parse_spec(f"# pick\n\n```json machine-contract\n{json.dumps(machine)}\n```\n", "SPEC.md")
    found, faults = plan(contract_of(parse(text, "c.yaml")), spec, facts, **options)
    return list(found), [fault.message for fault in faults]


def test_p0_cases_then_other_shapes_then_dtypes_then_tails() -> None:
    found, faults = cases_of()
    assert faults == []
    assert [case.id for case in found] == [
        "p0-seed7",
        "p0-seed8",
        "shape_2-seed7",
        "shape_2-seed8",
        "p0-float32-seed7",
        "tail_ones-seed7",
        "tail_odd-seed7",
        "tail_M-seed7",
        "tail_N-seed7",
    ]
    assert found[0].bindings == {"M": 4, "N": 3, "K": 2}
    assert found[0].params == {"scale": 2.0}
    x, _ = found[2].tensors
    assert (x.shapes, x.dtype, x.low, x.high) == (((9, 2),), "float16", -3, 5)
    assert found[4].tensors[0].dtype == "float32"
    assert [case.bindings["M"] for case in found[5:]] == [2, 3, 63, 3]
    assert [case.bindings["N"] for case in found[5:]] == [1, 5, 5, 131]


def test_seeds_can_be_chosen() -> None:
    assert {case.seed for case in cases_of(seeds=(3,))[0]} == {3}


def test_an_index_stays_inside_what_it_points_into() -> None:
    found, _ = cases_of()
    assert {(case.bindings["M"], case.tensors[1].high) for case in found} == {
        (m, float(m - 1)) for m in (4, 9, 2, 3, 63)
    }
    assert {case.tensors[1].low for case in found} == {0.0}
    free = json.loads(json.dumps(MACHINE))
    del free["inputs"][1]["value_range"]
    assert [(t.low, t.high) for t in cases_of(free, Facts())[0][0].tensors] == [(-3, 5), (-8.0, 7.0)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"params": {"mode": 2}}, "the contract holds for mode = 1, and the case has 2"),
        ({"input_shapes": {"x": [4, 6]}}, "it differs from the contract in its inputs (rows)"),
    ],
)
def test_a_case_of_another_contract_is_left_out_and_named(change: dict[str, Any], said: str) -> None:
    other = {**MACHINE["p0_cases"][0], "name": "other", **change}
    facts = replace(FACTS, folded={"mode": 1})
    found, faults = cases_of(MACHINE | {"p0_cases": [*MACHINE["p0_cases"], other]}, facts)
    assert [fault for fault in faults if said in fault and "other is left out" in fault]
    assert not [case for case in found if case.shape == "other"]


def test_dtypes_and_special_values_of_a_p0_case() -> None:
    special = {
        **MACHINE["p0_cases"][0],
        "name": "special",
        "dtypes": {"x": "bfloat16"},
        "input_special_values": {"x": ["inf"]},
    }
    found, _ = cases_of(MACHINE | {"p0_cases": [*MACHINE["p0_cases"], special]})
    [case] = [case for case in found if case.shape == "special" and case.seed == 7]
    assert (case.variant, case.tensors[0].dtype, case.tensors[0].special) == ("bfloat16", "bfloat16", ["inf"])


def test_a_shape_that_does_not_fit_is_an_error() -> None:
    _, faults = cases_of(text=CONTRACT.replace('"[M, 2*N]"', '"[M, N, 3]"'))
    assert "x is declared [M, N, 3], and p0 case p0 gives it [4, 6]" in faults
    contract = contract_of(parse(CONTRACT.replace("{M: 9, N: 1, K: 1}", "{M: 9}"), "c.yaml"))
    _, found = plan(contract, None, Facts())
    assert [fault.severity for fault in found] == [None]
    assert "does not say how large x [M, 2*N] is" in found[0].message


def test_without_spec_the_contract_says_it_all() -> None:
    found, faults = plan(contract_of(parse(CONTRACT, "c.yaml")), None, FACTS)
    assert faults == ()
    assert [case.id for case in found] == ["shape_1-seed7", "shape_1-seed8", "shape_2-seed7", "shape_2-seed8"]


def test_lists_are_planned_member_by_member() -> None:
    machine = json.loads(json.dumps(MACHINE))
    machine["inputs"][1] |= {"is_list": True}
    machine["p0_cases"][0]["input_shapes"]["rows"] = [[2], [5]]
    found, faults = cases_of(machine)
    assert faults == []
    assert found[0].tensors[1].shapes == ((2,), (5,))
    assert not [case for case in found if case.derived]


@pytest.mark.parametrize(
    ("constraint", "values", "expected"),
    [
        ("K % 32 == 0", {"K": 64}, True),
        ("D == 2 * P", {"D": 5, "P": 2}, False),
        ("1 <= K < 4", {"K": 4}, False),
        ("A * (B // A) == B and A > 1", {"A": 2, "B": 6}, True),
        ("K % Z == 0", {"K": 4, "Z": 0}, None),
        ("unknown == 1", {}, None),
        ("__import__('os')", {}, None),
        ("(" * 500, {}, None),
    ],
)
def test_constraints(constraint: str, values: dict[str, int], expected: bool | None) -> None:
    assert evaluated(constraint, values) is expected


def test_derived_shapes_keep_ranges_constraints_and_the_budget() -> None:
    ranges = {"B": (1, 8), "Hq": (1, 64), "Hk": (1, 64), "S": (1, 131072), "D": (64, 128), "K": (32, 4096)}
    first = {"B": 1, "Hq": 6, "Hk": 2, "S": 5, "D": 64, "K": 64, "fixed": 9}
    constraints = ["Hq % Hk == 0", "K % 32 == 0", "S != 3"]
    found = derived_bindings(ranges, first, constraints, {})
    assert found
    for bindings in found.values():
        assert all(low <= bindings[symbol] <= high for symbol, (low, high) in ranges.items())
        assert all(evaluated(constraint, bindings) for constraint in constraints)
        assert bindings["fixed"] == 9
        total = 1
        for extent in bindings.values():
            total *= extent
        assert total <= MOST_ELEMENTS


def test_without_ranges_nothing_is_derived() -> None:
    assert derived_bindings({}, {"M": 4}, [], {}) == {}


def test_sizes_of_a_shape() -> None:
    assert sizes("[M, N // 2, 8]", {"M": 3, "N": 9}) == [3, 4, 8]
    assert sizes("[L]", {}) == [None]
    assert sizes("[]", {}) == []


def test_severities_of_what_is_left_out() -> None:
    spec = Spec("SPEC.md")
    _, faults = plan(contract_of(parse(CONTRACT, "c.yaml")), spec, FACTS)
    assert all(fault.severity in (None, Severity.WARNING) for fault in faults)
