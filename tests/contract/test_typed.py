"""Document -> Contract."""

import json

import pytest
import yaml

from r0kit.contract.model import PRIMARY, Contract, Module, Tensor, Verification, Wire
from r0kit.contract.read import parse
from r0kit.contract.typed import contract_of
from r0kit.finding import InputError

TEXT = """\
op: scale
module_count: 2
is_fusion: true
primary_inputs: [{name: x, shape: [M, 4], dtype: float16}]
modules:
  - {id: 1, section: cube, inputs: [{name: x, source: primary}], outputs: [{name: t}], note: kept}
  - id: 2
    name: scale
    golden_steps: [y = t * 2]
    inputs: [{name: t, source: phase_1}]
    outputs: [{name: y, shape: "[M, 4]", dtype: 7}]
    source_lines: [3, 4]
final_outputs: [{name: y, source: module_2}]
composition_verification: {atol: 1e-3, rtol: 0.5, seeds: [1, x], shapes: [{M: 2}, 3]}
"""


def test_every_part_of_the_contract() -> None:
    assert contract_of(parse(TEXT, "c.yaml")) == Contract(
        op="scale",
        module_count=2,
        is_fusion=True,
        primary_inputs=(Tensor("x", "[M, 4]", "float16"),),
        modules=(
            Module(1, "", "", "cube", (), (Wire("x", PRIMARY),), (Tensor("t"),), extra={"note": "kept"}),
            Module(
                *(2, "scale", "", "", ("y = t * 2",), (Wire("t", 1),), (Tensor("y", "[M, 4]"),)), source_lines=(3, 4)
            ),
        ),
        final_outputs=(Wire("y", 2),),
        verification=Verification(atol=None, rtol=0.5, seeds=(1,), shapes=({"M": 2},)),
    )


RECORD = {"kind": "other", "n": 1}  # a record whose keys no rule names


@pytest.mark.parametrize(
    ("key", "value", "kept"),
    [
        ("schema_version", 1, 1),
        ("has_cross_core", True, True),
        ("params", RECORD, RECORD),
        ("symbols", [{"name": "K"}], ({"name": "K"},)),
        ("reduction", [RECORD], (RECORD,)),
        ("dimensions", [RECORD], (RECORD,)),
        ("wrapper", ["x", 3], ("x", 3)),
        ("primary_inputs", [], ()),
    ],
)
def test_a_key_of_the_contract(key: str, value: object, kept: object) -> None:
    old = yaml.safe_load(TEXT)
    assert contract_of(parse(json.dumps(old | {key: value}), "c")) == contract_of(parse(TEXT, "c"))._replace(
        **{key: kept}
    )


@pytest.mark.parametrize(
    ("key", "value", "kept"),
    [
        ("description", "twice", "twice"),
        ("golden_stage_fn", "f", "f"),
        ("boundary", [RECORD], (RECORD,)),
        ("traversal", RECORD, RECORD),
        ("handoff", [RECORD], (RECORD,)),
        ("api", [RECORD], (RECORD,)),
    ],
)
def test_a_key_of_a_module(key: str, value: object, kept: object) -> None:
    old = yaml.safe_load(TEXT)
    old["modules"][1][key] = value
    expected = contract_of(parse(TEXT, "c")).modules[1]._replace(**{key: kept})
    assert contract_of(parse(json.dumps(old), "c")).modules[1] == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"atol": 1, "rtol": 0.5, "policy": "p"}, Verification(1, 0.5, "p")),
        ({"atol": True, "rtol": "x", "policy": 3, "seeds": 3, "shapes": 3}, Verification()),
        ({"seeds": [1, "x", 2], "shapes": [{"M": 1}, 3]}, Verification(seeds=(1, 2), shapes=({"M": 1},))),
    ],
)
def test_of_the_verification_what_other_rules_refuse_is_left_out(fields: object, expected: Verification) -> None:
    data = yaml.safe_load(TEXT) | {"composition_verification": fields}
    assert contract_of(parse(json.dumps(data), "c")).verification == expected


def test_what_a_contract_does_not_say() -> None:
    text = "op: f\nmodule_count: 1\nmodules: [{id: 1, inputs: [], outputs: []}]\n"
    assert contract_of(parse(text, "c")) == Contract("f", 1, (), (Module(1, "", "", "", (), (), ()),), ())


@pytest.mark.parametrize(
    ("old", "new", "rule", "place"),
    [
        ("module_count: 2\n", "", "rule0", (1, 1)),
        ("inputs: [{name: t, source: phase_1}]", "inputs: [t]", "rule0", (10, 14)),
        ("source: phase_1", "source: stage_1", "rule2", (10, 32)),
        ("{name: y, source: module_2}", "{name: y}", "rule3", (13, 17)),
        ("{name: y, source: module_2}", "{source: module_2}", "rule3", (13, 26)),
    ],
)
def test_what_has_no_structure_is_refused_with_its_place(old: str, new: str, rule: str, place: tuple[int, int]) -> None:
    with pytest.raises(InputError) as caught:
        contract_of(parse(TEXT.replace(old, new), "c.yaml"))
    (finding,) = caught.value.findings
    assert finding.rule == rule
    assert (finding.location.path, finding.location.line, finding.location.column) == ("c.yaml", *place)
    assert finding.hint


def test_a_source_that_names_nothing_is_quoted() -> None:
    with pytest.raises(InputError, match=r"modules\[1\]\.inputs\[0\] has no name, or no source .*: 'stage_1'"):
        contract_of(parse(TEXT.replace("phase_1", "stage_1"), "c.yaml"))
