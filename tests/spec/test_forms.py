"""The three forms of a SPEC.md, each read to the same Spec."""

import json
import math
from pathlib import Path

import pytest

from r0kit.finding import Finding
from r0kit.spec import Case, Spec, TensorSpec, Tolerance, parse_spec, read_spec
from r0kit.spec.dimension import symbols

GOLDENS = Path(__file__).parents[1] / "goldens"

CONTRACT = {
    "schema_version": 1,
    "op_name": "row_scale",
    "formula": "y = x * w",
    "supported_dtypes": ["float16", "float32"],
    "inputs": [
        {"name": "x", "shape": ["M", "2*N"], "dtype": "float16", "value_range": [-8, 8]},
        {"name": "w", "shape": ["N"], "dtype": "float32", "value_range": None},
    ],
    "outputs": [{"name": "y", "shape": ["M", "2*N"], "dtype": "float32", "value_range": None}],
    "default_params": {"eps": 1e-05, "mode": "tanh", "limit": "inf"},
    "tolerance": {"atol": 0.001, "rtol": 0},
    "dynamic_axes_ranges": {"M": [1, 64], "N": [1, 4096]},
    "shape_constraints": ["N % 2 == 0"],
    "p0_cases": [
        {
            "name": "small",
            "params": {"eps": 1e-06},
            "input_shapes": {"x": [4, 128], "w": [64]},
            "output_shapes": {"y": [4, 128]},
            "dtypes": {"x": "bf16"},
            "input_special_values": {"x": ["-inf"]},
        }
    ],
    "perf_target": None,
    "exit_criteria": None,
}


def markdown(contract: object = CONTRACT, before: str = "", after: str = "") -> str:
    return f"{before}```json machine-contract\n{json.dumps(contract, indent=2)}\n```\n{after}"


def read(text: str) -> tuple[Spec, list[tuple[str, int]]]:
    spec, findings = parse_spec(text, "SPEC.md")
    return spec, [(finding.rule, finding.location.line) for finding in findings]


def test_a_machine_contract_is_read_whole() -> None:
    spec, findings = read(markdown())
    assert findings == []
    assert spec == Spec(
        path="SPEC.md",
        op_name="row_scale",
        formula="y = x * w",
        supported_dtypes=("float16", "float32"),
        inputs=(
            TensorSpec("x", ("M", "2*N"), "float16", (-8, 8)),
            TensorSpec("w", ("N",), "float32"),
        ),
        outputs=(TensorSpec("y", ("M", "2*N"), "float32"),),
        default_params={"eps": 1e-05, "mode": "tanh", "limit": math.inf},
        tolerance=Tolerance(0.001, 0.0),
        dynamic_axes_ranges={"M": (1, 64), "N": (1, 4096)},
        shape_constraints=("N % 2 == 0",),
        p0_cases=(
            Case(
                "small",
                {"eps": 1e-06},
                {"x": (4, 128), "w": (64,)},
                {"y": (4, 128)},
                dtypes={"x": "bfloat16"},
                input_special_values={"x": ["-inf"]},
            ),
        ),
    )
    assert spec.bindings(spec.p0_cases[0]) == {"M": 4, "N": 64}
    assert spec.params() == {"eps": 1e-06, "mode": "tanh", "limit": math.inf}


@pytest.mark.parametrize("op", sorted(folder.name for folder in GOLDENS.iterdir()))
def test_the_labelled_operators_have_clean_specs(op: str) -> None:
    spec, findings = read_spec(str(GOLDENS / op / "SPEC.md"))
    assert [finding for finding in findings if finding.rule != "spec.axes"] == []
    assert spec.op_name == op
    used = {name for tensor in spec.inputs for dimension in tensor.shape or () for name in symbols(dimension)}
    assert all(used <= set(spec.bindings(case)) for case in spec.p0_cases)


def test_places_are_those_of_the_file() -> None:
    text = markdown(before="# 行缩放\n\n")
    spec, _ = read(text)
    lines = text.split("\n")
    place = spec.inputs[1].place
    assert lines[place.line - 1][place.column - 1] == "{"
    assert lines[place.line].strip() == '"name": "w",'
    assert lines[spec.tolerance.place.line - 1].strip().startswith('"tolerance"')


FRONT_MATTER = """---
schema_version: 1
op_name: scaled_sum
supported_dtypes: [float16, fp32]
p0_shapes: {p0_shapes}
default_params: {{eps: 1e-6, axis: -1, causal: no}}
atol: 1e-3
rtol: 0.002
dynamic_axes: [B, N]
dynamic_axes_ranges: [[1, 8], [1, 1024]]
shape_constraints: {{N: '>= 2'}}
---

## 输入输出

**输入规格**:

| 变量 | Shape | Dtype | 动态轴 | 说明 |
|------|:-----:|-------|--------|------|
| x (x0) | [B, N] | `float16` | B | left \\| right |
| `w` | (N) | torch.float32 | - | weight |

**输出规格**:

| 变量 | Shape | Dtype |
|------|-------|-------|
| y | [B, 1] | float32 |
"""


@pytest.mark.parametrize("p0", ["[{x: [2, 64], w: [64]}]", "[[2, 64], [64]]", "[[[2, 64], [64]]]"])
def test_front_matter_and_tables_complete_each_other(p0: str) -> None:
    spec, findings = read(FRONT_MATTER.format(p0_shapes=p0))
    assert findings == []
    assert spec.op_name == "scaled_sum"
    assert spec.supported_dtypes == ("float16", "float32")
    assert spec.inputs == (TensorSpec("x", ("B", "N"), "float16"), TensorSpec("w", ("N",), "float32"))
    assert spec.outputs == (TensorSpec("y", ("B", 1), "float32"),)
    assert spec.tolerance == Tolerance(0.001, 0.002)
    assert spec.default_params == {"eps": 1e-6, "axis": -1, "causal": False}
    assert spec.dynamic_axes_ranges == {"B": (1, 8), "N": (1, 1024)}
    assert spec.shape_constraints == ("N: >= 2",)
    assert [(case.name, spec.bindings(case)) for case in spec.p0_cases] == [("p0_1", {"B": 2, "N": 64})]


def test_shapes_alone_are_the_cases_of_a_single_input() -> None:
    text = "---\np0_shapes: [[2, 3], [4, 5]]\n---\n## 输入\n| name | shape |\n|---|---|\n| x | [M, N] |\n"
    spec, findings = read(text)
    assert findings == []
    assert [spec.bindings(case) for case in spec.p0_cases] == [{"M": 2, "N": 3}, {"M": 4, "N": 5}]


@pytest.mark.parametrize("inputs", ["", "## 输入\n| name | shape |\n|---|---|\n| x | [M, N] |\n| y | [M] |\n"])
def test_shapes_that_no_input_claims_are_reported(inputs: str) -> None:
    spec, findings = read(f"---\np0_shapes: [[2], [4], [5]]\n---\n{inputs}")
    assert spec.p0_cases == ()
    assert findings == [("spec.p0-shapes", 2)]


def test_prose_alone() -> None:
    text = """# Softmax

- **算子名称**: row_softmax  <!-- atol: 9 -->
- atol: 1e-3
- `rtol` = 2^-9，见下。误差不应超过 atol: 5 这样的句子不算

Inputs:

| Name | Type | Shape | Default |
| --- | --- | --- | --- |
| x | float16 | `[M, N]` | |
| dim | int | scalar value | -1 |
| eps | float | | `1e-6` |
| mode | str | | 'none' |

## Outputs

| Name | Shape |
|---|---|
| y | [M, N] |

```python
atol: 7
```
"""
    spec, findings = read(text)
    assert findings == []
    assert spec.op_name == "row_softmax"
    assert spec.tolerance == Tolerance(0.001, 2**-9)
    assert spec.inputs == (TensorSpec("x", ("M", "N"), "float16"),)
    assert spec.outputs == (TensorSpec("y", ("M", "N")),)
    assert spec.default_params == {"dim": -1, "eps": 1e-6, "mode": "none"}


@pytest.mark.parametrize(
    "line",
    [
        "精度：atol: 1e-3，rtol: 2e-3",
        "- **精度要求**：`atol`=1e-3、`rtol`=2e-3",
        "Tolerance: atol = 0.001, rtol = 0.002",
        "容差（atol: 1e-3，rtol: 2e-3）",
    ],
)
def test_tolerances_behind_a_word_that_says_what_they_are(line: str) -> None:
    spec, _ = read(f"# Op\n\n{line}\n")
    assert (spec.tolerance.atol, spec.tolerance.rtol) == (0.001, 0.002)


def test_a_direction_column_tells_inputs_from_outputs() -> None:
    text = (
        "| 参数 | 方向 | 形状 | 数据类型 |\n|---|---|---|---|\n| a | 输入 | [K] | FP16 |\n| b | 输出 | [K] | BF16 |\n"
    )
    spec, findings = read(text)
    assert findings == []
    assert (spec.inputs, spec.outputs) == (
        (TensorSpec("a", ("K",), "float16"),),
        (TensorSpec("b", ("K",), "bfloat16"),),
    )


def test_lists_of_tensors() -> None:
    contract = {
        "op_name": "cat",
        "inputs": [{"name": "xs", "shape": ["M", "N"], "dtype": "float16", "is_list": True}],
        "outputs": [{"name": "y", "shape": ["..."], "dtype": "float16"}],
        "p0_cases": [{"name": "p0", "input_shapes": {"xs": [[8, 64], [8, 64]]}, "output_shapes": {"y": [16, 64]}}],
    }
    spec, findings = read(markdown(contract))
    assert findings == []
    assert spec.inputs[0].is_list
    assert (spec.outputs[0].shape, spec.outputs[0].any_rank) == (None, True)
    assert spec.p0_cases[0].input_lists == {"xs": ((8, 64), (8, 64))}
    assert spec.bindings(spec.p0_cases[0]) == {"M": 8, "N": 64}


def test_a_policy_is_a_tolerance() -> None:
    spec, findings = read(markdown({**CONTRACT, "tolerance": {"policy": "pro_scheme_a"}}, before="- atol: 1\n"))
    assert findings == []
    assert spec.tolerance == Tolerance(policy="pro_scheme_a")


def test_an_unfilled_template_says_what_is_missing() -> None:
    contract = {"op_name": "{{OP_NAME}}", "formula": "{{F}}", "inputs": [], "tolerance": {"atol": None, "rtol": None}}
    spec, findings = read(markdown(contract))
    assert (spec.op_name, spec.tolerance, findings) == (
        "",
        Tolerance(),
        [("spec.placeholder", 3), ("spec.placeholder", 4)],
    )


def test_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "SPEC.md"
    text = FRONT_MATTER.format(p0_shapes="[]")
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    spec, findings = read_spec(str(path))
    assert (spec.op_name, findings) == ("scaled_sum", ())
    assert text.split("\n")[spec.inputs[0].place.line - 1].startswith("| x (x0)")


def test_a_file_that_states_nothing_is_a_warning() -> None:
    spec, findings = parse_spec("Some words.\n", "SPEC.md")
    assert isinstance(findings[0], Finding)
    assert (spec, [finding.rule for finding in findings]) == (Spec("SPEC.md"), ["spec.empty"])


REAL_WORLD = """---
op_name: rotate
supported_dtypes: [float16, bfloat16]
p0_shapes: [[1, 1, 64, 8], [1, 4, 32, 8], [2, 4, 16, 8]]
tolerance: {atol: 0.0001, rtol: 0.0078125}
dynamic_axes_ranges: {B: [1, 4], S: [1, 64], N: [1, 4]}
shape_constraints:
  - "S_cs == 1 or S_cs == S"
---
- **算子名称**: rotate

**输入规格**:

| 变量 | Shape | Dtype | 动态轴 | 置信度 | 说明 |
|------|-------|-------|--------|--------|------|
| x   | [B, N, S, D]    | float16 / bfloat16 | B, N, S | ✓ 高 | |
| cos | [B, 1, S\\|1, D] | 与 x 同 dtype       | B, S    | ✓ 高 | |
| x   | [S, D] 或 [D] | float16 | | | |

**输出规格**:

| 模式 | 变量 | Shape | Dtype |
|------|------|-------|-------|
| 预填 | y | [B, N, S, D] | 与 x 同 dtype |

| Dtype | 支持 | atol | rtol | 备注 |
|-------|------|------|------|------|
| float16  | ✓ | 0.5 | 0.5 | |

### 7. 精度要求
- **atol**: 0.0001
- **rtol**: 0.0078125
"""


def test_prose_written_for_people_raises_no_error() -> None:
    spec, findings = parse_spec(REAL_WORLD, "SPEC.md")
    assert {finding.severity.value for finding in findings} == {"warning"}
    assert [tensor.name for tensor in spec.inputs] == ["x", "cos"]
    assert [tensor.dtype for tensor in (*spec.inputs, *spec.outputs)] == ["float16", "float16", "float16"]
    assert spec.inputs[1].shape is None
    assert [spec.bindings(case) for case in spec.p0_cases] == [
        {"B": 1, "N": 1, "S": 64, "D": 8},
        {"B": 1, "N": 4, "S": 32, "D": 8},
        {"B": 2, "N": 4, "S": 16, "D": 8},
    ]
    assert spec.tolerance == Tolerance(0.0001, 0.0078125)


@pytest.mark.parametrize(("second", "inputs", "found"), [("输出：", ("x",), 0), ("输入：", ("y",), 0), ("", (), 1)])
def test_a_table_below_inputs_and_outputs_is_the_side_that_no_other_table_is(
    second: str, inputs: tuple[str, ...], found: int
) -> None:
    table = "\n\n| 参数 | shape | dtype |\n|---|---|---|\n| {} | [M, K] | float32 |\n\n"
    text = "## 输入输出" + table.format("x") + second + (table.format("y") if second else "")
    spec, findings = parse_spec(text, "SPEC.md")
    assert tuple(tensor.name for tensor in spec.inputs) == inputs
    assert len(spec.outputs) == (1 if second else 0)
    assert sum(finding.rule == "spec.table" for finding in findings) == found


TABLE_OF_INPUTS = """# scaled_sum

## Inputs
| name | shape | dtype |
|---|---|---|
| x | [B, 2*T] | float32 |
| w | [T] | float32 |

"""
CASES = {  # lines below a heading that speaks of cases -> the extents that a reader takes from them
    "- B=2, T=128": [{"B": 2, "T": 128}],
    "B = 2  T = 128": [{"B": 2, "T": 128}],
    "- B=2, T=128\n- B=3; T=333": [{"B": 2, "T": 128}, {"B": 3, "T": 333}],
    "* case 1: `B=2, T=128`": [{"B": 2, "T": 128}],
    "1. {B: 2, T: 128}": [{"B": 2, "T": 128}],
    "- 用例1：B=2，T=128。": [{"B": 2, "T": 128}],
    "- **B=2**, **T=128** (the tail of a tile)": [{"B": 2, "T": 128}],
    "- x: [2, 256], w: [128]": [{"B": 2, "T": 128}],
    "- B=2, w=[128]": [{"B": 2, "T": 128}],
    "| case | B | `T` | remark |\n|---|---|---|---|\n| 1 | 2 | 128 | 7 tiles |\n| 2 | 3 | 333 | |": [
        {"B": 2, "T": 128},
        {"B": 3, "T": 333},
    ],
    "| 编号 | x | w |\n|---|---|---|\n| 1 | [2, 256] | `[128]` |": [{"B": 2, "T": 128}],
}


@pytest.mark.parametrize("heading", ["## P0 shapes", "### 测试用例", "**Test cases**", "P0："])
@pytest.mark.parametrize("lines", CASES)
def test_cases_in_prose(lines: str, heading: str) -> None:
    spec, findings = read(f"{TABLE_OF_INPUTS}{heading}\n\n{lines}\n\n## Notes\n- B=9, T=9\n")
    assert findings == []
    assert [spec.bindings(case) for case in spec.p0_cases] == CASES[lines]
    if "x" not in lines and "w" not in lines:
        assert [case.input_shapes for case in spec.p0_cases] == [
            {"x": (case["B"], 2 * case["T"]), "w": (case["T"],)} for case in CASES[lines]
        ]


def test_a_line_below_cases_that_says_more_is_told() -> None:
    text = f"{TABLE_OF_INPUTS}## P0 shapes\n- B=2, T=128 and once more with T=64\n- the tail counts\n"
    assert read(text)[1] == [("spec.case", 10)]
    _, findings = read(f"{text}\n{markdown()}")
    assert "spec.case" not in dict(findings), "the machine contract has the cases"


def test_extents_of_symbols_in_front_matter() -> None:
    front = "---\np0_shapes: [{{B: 2, T: 4}}, {{B: 2{}}}]\ndefault_params: {{eps: 1.0}}\n---\n" + TABLE_OF_INPUTS
    spec, findings = read(front.format(", T: 8, eps: 2.0"))
    assert findings == []
    assert [case.input_shapes for case in spec.p0_cases] == [{"x": (2, 8), "w": (4,)}, {"x": (2, 16), "w": (8,)}]
    assert [case.params for case in spec.p0_cases] == [{}, {"eps": 2.0}]
    spec, findings = read(front.format(""))
    assert {rule for rule, _ in findings} == {"spec.p0-shapes"}
    assert read(front.format(", T: 0"))[1][0][0] == "spec.extent"


RANGES = [
    "- T: 1..4096",
    "- T: [1, 4096]",
    "1 <= T <= 4096",
    "- `T` ≤ 4096",
    "T ∈ [1, 4096] (dynamic)",
    "* **T** = 1 ~ 4096",
]


@pytest.mark.parametrize(
    "heading", ["## Ranges", "## Dynamic axes", "### 动态轴", "**轴的取值范围**：", "## Axis ranges"]
)
@pytest.mark.parametrize("line", [*RANGES, "| axis | range |\n|---|---|\n| T | [1, 4096] |\n| B | any |"])
def test_ranges_in_prose(line: str, heading: str) -> None:
    spec, findings = read(f"{TABLE_OF_INPUTS}{heading}\n\n{line}\n\n## Notes\n- B: 1..9\n")
    assert findings == []
    assert spec.dynamic_axes_ranges == {"T": (1, 4096)}


@pytest.mark.parametrize("heading", ["## Value ranges", "## Notes", "## 输入取值范围"])
def test_ranges_of_values_are_none_of_axes(heading: str) -> None:
    assert read(f"{TABLE_OF_INPUTS}{heading}\n- T: 1..4096\n")[0].dynamic_axes_ranges == {}


@pytest.mark.parametrize("line", ["- atol=1e-3 rtol=2e-3", "atol: 1e-3, rtol: 2e-3", "- atol = 0.001 rtol = 0.002"])
def test_both_tolerances_in_one_line(line: str) -> None:
    assert read(f"# op\n{line}\n")[0].tolerance == Tolerance(0.001, 0.002)


@pytest.mark.parametrize("name", ["row_dot.md", "row_dot_zh.md"])
def test_prose_says_all_that_a_contract_is_drafted_from(name: str) -> None:
    spec, findings = read_spec(str(Path(__file__).parent / "prose" / name))
    assert findings == ()
    assert spec.op_name == "row_dot"
    assert spec.inputs == (TensorSpec("x", ("B", "2*T"), "float16"), TensorSpec("w", ("T",), "float32"))
    assert spec.outputs == (TensorSpec("y", ("B",), "float32"),)
    assert spec.tolerance == Tolerance(0.001, 0.002)
    assert spec.dynamic_axes_ranges == {"B": (1, 64), "T": (1, 65536)}
    assert [case.input_shapes for case in spec.p0_cases] == [{"x": (2, 256), "w": (128,)}, {"x": (3, 666), "w": (333,)}]


@pytest.mark.parametrize(
    ("shape", "case", "said"),
    [
        ("[B, 2*T]", "{B: 2}", "gives no extent to T"),
        ("[B, T - 5]", "{B: 2, T: 3}", "leaves x a dimension of -2"),
        ("[B, B // T]", "{B: 2, T: 3}", "leaves x a dimension of 0"),
        ("[B, f(T)]", "{B: 2}", "which is no expression"),
    ],
)
def test_a_case_that_gives_an_input_no_shape_says_why(shape: str, case: str, said: str) -> None:
    text = f"---\ninputs: [{{name: x, shape: '{shape}', dtype: float32}}]\np0_shapes: [{case}]\n---\n"
    spec, findings = parse_spec(text, "SPEC.md")
    assert [one.input_shapes for one in spec.p0_cases] == [{}]
    assert any(said in finding.message and finding.hint for finding in findings)
