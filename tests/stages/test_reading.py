"""What a golden is read under: which p0 cases of SPEC are those of the contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from r0kit.contract.read import parse
from r0kit.contract.typed import contract_of
from r0kit.spec import parse_spec
from r0kit.stages.reading import spec_of

CONTRACT = """\
op: op
module_count: 1
primary_inputs: [{name: x, shape: "[B, 8]"}, {name: fc_weight, shape: "[5, 8]"}]
modules: [{id: 1, inputs: [{name: x, source: primary}, {name: fc_weight, source: primary}], outputs: [{name: y}]}]
final_outputs: [{name: y, source: module_1}]
composition_verification: {shapes: [{B: 2}]}
"""
SPEC = """\
---
op_name: op
inputs: [{name: x, shape: [B, 8]}@LISTED]
outputs: [{name: y, shape: [B, 5]}]
p0_shapes: [{x: [3, 8]@GIVEN}]
---
"""
MODEL = "class Model(nn.Module):\n    def forward(self, x):\n        return self.fc(x)\n"
FUNCTION = "def op_golden(x, fc_weight):\n    return x @ fc_weight.T\n"
LISTED, GIVEN = ", {name: fc_weight, shape: [5, 8]}", ", fc_weight: [5, 8]"


@pytest.mark.parametrize(
    ("golden", "listed", "given", "rows"),
    [
        (MODEL, "", "", 3),
        (MODEL, LISTED, GIVEN, 3),
        (MODEL, LISTED, "", 2),
        (FUNCTION, LISTED, GIVEN, 3),
        (FUNCTION, "", "", 2),
    ],
)
def test_a_case_need_not_give_what_the_class_owns(
    tmp_path: Path, golden: str, listed: str, given: str, rows: int
) -> None:
    """A case that gives too little is not taken; then the shape of the contract, which has two rows, is."""
    path = tmp_path / "op_golden.py"
    path.write_text(golden, encoding="utf-8")
    text = SPEC.replace("@LISTED", listed).replace("@GIVEN", given)
    known = spec_of(contract_of(parse(CONTRACT, "c.yaml")), parse_spec(text, "SPEC.md")[0], {}, str(path))
    assert [case.input_shapes["x"] for case in known.p0_cases] == [(rows, 8)]
