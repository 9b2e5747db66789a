"""Contract -> text: what is written is read back as it was, by every reader, and looks as people write it."""

import math
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from r0kit.contract.layout import Layout, one_line, scalar
from r0kit.contract.model import Contract, Module, Tensor, Verification, Wire
from r0kit.contract.typed import read_contract
from r0kit.contract.write import contract_text, data_text

AWKWARD = [
    "no", "Yes", "on", "NULL", "true", "1e3", "1e-05", "0x10", "1_000", "12:30", "2024-01-01", ".5", "~", "=", "<<", "",
    " lead", "trail ", "a: b", "a #b", "#a", "- a", "-a", "? a", "* a", "&a", "!a", "@a", "`a", "%a", "[a]", "{a}", "a, b",
    'say "x"', "it's", "back\\slash", "line\nbreak", "tab\there", "\r", "\x00", "\x1b[0m", "\x7f", "\x85", "\u2028", "\ufeff",
    "中文", "归一化：行", "é", "\U0001f600", "\ue000", "\U000e0001", "y", "n", "a  b", "a:", "---", "...", "a\n\nb\n",
]  # fmt: skip


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_text_stays_text(text: str) -> None:
    written = data_text({"op": text, "modules": [{"name": text, "golden_steps": [text]}], text or "k": text})
    for loader in _loaders():
        assert yaml.load(written, Loader=loader) == {
            "op": text,
            "modules": [{"name": text, "golden_steps": [text]}],
            text or "k": text,
        }


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1e-05, "1.0e-05"),
        (1e16, "1.0e+16"),
        (2.5e-300, "2.5e-300"),
        (0.001, "0.001"),
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (math.inf, ".inf"),
        (-math.inf, "-.inf"),
        (3, "3"),
        (-7, "-7"),
        (True, "true"),
        (None, "null"),
        ("y", "y"),
        ("running max of each row", "running max of each row"),
        ("[M, N]", '"[M, N]"'),
        ("float16", "float16"),
        ("m = amax(x, N)", '"m = amax(x, N)"'),
        ([], "[]"),
        ({}, "{}"),
        ({"a": [1, {"b": None}]}, "{a: [1, {b: null}]}"),
    ],
)
def test_values_as_written(value: Any, written: str) -> None:
    assert one_line(value) == written
    assert yaml.safe_load(written) == value


def test_nan_is_written_as_yaml_has_it() -> None:
    assert scalar(math.nan) == ".nan"
    assert math.isnan(yaml.safe_load(".nan"))


STATE = {"name": "m", "dtype": "float32", "initial": -1e30, "update": "max(m, tile)"}
CONTRACT = Contract(
    op="row_softmax",
    module_count=2,
    primary_inputs=(Tensor("x", "[M, N]", "float16"),),
    modules=(
        Module(
            1,
            "online_stats",
            "running max and exponential sum of each row",
            "vector",
            ("m = amax(x, N)", "s = sum(exp(x - m), N)"),
            (Wire("x", 0),),
            (Tensor("m", "[M, 1]", "float32"), Tensor("s", "[M, 1]", "float32")),
            "row_softmax_golden_stage1",
            traversal={"axes": ["M", "N"], "reduces": ["N"], "algorithm": "online", "state": [STATE]},
            source_lines=(18, 20),
        ),
        Module(
            2,
            "normalize",
            "exponential over sum",
            "vector",
            ("y = exp(x - m) / s",),
            (Wire("x", 0), Wire("m", 1), Wire("s", 1)),
            (Tensor("y", "[M, N]", "float32"),),
            "row_softmax_golden_stage12",
            boundary=({"kind": "data_dependence", "from": "module_1", "value": "m", "axis": "N", "line": 20},),
        ),
    ),
    final_outputs=(Wire("y", 2),),
    verification=Verification(1e-05, 0.001, "", (42, 123, 456), ({"M": 4, "N": 128}, {"M": 3, "N": 1001})),
    params={"eps": 1e-06},
    extra={"owner": "团队"},
)  # fmt: skip

TEXT = """\
schema_version: 1
op: row_softmax
module_count: 2
has_cross_core: false
is_fusion: false
params: {eps: 1.0e-06}
primary_inputs:
  - {name: x, shape: "[M, N]", dtype: float16}
modules:
  - id: 1
    name: online_stats
    description: running max and exponential sum of each row
    section: vector
    golden_steps: ["m = amax(x, N)", "s = sum(exp(x - m), N)"]
    inputs: [{name: x, source: primary}]
    outputs: [{name: m, shape: "[M, 1]", dtype: float32}, {name: s, shape: "[M, 1]", dtype: float32}]
    golden_stage_fn: row_softmax_golden_stage1
    source_lines: [18, 20]
    traversal:
      axes: [M, N]
      reduces: [N]
      algorithm: online
      state: [{name: m, dtype: float32, initial: -1.0e+30, update: "max(m, tile)"}]
  - id: 2
    name: normalize
    description: exponential over sum
    section: vector
    golden_steps: ["y = exp(x - m) / s"]
    inputs: [{name: x, source: primary}, {name: m, source: module_1}, {name: s, source: module_1}]
    outputs: [{name: y, shape: "[M, N]", dtype: float32}]
    golden_stage_fn: row_softmax_golden_stage12
    boundary: [{kind: data_dependence, from: module_1, value: m, axis: N, line: 20}]
final_outputs: [{name: y, source: module_2}]
composition_verification: {atol: 1.0e-05, rtol: 0.001, seeds: [42, 123, 456], shapes: [{M: 4, N: 128}, {M: 3, N: 1001}]}
owner: 团队
"""


def test_a_complete_contract() -> None:
    assert contract_text(CONTRACT) == TEXT


def test_what_is_written_is_the_contract_that_is_read(tmp_path: Any) -> None:
    path = tmp_path / "module_interfaces.yaml"
    path.write_text(contract_text(CONTRACT), encoding="utf-8")
    assert read_contract(str(path)) == CONTRACT


def test_comments_stand_behind_and_above() -> None:
    data = {"op": "a", "final_outputs": [{"name": "y", "source": "TODO"}], "modules": [{"id": 1, "name": "TODO"}]}
    comments = {
        ("op",): "two\nlines",
        ("final_outputs", 0): "module_<j>",
        ("modules", 0, "name"): "one word",
        ("modules", 0): "the first",
        ("modules", 0, "id"): "long " * 30,
    }
    assert data_text(data, comments) == (
        f"# two\n# lines\nop: a\nmodules:\n  # the first\n    # {'long ' * 30}\n  - id: 1\n    name: TODO  # one word\n"
        "final_outputs:\n  - {name: y, source: TODO}  # module_<j>\n"
    )


_KEYS = st.text(max_size=8) | st.sampled_from(AWKWARD) | st.sampled_from(["modules", "op", "params"])
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=30)
    | st.sampled_from(AWKWARD)
    | st.text(alphabet=" -:#,'\"\\\n[]{}ab1", max_size=12)
)
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4), max_leaves=12
)


def _loaders() -> list[Any]:
    fast = getattr(yaml, "CSafeLoader", None)
    return [yaml.SafeLoader, fast] if fast else [yaml.SafeLoader]


def _same(left: Any, right: Any) -> bool:
    """Equality that tells 1 from 1.0 and from true."""
    if isinstance(left, dict) and isinstance(right, dict):
        return list(left) == list(right) and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return type(left) is type(right) and left == right


def test_everything_is_read_back_as_it_was(long_mode: bool) -> None:
    @settings(max_examples=5000 if long_mode else 200, deadline=None, database=None)
    @given(st.dictionaries(_KEYS, _VALUES, max_size=6))
    def round_trip(data: dict[str, Any]) -> None:
        text = data_text(data)
        for loader in _loaders():
            read = yaml.load(text, Loader=loader) or {}
            assert set(read) == set(data)
            assert all(_same(read[key], data[key]) for key in data), text

    round_trip()


def test_long_keys_and_long_lines(long_mode: bool) -> None:
    data = {
        "k" * 1500: 1,
        "params": {"k" * 1500: [1, 2], "v": "w" * 3000},
        "x": [["a" * 200, ["b" * 200]], {"c": "d" * 200}],
    }
    for loader in _loaders():
        assert yaml.load(data_text(data), Loader=loader) == data
    layout = Layout()
    assert max(map(len, layout.block({"steps": ["s" * 90] * 9}, (), 0).split("\n"))) < 120
