"""The skeleton: what signature and SPEC are certain of, and TODO with a comment for the rest."""

from dataclasses import replace

import yaml

from r0kit.contract.skeleton import SEEDS, Skeleton, skeleton
from r0kit.contract.write import data_text
from r0kit.golden.signature import find_golden
from r0kit.spec import Case, Spec, TensorSpec, Tolerance

GOLDEN = "def f_golden(x, w, bias=None, eps=1e-5):\n    y = x * w\n    return y, y + eps\n"
SPEC = Spec(
    "SPEC.md",
    op_name="f",
    inputs=(TensorSpec("x", ("M", "2*N"), "float16"), TensorSpec("w", ("N",), "float64")),
    outputs=(TensorSpec("y"), TensorSpec("z")),
    tolerance=Tolerance(1e-05, 0.0),
    p0_cases=(
        Case("a", input_shapes={"x": (4, 16), "w": (8,)}),
        Case("again", input_shapes={"x": (4, 16), "w": (8,)}),
        Case("b", input_shapes={"x": (3, 10), "w": (5,)}),
    ),
)


def drawn(spec: Spec | None, source: str = GOLDEN) -> Skeleton:
    return skeleton(find_golden(source, "f_golden.py", None, spec), spec)


def test_what_is_certain() -> None:
    data, _, findings = drawn(SPEC)
    assert data["primary_inputs"] == [
        {"name": "x", "shape": "[M, 2*N]", "dtype": "float16"},
        {"name": "w", "shape": "[N]", "dtype": "float32"},
    ]
    assert data["final_outputs"] == [{"name": "y", "source": "TODO"}, {"name": "z", "source": "TODO"}]
    assert data["composition_verification"] == {
        "atol": 1e-05,
        "rtol": 0.0,
        "seeds": list(SEEDS),
        "shapes": [{"M": 4, "N": 8}, {"M": 3, "N": 5}],
    }
    assert [(finding.rule, finding.severity.value) for finding in findings] == [("gen.optional", "note")]


def test_it_is_read_back_as_it_was() -> None:
    data, comments, _ = drawn(SPEC)
    assert yaml.safe_load(data_text(data, comments)) == data


def test_a_policy_takes_the_place_of_bounds() -> None:
    data, comments, _ = drawn(replace(SPEC, tolerance=Tolerance(policy="pro_scheme_a")))
    assert data["composition_verification"]["policy"] == "pro_scheme_a"
    assert not {"atol", "rtol"} & data["composition_verification"].keys()
    assert ("composition_verification", "rtol") not in comments


def test_an_optional_tensor_that_spec_lists_is_bound() -> None:
    bound = replace(SPEC, inputs=(*SPEC.inputs, TensorSpec("bias", ("N",), "float16")))
    assert [entry["name"] for entry in drawn(bound).data["primary_inputs"]] == ["x", "w", "bias"]


def test_a_case_that_leaves_a_symbol_open_is_named() -> None:
    short = replace(SPEC, p0_cases=(*SPEC.p0_cases, Case("short", input_shapes={"w": (8,)})))
    data, _, findings = drawn(short)
    assert len(data["composition_verification"]["shapes"]) == 2
    assert "p0 case short is left out: it does not determine M" in [finding.message for finding in findings]


def test_extents_stand_in_for_a_shape_that_spec_lacks() -> None:
    bare = replace(
        SPEC, inputs=(), p0_cases=(Case("a", input_shapes={"x": (4, 16)}), Case("b", input_shapes={"x": (4, 16)}))
    )
    data, comments, _ = drawn(bare)
    assert data["primary_inputs"][0] == {"name": "x", "shape": "[4, 16]", "dtype": "TODO"}
    assert comments["primary_inputs", 0] == "SPEC does not say the dtype"
    differing = replace(bare, p0_cases=(*bare.p0_cases, Case("c", input_shapes={"x": (1, 1)})))
    assert drawn(differing).data["primary_inputs"][0]["shape"] == "TODO"


def test_without_anything() -> None:
    data, comments, _ = drawn(None, "def f_golden():\n    pass\n")
    assert (data["primary_inputs"], data["final_outputs"]) == ([], "TODO")
    assert ("final_outputs",) in comments
    assert yaml.safe_load(data_text(data, comments)) == data
