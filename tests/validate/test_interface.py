"""rule16: primary inputs and final outputs beside small goldens, each with a verdict that follows from both."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from judged import marked

from r0kit.contract.read import parse
from r0kit.finding import Finding
from r0kit.golden.read import program_of
from r0kit.spec import Spec, TensorSpec
from r0kit.validate import Golden, validate_document

TWICE = "def f_golden(x):\n    t = x + 1\n    y = t * 2\n    return y\n"
BOTH = "def f_golden(x, z):\n    y = x * z\n    return y\n"
M_N = "[M, N]"
CASE = {"M": 4, "N": 8}


def tensor(name: str, shape: Any = M_N, dtype: str | None = "float32") -> dict[str, Any]:
    said = {"name": name, "shape": shape, "dtype": dtype}
    return {key: value for key, value in said.items() if value is not None}


def contract(
    primary: Iterable[Mapping[str, Any]] | None = (tensor("x"),),
    outputs: Iterable[Mapping[str, Any]] = (tensor("y"),),
    finals: Iterable[Mapping[str, str]] | None = ({"name": "y", "source": "module_1"},),
) -> dict[str, Any]:
    module = {"id": 1, "section": "vector", "inputs": [{"name": "q", "source": "primary"}], "outputs": list(outputs)}
    data = {"op": "f", "module_count": 1, "primary_inputs": primary, "modules": [module], "final_outputs": finals}
    return {key: value for key, value in data.items() if value is not None}


def findings(
    golden: str,
    data: Mapping[str, Any],
    spec: Mapping[str, tuple[str, str]] = {"x": ("M N", "float32")},
    stated: Iterable[str] | None = None,
    dtypes: Iterable[str] = (),
    cases: Iterable[Mapping[str, int]] = (CASE,),
) -> list[Finding]:
    """What rule16 says of a contract beside a golden whose SPEC gives shapes and dtypes (of all inputs: stated is None)."""
    inputs = tuple(TensorSpec(name, tuple(shape.split()), dtype) for name, (shape, dtype) in spec.items())
    program = program_of(golden, "<golden>", Spec("SPEC.md", "f", inputs=inputs))
    beside = Golden(program, frozenset(spec if stated is None else stated), frozenset(dtypes), tuple(cases))
    found = validate_document(parse(json.dumps(data, indent=1), "contract.yaml"), beside).findings
    return [finding for finding in found if finding.rule == "rule16"]


def said(golden: str, data: Mapping[str, Any], **known: Any) -> list[str]:
    return [finding.message for finding in findings(golden, data, **known)]


def told(golden: str, data: Mapping[str, Any], **known: Any) -> tuple[str, str, str]:
    """The mark, the message and the hint of the only finding."""
    (found,) = findings(golden, data, **known)
    return marked(json.dumps(data, indent=1), found.location).strip('"{}[]:, '), found.message, found.hint


def test_a_contract_that_agrees() -> None:
    assert said(TWICE, contract()) == []


# Primary inputs

TWO = {"x": ("M N", "float32"), "z": ("M N", "float32")}


def test_an_input_that_the_golden_does_not_bind() -> None:
    assert told(TWICE, contract([tensor("x"), tensor("xx")])) == (
        *("xx", "the golden binds no tensor parameter 'xx'", "did you mean 'x'?"),
    )


def test_an_input_without_a_name_is_left_to_rule0() -> None:
    assert said(TWICE, contract([tensor("x"), {"shape": M_N}])) == []


def test_an_input_that_is_missing() -> None:
    fault = "the golden's input 'z' is no primary input", "add - {name: z}"
    assert told(BOTH, contract(), spec=TWO) == ("primary_inputs", *fault)
    (found,) = findings(TWICE, contract(None))
    assert (found.message, found.location[1:3]) == ("the golden's input 'x' is no primary input", (1, 1))


def test_inputs_in_another_order() -> None:
    assert told(BOTH, contract([tensor("z"), tensor("x")]), spec=TWO) == (
        *("primary_inputs", "primary_inputs are in the order z, x", "the golden's is x, z"),
    )


def test_a_rank_and_a_dtype_that_spec_does_not_give() -> None:
    wrong = contract([tensor("x", "[M]")], [tensor("y", None)])
    assert told(TWICE, wrong)[:2] == ("[M]".strip("[]"), "'x' has the shape [M], and SPEC says [M, N]")
    wrong = contract([tensor("x", dtype="int8")])
    assert told(TWICE, wrong)[:2] == ("int8", "'x' is int8 here, and float32 in SPEC")
    assert said(TWICE, wrong, dtypes=("int8",)) == []
    assert said(TWICE, contract([tensor("x", dtype="fp32")])) == []


def test_what_spec_does_not_give_is_not_compared() -> None:
    wrong = contract([tensor("x", "[M]", "int8")], [tensor("y", "[M]", "int8")])
    assert said(TWICE, wrong, stated=()) == []
    assert said(BOTH, contract([tensor("x"), tensor("z", "[M]", "int8")]), spec=TWO, stated=("x",)) == []


def test_what_the_contract_does_not_say_is_not_compared() -> None:
    assert said(TWICE, contract([tensor("x", None, None)], [tensor("y", None, None)])) == []


@pytest.mark.parametrize(
    ("read", "declared"), [("float64", "float32"), ("float8_e4m3fn", "float8"), ("float8_e5m2", "float8")]
)
def test_dtypes_that_a_contract_calls_otherwise(read: str, declared: str) -> None:
    moved = "def f_golden(x):\n    y = x.transpose(0, 1)\n    return y\n"
    data = contract([tensor("x", dtype=declared)], [tensor("y", "[N, M]", declared)])
    assert said(moved, data, spec={"x": ("M N", read)}) == []


# Final outputs


def test_another_number_of_final_outputs() -> None:
    golden = TWICE.replace("return y", "return y, t")
    message = "there are 1 final outputs, and the golden returns 2 (y, t)"
    assert told(golden, contract()) == (
        "final_outputs",
        message,
        "list each returned value once, in the golden's order",
    )
    nothing = TWICE.replace("    return y\n", "")
    assert said(nothing, contract()) == ["there are 1 final outputs, and the golden returns 0 (nothing)"]
    (found,) = findings(TWICE, contract(finals=None))
    assert (found.message, found.location[1:3]) == ("there are 0 final outputs, and the golden returns 1 (y)", (1, 1))


def test_a_final_output_without_a_name_is_left_to_rule3() -> None:
    finals = [{"name": "y", "source": "module_1"}, {"source": "module_1"}]
    assert said(TWICE, contract(finals=finals)) == []


def _final(name: str) -> list[dict[str, str]]:
    return [{"name": name, "source": "module_1"}]


def test_a_final_output_that_is_another_value_of_the_golden() -> None:
    wrong = contract(outputs=[tensor("t")], finals=_final("t"))
    message = "the golden returns y here, not 't'"
    assert told(TWICE, wrong) == ("t", message, "name the Module that writes y")


def test_a_final_output_of_a_name_that_the_golden_does_not_have() -> None:
    assert said(TWICE, contract(outputs=[tensor("other")], finals=_final("other"))) == []
    wrong = contract(outputs=[tensor("other", dtype="int8")], finals=_final("other"))
    assert told(TWICE, wrong) == ("int8", "'other' is int8 here, and float32 in the golden", "write float32")


def test_a_returned_value_has_two_names() -> None:
    golden = "def f_golden(x):\n    x = x * 2\n    return x\n"
    assert said(golden, contract(outputs=[tensor("x_new")], finals=_final("x_new"))) == []
    assert said(golden, contract(outputs=[tensor("x")], finals=_final("x"))) == []


def test_what_is_returned_under_the_name_of_another_value() -> None:
    golden = "def f_golden(x):\n    a = x * 2\n    b = a + 1\n    return {'a': b, 'c': b}\n"
    data = contract(outputs=[tensor("a"), tensor("c")], finals=[*_final("a"), *_final("c")])
    assert said(golden, data) == []


def test_a_final_output_from_the_primary_inputs_is_left_to_rule3() -> None:
    golden = "def f_golden(x):\n    y = x.amax(-1)\n    return y\n"
    assert said(golden, contract(finals=[{"name": "x", "source": "primary"}])) == []


def test_final_outputs_that_nothing_makes() -> None:
    assert said(TWICE, contract(outputs=[])) == []
    assert said("def f_golden(x):\n    return x\n", contract(outputs=[tensor("x", "[M]")], finals=_final("x"))) == []


@pytest.mark.parametrize(
    ("shape", "shown"),
    [
        ("[N, M]", "[N, M]"),
        (["N", "M"], "[N, M]"),
        (" [N, M] ", "[N, M]"),
        ([4, 9], "[4, 9]"),
        ("[M, N + 1]", "[M, N + 1]"),
        ("[]", "[]"),
        ("[ ]", "[]"),
        ([], "[]"),
        ("[M]", "[M]"),
    ],
)
def test_shapes_that_differ(shape: Any, shown: str) -> None:
    found = findings(TWICE, contract(outputs=[tensor("y", shape)]))
    assert [f.message for f in found] == [f"'y' has the shape {shown}, and the golden returns [M, N]"]
    lines = json.dumps(contract(outputs=[tensor("y", shape)]), indent=1).splitlines()
    assert lines[found[0].location.line - 1].strip().startswith('"shape"')


@pytest.mark.parametrize(
    "shape",
    [
        *("[M, N]", "[4, 8]", [4, "N"], "[M, 2 * M]", "[M, 2 * N - N]"),
        *("[M, K]", "[M, N // (M - 4)]"),  # nobody knows how much that is
        *("[M, N", "M?", {"M": 1}),  # no shape: rule5 says so
    ],
)
def test_shapes_that_do_not_differ_as_far_as_can_be_told(shape: Any) -> None:
    assert said(TWICE, contract(outputs=[tensor("y", shape)])) == []


def test_symbols_of_the_contract_are_those_of_spec_by_their_position() -> None:
    primary = [tensor("x", "[rows, columns]")]
    assert said(TWICE, contract(primary, [tensor("y", "[rows, columns]")])) == []
    assert said(TWICE, contract(primary, [tensor("y", "[columns, rows]")])) == [
        "'y' has the shape [columns, rows], and the golden returns [M, N]"
    ]


def test_numbers_are_compared_without_any_case() -> None:
    spec = {"x": ("4 8", "float32")}
    data = contract([tensor("x", "[4, 8]")], [tensor("y", "[4, 9]")])
    assert said(TWICE, data, spec=spec, cases=()) == ["'y' has the shape [4, 9], and the golden returns [4, 8]"]


def test_outputs_of_other_inputs_may_have_other_dtypes() -> None:
    half = {"x": ("M N", "float16"), "z": ("M N", "float16")}
    same = [tensor("x", dtype="float16"), tensor("z", dtype="float16")]
    other = [tensor("x", dtype="float16"), tensor("z", dtype="float32")]
    known = {"spec": half, "dtypes": ("float32",)}
    assert said(BOTH, contract(same), **known) == ["'y' is float32 here, and float16 in the golden"]
    assert said(BOTH, contract(other), **known) == []
    silent = [tensor("x", dtype=None), tensor("z", dtype="float16")]
    assert len(said(BOTH, contract(silent), **known)) == 1
