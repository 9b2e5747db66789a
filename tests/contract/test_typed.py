"""Document -> Contract."""

import pytest

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


@pytest.mark.parametrize(
    ("old", "new", "rule", "place"),
    [
        ("module_count: 2\n", "", "rule0", (1, 1)),
        ("inputs: [{name: t, source: phase_1}]", "inputs: [t]", "rule0", (10, 14)),
        ("source: phase_1", "source: stage_1", "rule2", (10, 32)),
        ("{name: y, source: module_2}", "{name: y}", "rule3", (13, 17)),
    ],
)
def test_what_has_no_structure_is_refused_with_its_place(old: str, new: str, rule: str, place: tuple[int, int]) -> None:
    with pytest.raises(InputError) as caught:
        contract_of(parse(TEXT.replace(old, new), "c.yaml"))
    (finding,) = caught.value.findings
    assert finding.rule == rule
    assert (finding.location.path, finding.location.line, finding.location.column) == ("c.yaml", *place)
    assert finding.hint
