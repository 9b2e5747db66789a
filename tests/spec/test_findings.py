"""Contradictions in a SPEC: each is found, at the line where it stands."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from r0kit.finding import Severity
from r0kit.spec import parse_spec

from .test_forms import CONTRACT, markdown

Change = Callable[[dict[str, Any]], None]


def found(text: str) -> list[tuple[str, str, str, str]]:
    """(rule, severity, line as written, message) of every finding."""
    lines = text.split("\n")
    _, findings = parse_spec(text, "SPEC.md")
    for finding in findings:
        assert finding.hint
        assert finding.location.path == "SPEC.md"
        assert 1 <= finding.location.column <= len(lines[finding.location.line - 1]) + 1
    return [(f.rule, f.severity.value, lines[f.location.line - 1].strip(), f.message) for f in findings]


def case(key: str, value: Any) -> Change:
    return lambda contract: contract["p0_cases"][0].update({key: value})


def top(key: str, value: Any) -> Change:
    return lambda contract: contract.update({key: value})


def tensor(key: str, value: Any) -> Change:
    return lambda contract: contract["inputs"][1].update({key: value})


ERRORS: list[tuple[Change, str, str]] = [
    (case("input_shapes", {"x": [4, 128, 1], "w": [64]}), "spec.rank", "gives x the shape [4, 128, 1], but SPEC declares"),
    (case("input_shapes", {"x": [4, 126], "w": [64]}), "spec.extent", "the extent 126, but 2*N is 128 where N = 64"),
    (case("output_shapes", {"y": [5, 128]}), "spec.output-shape", "dimension 0 of y the extent 5, but M is 4 by x"),
    (case("output_shapes", {"y": [4]}), "spec.rank", "gives y the shape [4]"),
    (case("input_shapes", {"X": [4, 128], "w": [64]}), "spec.case-name", "names X, which SPEC does not declare"),
    (case("output_shapes", {"z": [4, 128]}), "spec.case-name", "output_shapes of small names z"),
    (case("dtypes", {"v": "float16"}), "spec.case-name", "dtypes of small names v"),
    (case("dtypes", {"x": "float17"}), "spec.dtype", "the dtype of x in small is 'float17'"),
    (case("input_shapes", {"x": [4, 0], "w": [64]}), "spec.extent", "an extent of x in input_shapes of small is 0"),
    (case("input_shapes", {"x": [4, 2**70], "w": [64]}), "spec.extent", "is 1180591620717411303424"),
    (case("input_shapes", {"x": [4, "N"], "w": [64]}), "spec.type", "is 'N', not a positive integer"),
    (case("input_shapes", {"x": 4, "w": [64]}), "spec.type", "x in input_shapes of small is 4, not a list of integers"),
    (case("input_shapes", [4]), "spec.type", "input_shapes of small is a list, not a mapping"),
    (tensor("name", "x"), "spec.repeated", "the input x occurs twice; the first is at line"),
    (tensor("name", None), "spec.name", "inputs[1] has no name"),
    (tensor("dtype", "flaot32"), "spec.dtype", "the dtype of w is 'flaot32'"),
    (tensor("shape", ["N/2"]), "spec.dimension", "a dimension of w is 'N/2', which is no expression"),
    (tensor("shape", [0]), "spec.dimension", "a dimension of w is 0"),
    (tensor("shape", [1.5]), "spec.type", "a dimension of w is 1.5"),
    (tensor("shape", "M by N"), "spec.type", "the shape of w is 'M by N'"),
    (tensor("shape", ["(" * 500 + "N" + ")" * 500]), "spec.dimension", "which is no expression"),
    (tensor("value_range", [3, -3]), "spec.range", "value_range of w begins at 3.0 and ends at -3.0"),
    (tensor("value_range", [1]), "spec.type", "value_range of w is a list, not a list of two numbers"),
    (tensor("is_list", "yes"), "spec.type", "is_list is 'yes', not true or false"),
    (top("tolerance", {"atol": "nan", "rtol": 0}), "spec.type", "atol is 'nan', not a finite number"),
    (top("tolerance", {"atol": "Infinity", "rtol": 0}), "spec.type", "atol is 'Infinity'"),
    (top("tolerance", {"atol": True, "rtol": 0}), "spec.type", "atol is true"),
    (top("tolerance", {"atol": -0.1, "rtol": 0}), "spec.tolerance", "atol is -0.1, which is negative"),
    (top("tolerance", 0.1), "spec.type", "tolerance is 0.1, not a mapping"),
    (top("tolerance", {"policy": "pro_scheme_z"}), "spec.policy", "the tolerance policy 'pro_scheme_z' is unknown"),
    (top("dynamic_axes_ranges", {"M": [64, 1]}), "spec.range", "the range of M begins at 64 and ends at 1"),
    (top("dynamic_axes_ranges", {"M": 64}), "spec.type", "the range of M is 64"),
    (top("dynamic_axes_ranges", [[1, 2]]), "spec.axes", "has 1 entries for 0 dynamic axes"),
    (top("inputs", 5), "spec.type", "inputs is 5, not a list"),
    (top("inputs", ["x"]), "spec.type", "inputs[0] is 'x', not a mapping"),
    (top("p0_cases", [5]), "spec.type", "p0_cases[0] is 5"),
    (top("default_params", [1]), "spec.type", "default_params is a list"),
    (top("op_name", ["a"]), "spec.type", "op_name is a list, not a string"),
    (top("supported_dtypes", ["complex64"]), "spec.dtype", "a supported dtype is 'complex64'"),
    (lambda c: c["p0_cases"].append(copy.deepcopy(c["p0_cases"][0])), "spec.repeated", "the p0 case small occurs twice"),
]  # fmt: skip

WARNINGS: list[tuple[Change, str, str]] = [
    (case("input_shapes", {"x": [65, 128], "w": [64]}), "spec.axes", "has M = 65, outside its range [1, 64]"),
    (case("params", {"esp": 1e-6}), "spec.params", "params of small sets esp, which default_params does not have"),
    (case("input_shapes", {"x": [4, 128]}), "spec.case-shape", "small gives no shape to the input w"),
    (tensor("dtype", "float64"), "spec.float64", "the dtype of w is float64; the contract declares float32"),
    (tensor("dtype", "int32"), "spec.supported-dtypes", "w is int32, which supported_dtypes does not list"),
    (tensor("dtype", ["float16", "float32"]), "spec.dtype", "w has several dtypes; float16 counts"),
    (top("dynamic_axes_ranges", {"K": [1, 2]}), "spec.axes", "dynamic_axes_ranges names K, which no shape has"),
    (top("input", []), "spec.key", "the key 'input' says nothing to r0kit"),
    (lambda c: c["inputs"][1].update(shape=["K*L"]), "spec.unbound", "small does not determine L of w"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "rule", "message"), ERRORS + WARNINGS)
def test_a_contradiction_is_found(change: Change, rule: str, message: str) -> None:
    contract = copy.deepcopy(CONTRACT)
    change(contract)
    text = markdown(contract)
    matching = [entry for entry in found(text) if entry[0] == rule and message in entry[3]]
    assert len(matching) == 1, found(text)
    expected = Severity.WARNING if (change, rule, message) in WARNINGS else Severity.ERROR
    assert matching[0][1] == expected.value


def test_findings_stand_at_the_value() -> None:
    contract = copy.deepcopy(CONTRACT)
    contract["p0_cases"][0]["input_shapes"]["x"][1] = 130  # type: ignore[index]
    assert ("spec.extent", "error", "130") in [entry[:3] for entry in found(markdown(contract))]


def test_keys_and_contracts_given_twice() -> None:
    text = '```json machine-contract\n{"op_name": "a",\n "op_name": "b", "default_params": {"e": 1,\n"e": 2}}\n```\n'
    assert [entry[:3] for entry in found(text)] == [
        ("spec.repeated", "error", '"op_name": "b", "default_params": {"e": 1,'),
        ("spec.repeated", "error", '"e": 2}}'),
    ]
    assert [entry[:3] for entry in found(markdown() + markdown())] == [
        ("spec.repeated", "error", "```json machine-contract")
    ]


def test_an_unclosed_block_is_found() -> None:
    text = '```json machine-contract\n{"op_name": "a"}\n'
    assert [entry[:3] for entry in found(text)] == [("spec.fence", "error", "```json machine-contract")]


CONFLICTS = [
    ("- atol: 1e-2", "atol is 0.01 in the prose, but 0.001 in the machine contract (line"),
    ("算子名称：softmax", "op_name is 'softmax' in the prose, but 'row_scale'"),
    ("## 输入\n\n| name | shape |\n|---|---|\n| x | [M, N] |", "the shape of x is [M, N] in the prose, but [M, 2*N]"),
    ("Inputs:\n\n| name | shape | dtype |\n|---|---|---|\n| w | [N] | fp16 |", "the dtype of w is 'float16'"),
    ("输入:\n\n| name | shape |\n|---|---|\n| v | [N] |", "inputs is [v] in the prose, but [x, w]"),
    ("| 参数 | 默认值 |\n|---|---|\n| eps | 1e-3 |", "default_params.eps is 0.001 in the prose, but 1e-05"),
]


@pytest.mark.parametrize(("prose", "message"), CONFLICTS)
def test_forms_that_contradict_each_other(prose: str, message: str) -> None:
    text = markdown(after=f"\n{prose}\n")
    (entry,) = found(text)
    assert entry[:2] == ("spec.conflict", "warning")
    assert entry[2] == prose.split("\n")[-1]
    assert message in entry[3]


def test_front_matter_against_the_machine_contract() -> None:
    front = "---\nop_name: other\nsupported_dtypes: [float16]\nrtol: 0.5\ndefault_params: {eps: 1e-5}\n---\n"
    entries = found(markdown(before=front))
    assert [(entry[0], entry[2]) for entry in entries] == [
        ("spec.conflict", "op_name: other"),
        ("spec.conflict", "supported_dtypes: [float16]"),
        ("spec.conflict", "rtol: 0.5"),
    ]
    spec, _ = parse_spec(markdown(before=front), "SPEC.md")
    assert (spec.op_name, spec.tolerance.rtol) == ("row_scale", 0.0)


def test_one_line_json_has_columns() -> None:
    text = (
        "```json machine-contract\n"
        + json.dumps({"op_name": "行", "tolerance": {"atol": -1}}, ensure_ascii=False)
        + "\n```"
    )
    _, (finding,) = parse_spec(text, "SPEC.md")
    line = text.split("\n")[1]
    assert line[finding.location.column - 1 :] == "-1}}"


def told(text: str) -> list[tuple[str, str, str, str]]:
    """`found`, without the word that a file says nothing, which has no line."""
    lines = text.split("\n")
    findings = [finding for finding in parse_spec(text, "SPEC.md")[1] if finding.rule != "spec.empty"]
    return [(f.rule, f.severity.value, lines[f.location.line - 1].strip(), f.message) for f in findings]


TABLE = "| name | shape | dtype |\n| --- | --- | --- |\n| x | [M, N] | float32 |\n"


@pytest.mark.parametrize(
    ("before", "said_so"),
    [
        ("# Op\n\n", True),
        ("## Tensors\n\n", True),
        ("## Inputs and outputs\n\n", True),
        ("## Inputs\n\n", False),
        ("输出：\n\n", False),
    ],
)
def test_a_table_that_is_not_read(before: str, said_so: bool) -> None:
    said = [f for f in told(f"{before}{TABLE}| y | [M, 1] | float32 |\n") if f[0] == "spec.table"]
    expected = ("spec.table", "warning", "| name | shape | dtype |", "a table of tensors is not read")
    assert [(*f[:3], f[3].partition(":")[0]) for f in said] == [expected] * said_so


def test_tables_beside_inputs_that_are_stated_are_nobody_s_business() -> None:
    assert not [f for f in told(f"{markdown(CONTRACT)}\n# Op\n\n{TABLE}") if f[0] == "spec.table"]
    assert not [f for f in told(f"## Inputs\n\n{TABLE}\n# More\n\n{TABLE}") if f[0] == "spec.table"]


@pytest.mark.parametrize("text", ["---\nop_name: a\natol: 1e-3\n", "---\n\nop_name:\n  x\n----\n", "---\ninputs :\n"])
def test_front_matter_that_never_ends(text: str) -> None:
    (said, *_) = told(text)
    assert said[:3] == ("spec.fence", "error", "---")
    assert "the front matter that opens here is never closed" in said[3]


@pytest.mark.parametrize(
    "text", ["---\n# Op: a\natol: 1e-3\n", "---\nop_name: a\n---\n", "---\n", "---\nA sentence.\n", "x: 1\n"]
)
def test_a_rule_is_no_front_matter(text: str) -> None:
    assert not [f for f in told(text) if f[0] == "spec.fence"]
