"""Optional records: what they say of the wiring is held against it, and what is nearly a known word is told."""

import json
from pathlib import Path
from re import findall

import pytest
from judged import said_of

from r0kit import resources
from r0kit.validate import validate_text
from r0kit.validate.records import KEYS, WORDS

RIGHT = (Path(__file__).parents[1] / "contracts/matmul_bias_gelu.yaml").read_text("utf-8")
ATTENTION = (Path(__file__).parents[1] / "contracts/attention.yaml").read_text("utf-8")
HANDOFF = "handoff: [{value: c, direction: cube to vector, "
REDUCTION = (
    "reduction: [{axis: K, bound: unbounded, may_exceed_tile: true, scheme: online, traversals: [{module: 1}], "
    "buffers: [{value: c, bytes: 4}]}]\ndimensions: [{name: a, kernel: M by K, mapping: none}]\n"
)

# What is replaced and by what; rule, marked text, message and hint of the only finding, a warning.
SLIPS = [
    ("kind: section", "kind: sectoin", "rule18", "sectoin", "is none of the words", "did you mean 'section'?"),
    ("kind: section", "kind: data_dependance", "rule18", "data_dependance", "is none", "'data_dependence'?"),
    ("algorithm: single", "algorithm: signle", "rule18", "signle", "traversal.algorithm", "did you mean 'single'?"),
    ("scheme: online", "scheme: onlin", "rule18", "onlin", "reduction[0].scheme", "did you mean 'online'?"),
    ("direction: cube to vector", "direction: cube to vectr", "rule18", "cube to vectr", "", "'cube_to_vector'?"),
    ("{kind: ", "{knid: ", "rule18", "knid", "the key 'knid' in modules[1].boundary[0]", "did you mean 'kind'?"),
    ("axes: ", "axis: ", "rule18", "axis", "the key 'axis' in modules[0].traversal", "did you mean 'axes'?"),
    ("written_to: ", "writen_to: ", "rule18", "writen_to", "modules[1].handoff[0]", "did you mean 'written_to'?"),
    ("may_exceed_tile: ", "may_exceed_tiles: ", "rule18", "may_exceed_tiles", "", "did you mean 'may_exceed_tile'?"),
    ("{module: 1}", "{module: 1, rnage: x}", "rule18", "rnage", "reduction[0].traversals[0]", "did you mean 'range'?"),
    *(
        (
            HANDOFF,
            HANDOFF.replace("cube to vector", said),
            "rule13",
            said,
            "the value comes from a cube",
            "write cube_to_",
        )
        for said in ("vector->cube", "vector -> cube", "Vector-to-Cube")
    ),
    ("bytes: ", "byets: ", "rule18", "byets", "the key 'byets' in reduction[0].buffers[0]", "did you mean 'bytes'?"),
    ("mapping: ", "maping: ", "rule18", "maping", "the key 'maping' in dimensions[0]", "did you mean 'mapping'?"),
    *(
        ("{module: 1}", f"{{module: 1, algorithm: {slip}}}", "rule18", slip, "is none of the words", f"mean '{meant}'?")
        for slip, meant in (("onlin", "online"), ("singel", "single"), ("residen", "resident"))
    ),
    ("reduces: [K],", "reduces: [K], state: [{nmae: m}],", "rule18", "nmae", "traversal.state[0]", "mean 'name'?"),
    (HANDOFF, HANDOFF.replace("c,", "d,"), "rule13", "d", "no input 'd' comes from the other section", "mean 'c'?"),
    (
        HANDOFF,
        HANDOFF.replace("cube to vector", "vector_to_cube"),
        "rule13",
        "vector_to_cube",
        "from a cube",
        "cube_to_",
    ),
    (
        "from: module_1",
        "from: module_2",
        "rule13",
        "module_2",
        "'module_2' is no earlier Module",
        "write the module_<j>",
    ),
    ("from: module_1", "from: module_3", "rule13", "module_3", "'module_3' is a later Module", "write the module_<j>"),
    ("from: module_1", "from: c", "rule13", "c", "'c' is no earlier Module", "write the module_<j>"),
    ("value: c, line", "value: cc, line", "rule13", "cc", "Module 1 has no output 'cc'", "did you mean 'c'?"),
    ("reduces: [K]", "reduces: [KK]", "rule13", "KK", "reduces 'KK', which is none of the axes", "did you mean 'K'?"),
    ("reduces: [K]", "reduces: [3]", "rule13", "3", "reduces 3, which is none of the axes", "add it to axes"),
    ("reduces: [K]", "reduces: [X]", "rule13", "X", "reduces 'X', which is none of the axes", "add it to axes"),
]


@pytest.mark.parametrize(("old", "new", "rule", "marked", "message", "hint"), SLIPS)
def test_a_slip_in_a_record(old: str, new: str, rule: str, marked: str, message: str, hint: str) -> None:
    right = RIGHT + REDUCTION
    assert said_of(right) == []
    (finding,) = said_of(right.replace(old, new, 1))
    assert (finding.rule, finding.severity, finding.marked) == (rule, "warning", marked)
    assert message in finding.message and hint in finding.hint


def test_handoffs_of_values_that_do_not_cross() -> None:
    stray = "handoff: [{value: a, path: x}, {value: cc}, {value: c, direction: cube to vector, "
    findings = said_of(RIGHT.replace(HANDOFF, stray))
    said = "Module 2, handoff: no input {} comes from the other section"
    assert [(f.marked, f.message, f.hint) for f in findings] == [
        ("a", said.format("'a'"), "remove the handoff"),
        ("cc", said.format("'cc'"), "did you mean 'c'?"),
    ]


READS = "inputs: [{name: c, source: module_1}]"
(HANDED,) = findall(r"handoff: \[.*\]", RIGHT)
TWO = RIGHT.replace("outputs: [{name: c,", "outputs: [{name: e}, {name: c,").replace(
    READS, "inputs: [{name: c, source: module_1}, {name: e, source: module_1}, {name: bias, source: primary}]"
)


@pytest.mark.parametrize(
    ("text", "handoffs", "marked"),
    [
        (RIGHT, "{path: x}, {value: d}", [("d", "mean 'c'?")]),
        (RIGHT, "{value: d}, {value: f}", [("d", ""), ("f", ""), ("handoff", "{value: c, direction: cube_to_vector}")]),
        (TWO, "{value: c}, {value: d}", [("d", "mean 'e'?")]),
        (TWO, "{value: d}", [("d", ""), ("handoff", "{value: c, "), ("handoff", "{value: e, ")]),
        (TWO, "{value: c}, {value: e}, {value: bias}", [("bias", "remove the handoff")]),
    ],
)
def test_handoffs_beside_those_that_are_missing(text: str, handoffs: str, marked: list[tuple[str, str]]) -> None:
    findings = sorted(said_of(text.replace(HANDED, f"handoff: [{handoffs}]")), key=lambda f: (f.marked, f.hint))
    assert [(f.rule, f.marked) for f in findings] == [("rule13", each) for each, _ in marked]
    assert all(hint in f.hint for f, (_, hint) in zip(findings, marked, strict=True))


def test_a_handoff_that_is_missing_where_the_others_are_told() -> None:
    assert said_of(ATTENTION) == []
    handoffs = findall("    handoff:\n.*\n", ATTENTION)
    assert len(handoffs) == 3
    (finding,) = said_of(ATTENTION.replace(handoffs[-1], ""))
    assert (finding.rule, finding.marked) == ("rule13", "id: 4")
    assert "no handoff tells how 'o' passes from cube to vector" in finding.message
    bare = ATTENTION
    for handoff in handoffs:
        bare = bare.replace(handoff, "")
    assert said_of(bare) == [], "a contract need not tell of any"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("kind: section", "kind: folklore"),
        ("kind: section", "kind: section, mine: 1, why: because"),
        ("kind: section", "kind: 3"),
        ("algorithm: single", "algorithm: my own"),
        ("direction: cube to vector", "direction: cube->vector"),
        ("direction: cube to vector", "direction: sideways"),
        ("value: c, line", "line"),
        (HANDOFF, "handoff: [{value: c, "),
        (HANDOFF, HANDOFF.replace("[", "[{path: nowhere}, ")),
        ("from: module_1", "from: phase_1"),
        ("from: module_1", "from: primary"),
        ("from: module_1", "from: 3"),
        ("reduces: [K]", "reduces: K"),
        ("traversal: {axes", "traversal: {3: 4, axes"),
    ],
)
def test_what_people_write_in_records(old: str, new: str) -> None:
    text = RIGHT.replace(old, new, 1)
    assert text != RIGHT
    assert [f for f in said_of(text) if f.rule in ("rule13", "rule18")] == []


def test_records_wait_for_the_wiring() -> None:
    text = RIGHT.replace("source: module_1}]", "source: modul_1}]")
    assert [finding.rule for finding in said_of(text)] == ["rule2"]
    text = RIGHT.replace("section: cube", "section: cub")
    assert [finding.rule for finding in said_of(text)] == ["rule9"]


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("source: module_3}", "source: modul_3}", "rule2"),
        ('section: cube\n    golden_steps: ["o', 'section: cub\n    golden_steps: ["o', "rule9"),
        ('section: vector\n    golden_steps: ["y', 'section: vectr\n    golden_steps: ["y', "rule9"),
    ],
)
def test_no_handoff_is_missing_before_it_is_known_what_crosses(old: str, new: str, rule: str) -> None:
    bare = ATTENTION.replace(findall("    handoff:\n.*\n", ATTENTION)[-1], "")
    assert [finding.rule for finding in said_of(bare)] == ["rule13"]
    assert [finding.rule for finding in said_of(bare.replace(old, new))] == [rule]


def test_the_primary_inputs_are_no_module_whatever_its_id() -> None:
    text = RIGHT.replace("id: 1", "id: 0").replace("from: module_1, value: c", "from: primary, value: a")
    assert [finding for finding in said_of(text) if "boundary" in finding.message] == []


def test_keys_and_words_are_those_of_the_schema() -> None:
    definitions = json.loads(resources.text("schemas", "module_interfaces.schema.json"))["$defs"]
    for kind, keys in KEYS.items():
        assert tuple(definitions[kind]["properties"]) == keys
    for (kind, key), words in WORDS.items():
        said = definitions[kind]["properties"][key].get("anyOf", [{}])[0].get("enum")
        assert said in (list(words), None)


def test_many_records_do_not_take_long() -> None:
    axes = ", ".join(f"a{number}" for number in range(5_000))
    text = RIGHT.replace("axes: [M, N, K], reduces: [K]", f"axes: [{axes}], reduces: [{axes}]")
    assert validate_text(text).findings == ()
    text = text.replace("reduces: [a", "reduces: [b, a")
    assert len(validate_text(text).findings) == 1
