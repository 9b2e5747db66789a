"""The table of what a contract consists of: which keys are known, and how much is told."""

from typing import Any

import pytest

from r0kit.contract.structure import has_unknown, structure_faults

TENSOR = {"name": "x", "shape": "[M]", "dtype": "int8"}
WIRE = {**TENSOR, "source": "primary"}
ANY = {"nmae": [{"idd": 3}], 4: 5}
MODULE = {
    **dict.fromkeys(("name", "description", "section", "golden_stage_fn"), "x"),
    "id": 1,
    "golden_steps": ["y = x"],
    "inputs": [WIRE],
    "outputs": [TENSOR],
    "source_lines": [1],
    "boundary": [ANY],
    "traversal": ANY,
    "handoff": [ANY],
    "api": [ANY],
}
WHOLE: dict[str, Any] = {
    "schema_version": 1,
    "op": "f",
    "module_count": 1,
    "has_cross_core": False,
    "is_fusion": False,
    "primary_inputs": [TENSOR],
    "modules": [MODULE],
    "final_outputs": [WIRE],
    "composition_verification": {"atol": 1.0, "rtol": 1.0, "policy": "p", "seeds": [1], "shapes": [ANY]},
    "params": {"a": 1},
    "symbols": [{"name": "K", "origin": "x", "line": 1, "more": 2}],
    "reduction": [ANY],
    "dimensions": [ANY],
    "wrapper": [ANY],
}


def test_every_key_that_means_something_is_known() -> None:
    assert not has_unknown(WHOLE)
    assert structure_faults(WHOLE) == []


@pytest.mark.parametrize(
    "data",
    [
        {"opp": "f"},
        {**WHOLE, "opp": "f"},
        {**WHOLE, 3: "f"},
        {"modules": [MODULE, {**MODULE, "sections": "x"}]},
        {"modules": [{"inputs": [{**WIRE, "at": 1}]}]},
        {"modules": [{"outputs": [WIRE]}]},
        {"primary_inputs": [WIRE]},
        {"final_outputs": [{"value": "x"}]},
        {"composition_verification": {"seed": 1}},
    ],
)
def test_a_key_that_means_nothing_where_it_stands(data: Any) -> None:
    assert has_unknown(data)


@pytest.mark.parametrize(
    "data", [None, 3, [{"opp": 1}], {"modules": {"opp": 1}}, {"modules": [3, [ANY]]}, {"params": [ANY]}]
)
def test_what_has_no_keys_of_a_contract_has_no_unknown_ones(data: Any) -> None:
    assert not has_unknown(data)


def test_ten_thousand_faults_are_told() -> None:
    data = {**WHOLE, "modules": [{**MODULE, "source_lines": ["x"] * 7_000}] * 3}
    assert len(structure_faults(data)) == 10_000
