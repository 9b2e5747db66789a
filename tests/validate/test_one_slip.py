"""One slip in a right contract is one finding: at the slip, with what to write; nothing that only follows from it."""

import time

import pytest
from judged import said_of

from r0kit.contract.read import parse
from r0kit.validate.dashes import with_dashes
from r0kit.validate.examples import completed

RIGHT = completed("op: shift")
LAST = "  - id: 2\n"
READS = "inputs: [{name: t, source: module_1}]"
WRITES = 'outputs: [{name: y, shape: "[M, N]", dtype: float32}]'
FINAL = "final_outputs: [{name: y, source: module_2}]"

# What is replaced and by what; the rule of the only finding, the text that it marks, and its hint.
MISSPELT_KEYS = [
    ("{name: x, source", "{nmae: x, source", "rule0", "nmae", "did you mean 'name'?"),
    ("{name: x, source", "{nane: x, source", "rule0", "nane", "did you mean 'name'?"),
    ("{name: x, source", "{name:x, source", "rule0", "name:x", "write a blank behind the colon: `name: x`"),
    ("{name: x, source", "{name： x, source", "rule0", "name： x", "： is a full-width mark: write :"),
    (READS, READS.replace("source", "from"), "rule0", "from", "did you mean 'source'?"),
    (READS, READS.replace("source", "sorce"), "rule0", "sorce", "did you mean 'source'?"),
    (READS, READS.replace("inputs", "input"), "rule0", "input", "did you mean 'inputs'?"),
    (WRITES, WRITES.replace("outputs", "output"), "rule0", "output", "did you mean 'outputs'?"),
    (WRITES, WRITES.replace("name", "Name"), "rule0", "Name", "did you mean 'name'?"),
    (WRITES, WRITES.replace("dtype", "type"), "rule18", "type", "did you mean 'dtype'?"),
    (WRITES, WRITES.replace("shape", "shap"), "rule18", "shap", "did you mean 'shape'?"),
    (LAST, LAST.replace("id", "Id"), "rule0", "Id", "did you mean 'id'?"),
    ("section: ", "sections: ", "rule9", "sections", "did you mean 'section'?"),
    ("golden_steps: ", "golden_step: ", "rule18", "golden_step", "did you mean 'golden_steps'?"),
    ("golden_stage_fn: ", "golden_stage_func: ", "rule18", "golden_stage_func", "did you mean 'golden_stage_fn'?"),
    ("name: double", "nmae: double", "rule18", "nmae", "did you mean 'name'?"),
    ("op: ", "opp: ", "rule0", "opp", "did you mean 'op'?"),
    ("modules:", "module:", "rule0", "module", "did you mean 'modules'?"),
    ("module_count: ", "module_conut: ", "rule0", "module_conut", "did you mean 'module_count'?"),
    ("primary_inputs: ", "primary_input: ", "rule1", "primary_input", "did you mean 'primary_inputs'?"),
    ("final_outputs: ", "final_output: ", "rule3", "final_output", "did you mean 'final_outputs'?"),
    (FINAL, FINAL.replace("source", "sorce"), "rule3", "sorce", "did you mean 'source'?"),
    (FINAL, FINAL.replace("name", "nmae"), "rule3", "nmae", "did you mean 'name'?"),
    ("composition_verification", "composition_verfication", "rule14", "composition_verfication", "_verification'?"),
    ("seeds: ", "seed: ", "rule14", "seed", "did you mean 'seeds'?"),
    ("atol: ", "a_tol: ", "rule14", "a_tol", "did you mean 'atol'?"),
]


MISSING_DASHES = [
    (LAST, "    id: 2\n", "rule18", "id", "begin it with a dash: '- id: 2'"),
    (
        READS,
        "inputs:\n      - name: t\n        source: module_1\n        name: x\n        source: primary",
        "rule18",
        "name",
        "h: '- name: x'",
    ),
    *(
        (READS, f"inputs:\n{dash}name: t\n        source: module_1\n        {second}", "rule18", "name", hint)
        for dash, second, hint in (
            ("     -  ", "name: x\n        source: primary", "begin it with a dash: '- name: x'"),
            ("      -\n        ", "name: x  \n        source: primary", "begin it with a dash: '- name: x'"),
            ("      - ", "? name\n        : x\n        source: primary", "begin it with a dash: '- name'"),
        )
    ),
]

WRONG_VALUES = [
    (READS, READS.replace("module_1", "module_2"), "rule2", "module_2", "Module 1 produces it"),
    (READS, READS.replace("module_1", "modul_1"), "rule2", "modul_1", "did you mean module_1?"),
    (READS, READS.replace("module_1", "primary"), "rule1", "t", "Module 1 produces it: write `source: module_1`"),
    (READS, READS.replace("module_1", "double"), "rule2", "double", "which is called 'double'?"),
    (READS, READS.replace("name: t", "name: T"), "rule2", "T", "did you mean 't'?"),
    (READS, READS.replace("name: t", "name: q"), "rule2", "q", "it has 't'"),
    (READS, "inputs: [t]", "rule0", "t", "write {name: t, source: primary}, or the module_<j>"),
    (READS, "inputs: t", "rule0", "t", "write a list: [t]"),
    (READS, "inputs: {name: t, source: module_1}", "rule0", "{name: t, source: module_1}", "begin its entry with a"),
    (READS + "\n", "# none\n", "rule0", "id: 2", "add `inputs:`"),
    ("{name: x, source: primary}", "{name: X, source: primary}", "rule1", "X", "did you mean 'x'?"),
    ("{name: x, source: primary}", "{name: weight, source: primary}", "rule1", "weight", "the primary inputs are 'x'"),
    ("{name: x, source: primary}", "{name: x, source: primry}", "rule2", "primry", "did you mean primary?"),
    ("outputs: [{name: t,", "outputs: [{name: tt,", "rule2", "t", "did you mean 'tt'?"),
    ("outputs: [{name: t,", "outputs: [{name: q,", "rule2", "t", "it has 'q'"),
    ('outputs: [{name: t, shape: "[M, N]", dtype: float32}]', "outputs: [t]", "rule0", "t", "write {name: t, shape"),
    ('outputs: [{name: t, shape: "[M, N]", dtype: float32}]', "outputs: t", "rule0", "t", "write a list: [t]"),
    (FINAL, FINAL.replace("name: y", "name: z"), "rule3", "z", "it has 'y'"),
    (FINAL, FINAL.replace("name: y", "name: t"), "rule3", "t", "Module 1 produces it"),
    (FINAL, FINAL.replace("module_2", "module_3"), "rule3", "module_3", "Module 2 produces it"),
    (FINAL, FINAL.replace("module_2", "modul_2"), "rule3", "modul_2", "did you mean module_2?"),
    (FINAL, "final_outputs: [y]", "rule0", "y", "write {name: y, source: module_<j>}"),
    (FINAL, "final_outputs: [{}]", "rule3", "{}", "write {name: y, source: module_2}"),
    (FINAL, "final_outputs: []", "rule3", "[]", "list each value that the golden returns"),
    (FINAL + "\n", "", "rule3", "op: shift", "list each value that the golden returns"),
    ("section: vector", "section: vektor", "rule9", "vektor", "did you mean vector?"),
    ("op: shift", "op: shfit", "rule15", "shfit", "write op: shift, or rename the functions"),
    ("shift_golden_stage1\n", "other_golden_stage1\n", "rule15", "other_golden_stage1", "write 'shift_golden_stage1'"),
    ("dtype: float32}]\nfinal", "dtype: float23}]\nfinal", "rule6", "float23", "did you mean 'float32'?"),
]


@pytest.mark.parametrize(("old", "new", "rule", "marked", "hint"), [*MISSPELT_KEYS, *MISSING_DASHES, *WRONG_VALUES])
def test_one_slip_is_one_finding(old: str, new: str, rule: str, marked: str, hint: str) -> None:
    assert said_of(RIGHT) == []
    text = RIGHT.replace(old, new, 1)
    assert text != RIGHT
    findings = said_of(text)
    (finding,) = findings
    assert (finding.rule, finding.marked) == (rule, marked)
    assert hint in finding.hint


# Slips of which the first rules (rule0 to rule7), which keep the meaning that they always had, must say more than one thing:
# what is replaced and by what; rule, marked text and hint of each finding.
TOLD_TWICE = [
    (
        LAST,
        "  - id: two\n",
        [("rule0", "two", "write id: 2"), ("rule3", "module_2", "id of modules[1] is wrong: write")],
    ),
    (
        LAST,
        "  - id: 3\n",
        [("rule8", "3", "write id: 2"), ("rule3", "module_2", "the id of modules[1] is wrong: write")],
    ),
    (
        LAST,
        "  - id: 1\n",
        [
            ("rule8", "1", "write id: 2"),
            ("rule2", "module_1", "the id of modules[1] is wrong: write id: 2 there"),
            ("rule3", "module_2", "the id of modules[1] is wrong: write id: 2 there"),
        ],
    ),
    (
        "  - id: 1\n    name",
        "  - name",
        [("rule0", "name: double", "write id: 1"), ("rule2", "module_1", "the id of modules[0] is wrong: write id: 1")],
    ),
    (
        '    outputs: [{name: t, shape: "[M, N]", dtype: float32}]\n',
        "",
        [
            ("rule0", "id: 1", "add `outputs:`"),
            ("rule4", "id: 1", "list what the Module writes"),
            ("rule2", "module_1", "list its outputs in modules[0]"),
        ],
    ),
    (
        READS,
        READS.replace("module_1", "1"),
        [("rule0", "1", "write primary or module_<j>"), ("rule2", "1", "did you mean module_1?")],
    ),
    (
        READS,
        READS.replace(", source: module_1", ""),
        [("rule0", "{name: t}", "add `source:`"), ("rule2", "{name: t}", "Module 1 produces it: write `source")],
    ),
    (
        'primary_inputs: [{name: x, shape: "[M, N]", dtype: float32}]\n',
        "primary_inputs: [x]\n",
        [("rule1", "[x]", "list each primary input as {name: x,"), ("rule0", "x", "write {name: x, shape: ")],
    ),
]


@pytest.mark.parametrize(("old", "new", "expected"), TOLD_TWICE)
def test_what_follows_from_a_slip_names_it_and_is_told_once(
    old: str, new: str, expected: list[tuple[str, str, str]]
) -> None:
    findings = said_of(RIGHT.replace(old, new, 1))
    assert sorted((f.rule, f.marked) for f in findings) == sorted((rule, marked) for rule, marked, _ in expected)
    hints = {f.rule: f.hint for f in findings}
    assert all(hint in hints[rule] for rule, _, hint in expected)


def test_what_follows_from_a_slip_is_told_once_however_often_it_follows() -> None:
    text = RIGHT.replace("outputs: [{name: t,", "outputs: [{name: u}, {name: t,")
    text = text.replace(READS, "inputs: [{name: t, source: module_1}, {name: u, source: module_1}]")
    assert said_of(text) == []
    for slip in (
        text.replace("id: 1", "id: 0"),
        text.replace("id: 2", "id: 1"),
        text.replace("  - id: 1\n    n", "  - n"),
    ):
        assert [finding.rule for finding in said_of(slip)].count("rule2") == 1
    there_is_none = text.replace("source: module_1", "source: module_7")
    assert [finding.rule for finding in said_of(there_is_none)].count("rule2") == 2


SEVERAL = RIGHT.replace(READS, "inputs: [{name: t, source: module_1}, {name: x, source: primary}]").replace(
    FINAL, "final_outputs: [{name: y, source: module_2}, {name: t, source: module_1}]"
)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("[{name: x, shape", "[{name: X, shape", [("rule1", "X", "did you mean 'x'?")]),
        ("[{name: x, shape", "[{name: data, shape", [("rule1", "data", "did you mean 'x'?")]),
        ("outputs: [{name: t,", "outputs: [{name: T,", [("rule2", "T", "mean 't'?"), ("rule3", "T", "mean 't'?")]),
        ("outputs: [{name: t,", "outputs: [{name: q,", [("rule2", "q", "mean 't'?"), ("rule3", "q", "mean 't'?")]),
        ("outputs: [{name: t,", "outputs: [{name: q}, {name: u,", [("rule2", "t", "it has"), ("rule3", "t", "it has")]),
    ],
)
def test_a_value_that_several_read_by_another_name(old: str, new: str, expected: list[tuple[str, str, str]]) -> None:
    assert said_of(SEVERAL) == []
    findings = sorted(f for f in said_of(SEVERAL.replace(old, new, 1)) if f.rule != "rule13")
    assert [(f.rule, f.marked) for f in findings] == [(rule, marked) for rule, marked, _ in expected]
    assert all(hint in f.hint for f, (_, _, hint) in zip(findings, expected, strict=True))


def test_primary_inputs_that_are_missing_are_one_finding() -> None:
    text = RIGHT.replace('primary_inputs: [{name: x, shape: "[M, N]", dtype: float32}]\n', "")
    text = text.replace(READS, "inputs: [{name: t, source: module_1}, {name: w, source: primary}]")
    (finding,) = said_of(text)
    assert finding.rule == "rule1"
    assert finding.message == "the contract has no primary_inputs: Modules read 'x', 'w'"


def test_a_slip_does_not_hide_what_else_is_wrong() -> None:
    text = RIGHT.replace("primary_inputs: [", "primary_inputs: [{name: w}, {name: v}, ")
    text = text.replace("{name: x, source: primary}", "{name: X, source: primary}")
    assert [(f.rule, f.marked) for f in said_of(text)] == [("rule13", "w"), ("rule13", "v"), ("rule1", "X")]


@pytest.mark.parametrize(
    ("op", "hint"),
    [("shift-left", "write op: shift_left"), ("shift!", "write op: shift"), ("2d", "write a name such as row_softmax")],
)
def test_an_operator_that_no_function_can_be_called_after(op: str, hint: str) -> None:
    (finding,) = said_of(RIGHT.replace("shift", op))
    assert (finding.rule, finding.marked, finding.hint) == ("rule15", op, hint)
    assert finding.message == f"op is '{op}', and no function can be called '{op}_golden'"


def test_flags_wait_for_the_sources() -> None:
    text = RIGHT.replace("section: vector", "section: cube", 1).replace("op: shift", "op: shift\nis_fusion: true")
    (finding,) = said_of(text)
    assert finding.message.startswith("has_cross_core is missing")
    (finding,) = said_of(text.replace("source: module_1", "source: modul_1"))
    assert finding.rule == "rule2"


def test_dashes_that_are_missing_one_behind_another() -> None:
    names = "\n".join(f"        name: x\n        source: primary{' ' * n}" for n in range(3))
    entries = f"inputs:\n      - name: t\n        source: module_1\n{names}"
    findings = [f for f in said_of(RIGHT.replace(READS, entries)) if f.rule != "rule8"]
    assert [(f.rule, f.marked) for f in findings] == [("rule18", "name")] * 3
    assert findings[0].message == "modules[1].inputs[0] has 'name', 'source' twice: a second entry begins here"


def test_of_the_keys_of_an_entry_without_a_dash_three_are_named() -> None:
    wire = "{0}name: t\n        source: module_1\n        dtype: float32"
    (input_,) = said_of(RIGHT.replace(READS, f"inputs:\n      {wire.format('- ')}\n        {wire.format('')}"))[:1]
    assert input_.message == "modules[1].inputs[0] has 'name', 'source', 'dtype' twice: a second entry begins here"
    (module,) = said_of(RIGHT.replace(LAST, "    id: 2\n"))
    assert module.message == "modules[0] has 'id', 'name', 'description' and others twice: a second entry begins here"


def test_of_entries_that_run_into_one_another_so_many_are_told_and_no_more() -> None:
    names = "\n        name: x\n        source: primary" * 100
    findings = said_of(RIGHT.replace(READS, f"inputs:\n      - name: t\n        source: module_1{names}"))
    assert len([f for f in findings if "a second entry begins here" in f.message]) < 20


BRACES = "inputs:\n      - {}{{name: t, source: module_1,\n           name: t, source: module_1}}"


@pytest.mark.parametrize(
    ("old", "new", "marked"),
    [
        ("op: shift\n", "op: shift\nparams:\n  a: 1\n  b: 1\n  a: 1\n  b: 1\n", ["a", "b"]),
        (READS, BRACES.format(""), ["name", "source"]),
        (READS, READS.replace("{name: t, ", "{name: t, source: module_1,\n        name: t, "), ["name", "source"]),
    ],
)
def test_keys_that_occur_twice_elsewhere_hide_no_missing_dash(old: str, new: str, marked: list[str]) -> None:
    findings = said_of(RIGHT.replace(LAST, "    id: 2\n").replace(old, new))
    twice = [f.marked for f in findings if "occurs twice" in f.message]
    dashes = [f.marked for f in findings if "a second entry begins here" in f.message]
    assert (twice, dashes, len(findings)) == (marked, ["id"], 3)


def test_keys_that_occur_twice_where_a_dash_is_no_remedy() -> None:
    findings = said_of(RIGHT.replace(READS, BRACES.format("&a ")))
    assert [f.message for f in findings] == [
        f"the key '{key}' occurs twice in modules[1].inputs[0], first in line 22" for key in ("name", "source")
    ]


def test_thousands_of_missing_dashes_do_not_take_long() -> None:
    two = "  - id: {}\n    inputs: []\n    outputs: []\n    id: {}\n    inputs: []\n    outputs: []\n"
    text = "op: x\nmodule_count: 1\nmodules:\n" + "".join(two.format(k, k + 1) for k in range(1, 10_000, 2))
    start = time.process_time()
    _, findings = with_dashes(parse(text, "c"))
    assert (len(findings), time.process_time() - start < 5) == (5_000, True)


def test_one_key_that_occurs_twice_is_no_missing_dash() -> None:
    text = RIGHT.replace(LAST, f"{LAST}    section: vector\n")
    (finding,) = said_of(text)
    assert finding.hint == "keep one of them: the last one wins"


def test_keys_that_are_alike_but_other_words_stay_unknown() -> None:
    text = RIGHT.replace("    section: vector\n", "    direction: vector\n", 1)
    assert {finding.rule for finding in said_of(text)} == {"rule9", "rule18"}


def test_a_key_that_is_there_is_not_meant_by_another() -> None:
    text = RIGHT.replace(LAST, f"{LAST}    sections: cube\n")
    (finding,) = said_of(text)
    assert (finding.rule, finding.hint) == ("rule18", "did you mean 'section'?")


def test_what_stands_under_a_misspelt_key_is_judged() -> None:
    text = RIGHT.replace("modules:", "module:").replace("section: vector", "section: vektor", 1)
    findings = said_of(text)
    assert [(finding.rule, finding.marked) for finding in findings] == [("rule0", "module"), ("rule9", "vektor")]


def test_an_optional_key_that_is_misspelt_has_no_structure_yet() -> None:
    text = RIGHT.replace(LAST, f"{LAST}    traversals: 3\n")
    (finding,) = said_of(text)
    assert (finding.rule, finding.severity, finding.hint) == ("rule18", "warning", "did you mean 'traversal'?")


def test_many_misspelt_keys_do_not_take_long() -> None:
    entries = ", ".join(["{nam: x, shap: [], dtyp: int8}"] * 9_000)
    assert len(said_of(f"op: x\nmodule_count: 1\nprimary_inputs: [{entries}]\nmodules: []\n")) > 9_000
