"""Branches of rules that only a mutant of theirs has shown: each case fails where that branch is another one."""

import pytest
from judged import Said, said, said_of

from r0kit.validate import validate_text
from r0kit.validate.examples import completed

T = "{name: t, source: module_1}"


def _outputs(entry: str) -> str:
    return f"outputs: [{{name: y, {entry}}}]"


def _verified(**fields: str) -> str:
    values = {"atol": "0.1", "rtol": "0.1", "seeds": "[1]", "shapes": "[{M: 1, N: 1}]", **fields}
    return f"composition_verification: {{{', '.join(f'{key}: {value}' for key, value in values.items())}}}"


# The rule, lines of a contract (see `completed`), the text that must be marked, words of the message and of the hint.
ROWS = [
    (
        "rule2",
        f"inputs: [{T}, {{name: q, source: 'pri mary'}}]",
        *(
            "'pri mary'",
            "Module 2, input 'q': the text 'pri mary' is not primary or module_<j>",
            "did you mean primary?",
        ),
    ),
    (
        "rule2",
        "id: 9\ninputs: [{name: t, source: module_5}]",
        *("module_5", "there is no Module 5 with outputs", "write `source: module_1`"),
    ),
    (
        "rule1",
        f'primary_inputs: [{{name: x, shape: "[M, N]"}}, q]\ninputs: [{T}, {{name: w, source: primary}}]',
        '[{name: x, shape: "[M, N]"}, q]',
        "primary_inputs does not list what is read of it: Modules read 'w'",
        "list each primary input as {name: w, ",
    ),
    ("rule1", "primary_inputs: []", "x", "no primary input is called 'x'", "add 'x' to primary_inputs"),
    (
        "rule2",
        "id: 1\ninputs: [{name: t, source: module_2}]",
        *("module_2", "is a later Module", "name an earlier Module"),
    ),
    (
        "rule2",
        "id: 1\ninputs: [{name: t, source: module_1}]",
        *("module_1", "is the Module itself", "the id of modules[1] is wrong: write id: 2 there"),
    ),
    *(
        ("rule2", f"inputs: [{T}, {{{name}source: {source}}}]", source, "is not primary or module_<j>", hint)
        for name, source, hint in (
            ("", "there", "Modules are counted from 1"),
            ("", "module-1", "did you mean module_1?"),
            ("name: q, ", "[module_1]", "Modules are counted from 1"),
            ("name: q, ", "module-7", "did you mean module_7?"),
            ("name: q, ", "module_ 7", "did you mean module_7?"),
            ("name: q, ", "stage_9", "Modules are counted from 1"),
        )
    ),
    (
        "rule3",
        "final_outputs: [{name: y, source: module_3}]",
        *("module_3", "final output 'y': the source 'module_3' is beyond module_count 2", "module_2`"),
    ),
    ("rule3", "final_outputs:", "", "final_outputs is empty", "list each value"),
    (
        "rule18",
        "outputs: [{name: y, dims: [M, N], dtype: float32}]",
        *("dims", "the key 'dims' in modules[1].outputs[0] means nothing here", "did you mean 'shape'?"),
    ),
    (
        "rule18",
        "reduction: [{axiss: N}]",
        "axiss",
        "'axiss' in reduction[0] means nothing here",
        "did you mean 'axis'?",
    ),
    (
        "rule18",
        "dimensions: [{kernal: N}]",
        "kernal",
        "'kernal' in dimensions[0] means nothing",
        "did you mean 'kernel'?",
    ),
    *(
        ("rule18", f"{record}", marked, "means nothing here", f"did you mean '{meant}'?")
        for record, marked, meant in (
            ("boundary: [{knid: section}]", "knid", "kind"),
            ("traversal: {axis: [M, N]}", "axis", "axes"),
            ("handoff: [{valeu: t}]", "valeu", "value"),
        )
    ),
    *(
        ("rule9", f"section: {word}", word, f"the text '{word}' is no section", f"did you mean {meant}?")
        for meant, words in (("cube", ("aic", "matrix", "matmul", "mmad", "gemm")), ("vector", ("AIV", "simd", "simt")))
        for word in words
    ),
    (
        "rule12",
        _verified(shapes="[{M: x, N: 1}]"),
        *("x", "composition_verification.shapes[0]: the text 'x' is no extent of 'M'", "write an integer"),
    ),
    (
        "rule12",
        f'primary_inputs: [{{name: x, shape: "[M, N]"}}, q]\n{_verified(shapes="[{M: 1}]")}',
        *("{M: 1}", "composition_verification.shapes[0] gives no extent to 'N'", "add 'N'"),
    ),
    ("rule9", "section: ' cube '", "' cube '", "the text ' cube ' is no section", "did you mean cube?"),
    ("rule9", "section: ' Scaling '", "' Scaling '", "' Scaling ' is no section", "Scaling is a buffer"),
    (
        "rule14",
        _verified(policy="pro_scheme_a", rtol="x"),
        *("x", "rtol must be a number, not the text 'x'", "write a number"),
    ),
    *(
        ("rule11", f"description: {text}", text, "modules[1].description still has to be filled in", "decide")
        for text in (
            *("as TBD says", "TBC by R1", "the XXX axis", "fixme", "tbc", "xxx", "changeme"),
            *("待填", "待填写", "待补", "待确认"),
        )
    ),
]


@pytest.mark.parametrize(("rule", "example", "marked", "message", "hint"), ROWS)
def test_one_fault(rule: str, example: str, marked: str, message: str, hint: str) -> None:
    (found,) = [finding for finding in said(example) if finding.rule == rule]
    assert (found.marked, message in found.message, hint in found.hint) == (marked, True, True), found


# The dtype that is meant -> how frameworks and kernel languages spell it.
SPELLINGS = {
    "float32": ("fp32", "float", "double", "fp64", "f32", "f64", "single", "tl.float32", "jnp.float32"),
    "float16": ("fp16", "f16", "half", "numpy.float16", "pl.fp16"),
    "bfloat16": ("bf16", "bfp16", "brain"),
    "float8": (
        *("fp8", "f8", "float8_e4m3", "float8_e4m3fn", "float8_e5m2", "hf8"),
        *("fp8e4m3", "fp8e5m2", "fp8_e4m3", "fp8_e5m2"),
    ),
    "int64": ("long", "i64"),
    "int32": ("i32",),
    "int16": ("short", "i16"),
    "int8": ("char", "i8"),
    "uint8": ("byte", "u8"),
    **{f"uint{bits}": (f"u{bits}",) for bits in (16, 32, 64)},
    "int": ("integer",),
    "bool": ("boolean",),
}


@pytest.mark.parametrize(("meant", "spelling"), [(meant, each) for meant, all_ in SPELLINGS.items() for each in all_])
def test_a_dtype_in_another_spelling(meant: str, spelling: str) -> None:
    (found,) = said(_outputs(f"dtype: {spelling}"))
    assert (found.rule, found.marked, found.hint) == ("rule6", spelling, f"write {meant}")


def _case(case: str, *inputs: str) -> str:
    """Primary inputs of these shapes, called x0, x1, ..., and a case."""
    primary = ", ".join(f"{{name: x{index}, shape: {shape}}}" for index, shape in enumerate(inputs))
    return f"primary_inputs: [{primary}]\n{_verified(shapes=f'[{case}]')}"


EXTENT = "{} is no extent of '{}'"
NONE = "gives no extent to {}"
SHAPES = "gives the shapes of inputs, not the extents of symbols"
ONE, TWO = "[M]", "[M, N]"


@pytest.mark.parametrize(
    ("case", "inputs", "told"),
    [
        # Symbols with `=`: each key of the mapping is one, and has no value.
        (
            "{A=1, B=2, C=3, D=4, E=5, F=6}",
            [ONE],
            [("'A=1' is no symbol with its extent", "write {A: 1, B: 2, C: 3, D: 4, E: 5}")],
        ),
        ("{M=4: 4}", [ONE], [(NONE.format("'M'"), "add 'M' with its extent")]),
        ("{M}", [ONE], [(EXTENT.format("empty", "M"), "give it a value, or remove the key where it is optional")]),
        # Shapes of inputs: every value is a list, and some key is an input.
        (
            "{M: 4, x0: [4, 8]}",
            [TWO],
            [(NONE.format("'N'"), "add 'N' with its extent"), (EXTENT.format("a list", "x0"), "write an integer")],
        ),
        ("{M: [4]}", [ONE], [(EXTENT.format("a list", "M"), "write an integer")]),
        ("{x0: [4, 8], q: [1]}", [TWO], [(SHAPES, "write {M: 4, N: 8}")]),
        ("{x0: [4], x1: [4, 8]}", [ONE, TWO], [(SHAPES, "write {M: 4, N: 8}")]),
        ("{x0: [4], x1: [5, 8]}", [ONE, TWO], [(SHAPES, "write {M: 4, N: 8}")]),
        ("{x0: [a, 8]}", [TWO], [(SHAPES, "write {N: 8}")]),
        ("{x0: [4, 6, 8]}", ["[M, 2 * K, N]"], [(SHAPES, "write {M: 4, N: 8}")]),
        ("{x0: [4, 6, 8]}", ["' [ M , 6,N] '"], [(SHAPES, "write {M: 4, N: 8}")]),
        ("{x0: [4, 8, 2]}", [TWO], [(SHAPES, "write {M: 4, N: 8}")]),
        ("{x0: [1, 2, 3, 4, 5, 6]}", ["[A, B, C, D, E, F]"], [(SHAPES, "write {A: 1, B: 2, C: 3, D: 4, E: 5}")]),
        ("{x0: [4, 8]}", ["'[M, N / 2]'"], [(SHAPES, "write {M: 4, N: 128}")]),
        # Symbols that are missing.
        ("{4: 8}", [ONE], [(NONE.format("'M'"), "add 'M' with its extent")]),
        ("{m: 4, q: 8}", [TWO], [(NONE.format("'M', 'N'"), "add 'M' with its extent")]),
        ("{N1: 4}", ["[N1, N2]"], [(NONE.format("'N2'"), "add 'N2' with its extent")]),
        ("{NN: 4}", ["[NN, N]"], [(NONE.format("'N'"), "add 'N' with its extent")]),
    ],
)
def test_what_a_case_has_instead_of_extents(case: str, inputs: list[str], told: list[tuple[str, str]]) -> None:
    findings = [
        finding for finding in said(_case(case, *inputs)) if finding.rule == "rule12" and "shapes[0]" in finding.message
    ]
    assert [(finding.message.partition("shapes[0]")[2].lstrip(": "), finding.hint) for finding in findings] == told


@pytest.mark.parametrize(
    ("more", "symbols"),
    [
        ("", "'M', 'N'"),
        ("params: {1: 2, alpha: 3}\n", "'M', 'N', 'alpha'"),
        ("symbols: [{name: S1}, {name: S2}, {name: S3}, {name: S4}]\n", "'M', 'N', 'S1', 'S2', 'S3'"),
    ],
)
def test_symbols_that_there_are(more: str, symbols: str) -> None:
    (found,) = [
        finding for finding in said(f"{more}outputs: [{{name: y, shape: [M, zzz]}}]") if finding.rule == "rule12"
    ]
    assert (
        found.hint == f"use the symbols of the primary inputs ({symbols}), or declare this one under symbols or params"
    )


@pytest.mark.parametrize(
    ("example", "rules"),
    [
        ("1: x", {"rule0"}),
        ("section: cube\ninputs: 3", {"rule0"}),
        ("outputs: 3", {"rule0"}),
        ("final_outputs: x", {"rule0"}),
    ],
)
def test_exactly_these_rules(example: str, rules: set[str]) -> None:
    assert {finding.rule for finding in said(example)} == rules


def _hints(text: str, rule: str) -> list[str]:
    return [finding.hint for finding in said_of(text) if finding.rule == rule]


def _contract(*modules: str, rest: str = "") -> str:
    return f"op: x\nmodule_count: {len(modules)}\nmodules:\n{''.join(f'  - {module}{chr(10)}' for module in modules)}{rest}"


def test_a_file_that_is_no_mapping_has_one_fault() -> None:
    for text in ("", "- op: x\n", "not found", "3"):
        assert [finding.rule for finding in said_of(text)] == ["rule0"]


def test_a_module_without_an_id_may_have_meant_any_value() -> None:
    text = _contract(
        "{id: 1, inputs: [], outputs: [{name: total}]}", "{inputs: [{name: totl, source: module_7}], outputs: []}"
    )
    assert _hints(text, "rule2") == ["did you mean 'total'? Module 1 produces it: write `source: module_1`"]


def test_of_a_hundred_names_to_suggest_those_of_the_latest_module_come_first() -> None:
    others = ", ".join(f"{{name: '{number}'}}" for number in range(100))
    text = _contract(
        f"{{id: 1, inputs: [], outputs: [{others}]}}",
        "{id: 2, inputs: [], outputs: [{name: total}]}",
        "{id: 3, inputs: [{name: totl, source: module_3}], outputs: []}",
    )
    assert _hints(text, "rule2") == ["did you mean 'total'? Module 2 produces it: write `source: module_2`"]


@pytest.mark.parametrize(("first", "at", "noticed"), [("M", 499, True), ("MM", 498, True), ("MM", 499, False)])
def test_of_shapes_a_thousand_characters_are_compared(first: str, at: int, noticed: bool) -> None:
    made = [first, *"M" * 600]
    read = [*made[:at], "N", *made[at + 1 :]]
    text = _contract(
        f"{{id: 1, inputs: [], outputs: [{{name: t, shape: [{', '.join(made)}]}}]}}",
        f"{{id: 2, inputs: [{{name: t, source: module_1, shape: [{', '.join(read)}]}}], outputs: [{{name: y}}]}}",
        rest="final_outputs: [{name: y, source: module_2}]\n",
    )
    assert ("rule13" in {finding.rule for finding in said_of(text)}) == noticed


def test_the_latest_module_before_the_reader_is_advised_wherever_it_stands() -> None:
    text = _contract(
        "{id: 2, inputs: [], outputs: [{name: a}]}",
        "{id: 1, inputs: [], outputs: [{name: a}]}",
        "{id: 3, inputs: [{name: a, source: primary}], outputs: [{name: b}]}",
    )
    assert _hints(text, "rule1") == ["Module 2 produces it: write `source: module_2`"]


def test_what_a_later_module_makes_is_not_advised_wherever_it_stands() -> None:
    text = _contract(
        "{id: 3, inputs: [], outputs: [{name: total}]}",
        "{id: 1, inputs: [], outputs: [{name: a}]}",
        "{id: 2, inputs: [{name: totl, source: module_7}], outputs: [{name: b}]}",
    )
    assert _hints(text, "rule2") == ["name an earlier Module that has this output"]


@pytest.mark.parametrize(
    ("rule", "read", "hint"),
    [
        ("rule1", "{name: t, source: primary}", "Module 1 produces it: write `source: module_1`"),
        ("rule2", "{name: x, source: module_1}", "it is a primary input: write `source: primary`"),
    ],
)
def test_a_value_that_several_read_from_the_wrong_source_is_no_other_value(rule: str, read: str, hint: str) -> None:
    text = _contract(
        "{id: 1, inputs: [], outputs: [{name: t}]}",
        f"{{id: 2, inputs: [{read}], outputs: [{{name: y}}]}}",
        f"{{id: 3, inputs: [{read}], outputs: [{{name: z}}]}}",
        rest="primary_inputs: [{name: x}]\n",
    )
    assert _hints(text, rule) == [hint, hint]


def test_names_for_which_there_is_no_other_do_not_use_up_the_suggestions() -> None:
    wires = ", ".join(f"{{name: total{number}, source: module_1}}" for number in ("", *range(60)))
    text = _contract("{id: 1, inputs: [], outputs: [{name: total}]}", f"{{id: 2, inputs: [{wires}], outputs: []}}")
    assert _hints(text, "rule2")[0] == "did you mean 'total'?"


def _only(findings: list[Said], rule: str) -> list[str]:
    return [finding.message for finding in findings if finding.rule == rule]


def test_stage_functions_of_a_module_that_is_numbered_wrongly() -> None:
    text = completed("zzz: 1").replace("id: 2", "id: 0", 1)
    assert not _only(said_of(text), "rule15"), "the second Module is the second one"


Y = '{name: y, shape: "[M, N]", dtype: float32}'
UNUSED = "Module 2: the output 'z' is neither used nor final"


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        (f"{T}, {{}}", []),  # whatever it was meant to read
        (f"{{}}, {T}", []),
        (f"{T}, {{}}, {{name: q, source: there}}", []),
        (f"{T}, {{source: primary}}", [UNUSED]),
        (f"{T}, {{name: q, source: there}}", [UNUSED]),
        (T, [UNUSED]),
    ],
)
def test_what_is_unused_is_told_where_what_is_read_is_known(inputs: str, told: list[str]) -> None:
    assert _only(said(f"inputs: [{inputs}]\noutputs: [{Y}, {{name: z}}]"), "rule13") == told


def test_outputs_of_a_module_without_an_id_may_be_used() -> None:
    text = completed(f"outputs: [{Y}, {{name: z}}]").replace("  - id: 2\n    name", "  - name")
    assert _only(said_of(text), "rule13") == []


def test_a_value_that_is_read_in_vain_may_be_any_of_two() -> None:
    text = _contract(
        "{id: 1, inputs: [], outputs: [{name: left}, {name: right}]}",
        "{id: 2, inputs: [{name: q, source: module_1}], outputs: [{name: y}]}",
        rest="final_outputs: [{name: y, source: module_2}]\n",
    )
    assert len(_only(said_of(text), "rule13")) == 2
    assert not _only(said_of(text.replace(", {name: right}", "")), "rule13")


@pytest.mark.parametrize(
    ("written", "rules"),
    [
        ("final_output: 3", ["rule3"]),
        ("final_output: [{name: 3, source: module_2}]", ["rule3", "rule3"]),
        ("final_output: 3\nsymbols: 4", ["rule0", "rule3"]),
        ("final_outputs: [{name: y, source: module_2}]\nsymbols: 4\nzzz: 1", ["rule0", "rule18"]),
    ],
)
def test_what_is_under_a_misspelt_key_is_that_key_s_fault_alone(written: str, rules: list[str]) -> None:
    text = completed("op: shift").replace("final_outputs: [{name: y, source: module_2}]", written)
    assert sorted(finding.rule for finding in said_of(text) if finding.rule != "rule13") == rules


def test_a_required_key_that_is_misspelt_and_has_a_wrong_value_is_told_twice() -> None:
    messages = _only(said_of(completed("op: shift").replace("op: shift", "opp: 3")), "rule0")
    assert sorted(messages) == ["op must be a name, not the number 3", "the contract has no `op`, but a key 'opp'"]


@pytest.mark.parametrize("modules", ["3", "[]"])
def test_how_many_modules_there_are_is_told_where_there_are_some(modules: str) -> None:
    text = f"op: x\nmodule_count: y\nmodules: {modules}\n"
    assert "write an integer" in _hints(text, "rule0")


@pytest.mark.parametrize(
    ("inputs", "is_known"),
    [
        (T, True),
        (f"{T}, {{name: x, source: primary}}", True),
        (f"{T}, {{name: q, source: module_7}}", False),
        (f"{{name: q, source: module_7}}, {T}", False),
        (f"{T}, {{name: q, source: module_1}}", False),
        (f"{T}, {{name: q, source: there}}", False),
    ],
)
def test_no_value_passes_between_sections_where_every_source_is_known(inputs: str, is_known: bool) -> None:
    message = "has_cross_core is true, but no value passes between cube and vector Modules"
    assert _only(said(f"has_cross_core: true\ninputs: [{inputs}]"), "rule10") == [message] * is_known


def test_flags_and_stage_functions_of_a_contract_without_modules() -> None:
    findings = said_of("op: x\nmodule_count: 0\nis_fusion: true\nmodules: []\n")
    assert not _only(findings, "rule10") and not _only(findings, "rule15")


@pytest.mark.parametrize(
    ("key", "written"), [("atol", "atoll"), ("rtol", "rtoll"), ("seeds", "seedz"), ("shapes", "shape")]
)
def test_a_misspelt_key_that_verification_needs(key: str, written: str) -> None:
    (found,) = said(_verified().replace(f"{key}:", f"{written}:"))
    assert (found.rule, found.marked) == ("rule14", written)
    assert found.message == f"composition_verification has no `{key}`, but a key '{written}'"


@pytest.mark.parametrize(
    ("outputs", "read"),
    [("{name: left}, {name: beta}", "q"), ("{name: left}, {name: beta}, {name: other}", "betta")],
)
def test_a_value_that_several_read_by_another_name_is_one_fault(outputs: str, read: str) -> None:
    text = _contract(
        f"{{id: 1, inputs: [], outputs: [{outputs}]}}",
        f"{{id: 2, inputs: [{{name: left, source: module_1}}, {{name: {read}, source: module_1}}], outputs: [{{name: y}}]}}",
        f"{{id: 3, inputs: [{{name: {read}, source: module_1}}], outputs: [{{name: z}}]}}",
    )
    assert len(_only(said_of(text), "rule2")) == 1


@pytest.mark.parametrize(
    ("outputs", "read"),
    [("{name: t}", "tt"), ("{name: left}, {name: beta}", "betta")],
)
def test_a_value_that_a_hundred_read_by_another_name_is_one_fault(outputs: str, read: str) -> None:
    wire = f"{{name: {read}, source: module_1}}"
    readers = (f"{{id: {number}, inputs: [{wire}], outputs: []}}" for number in range(2, 102))
    assert len(_only(said_of(_contract(f"{{id: 1, inputs: [], outputs: [{outputs}]}}", *readers)), "rule2")) == 1


@pytest.mark.parametrize("outputs", ["", "{name: total0}, "])
def test_what_is_read_of_a_module_of_which_all_is_read_uses_up_no_suggestions(outputs: str) -> None:
    names = [f"total{number}" for number in range(1, 61)]  # they stand where outputs must, so that rule0 tells them
    text = _contract(
        f"{{id: 1, inputs: [], outputs: [{outputs}{', '.join(names)}]}}",
        f"{{id: 2, inputs: [{', '.join(f'{{name: {name}, source: module_1}}' for name in names)}], outputs: [{{name: y}}]}}",
        rest="final_outputs: [{name: y, source: module_2}]\nopp: 1\n",
    )
    assert _hints(text, "rule18") == ["did you mean 'op'?"]


def test_inputs_without_a_name_are_no_name_that_several_read() -> None:
    wires = "{source: module_1}, {source: module_1}"
    text = _contract(
        "{id: 1, inputs: [], outputs: [{name: left}]}",
        f"{{id: 2, inputs: [{wires}, {{name: q, source: module_1}}], outputs: []}}",
    )
    assert len(_only(said_of(text), "rule2")) == 1


def test_symbols_of_a_contract_that_reads_no_primary_input_are_declared_by_none() -> None:
    text = _contract("{id: 1, inputs: [], outputs: [{name: t, shape: '[K]'}]}")
    assert [finding.marked for finding in said_of(text) if finding.rule == "rule12"] == ["'[K]'"]


@pytest.mark.parametrize(
    ("seeds", "hint"), [("['42']", "remove the quotes: 42"), ("[x]", "write an integer, such as 42, 123")]
)
def test_an_example_of_seeds_where_nothing_more_is_known(seeds: str, hint: str) -> None:
    assert [f.hint for f in said(_verified(seeds=seeds)) if f.rule == "rule14"] == [hint]


def test_an_extent_may_be_zero() -> None:
    assert said(_verified(shapes="[{M: 0, N: 1}]")) == []


def test_outputs_that_are_no_list_are_those_of_the_module_with_the_id() -> None:
    text = _contract(
        "{id: 2, inputs: [], outputs: [{name: a}]}",
        "{id: 1, inputs: [], outputs: t}",
        "{id: 3, inputs: [{name: t, source: module_1}], outputs: []}",
    )
    assert _hints(text, "rule2") == []


def test_the_name_of_a_module_without_an_id_is_not_the_number_of_another() -> None:
    text = _contract(
        "{id: 1, inputs: [], outputs: [{name: a}]}",
        "{name: stage 1, inputs: [], outputs: [{name: b}]}",
        "{id: 3, inputs: [{name: q, source: stage 1}], outputs: []}",
    )
    assert _hints(text, "rule2") == ["Modules are counted from 1: module_1, module_2, ..."]


def test_of_modules_of_one_name_the_first_is_meant() -> None:
    text = _contract(
        "{id: 1, name: twice, inputs: [], outputs: [{name: a}]}",
        "{id: 2, name: twice, inputs: [], outputs: [{name: b}]}",
        "{id: 3, inputs: [{name: q, source: twice}], outputs: []}",
    )
    assert _hints(text, "rule2") == ["did you mean module_1, which is called 'twice'?"]


COMMA = "write a number with a point, and text that has a comma in quotes"
QUOTES = "put it in quotes"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("atol: {0,5}", COMMA),
        ("shapes: [{M: 1}, {5}]", COMMA),
        ("shapes: {x: [{5}]}", COMMA),
        ("shapes: [{5: 3}]", QUOTES),
        ("shapes: [{on}]", QUOTES),
        ("shapes: [{1.5}]", QUOTES),
        # A second value of the same key has replaced the one in which the key stands.
        ("shapes: [1, {5}]\nshapes: [1]", QUOTES),
        ("shapes: [{M: 1}, {5}]\nshapes: [1, {5: 6}]", QUOTES),
        ("shapes: [{5}]\nshapes: {M: 1}", QUOTES),
        ("shapes: [{5}]\nshapes: M", QUOTES),
        ("shapes: [{5}]\nshapes: 3", QUOTES),
        ("shapes: {M: {5}}\nshapes: [1, 2]", QUOTES),
        ("shapes: {M: {5}}\nshapes: {N: 1}", QUOTES),
    ],
)
def test_a_key_that_is_no_text_may_be_what_a_comma_has_made(text: str, hint: str) -> None:
    told = [finding for finding in validate_text(f"{text}\n").findings if "is not text" in finding.message]
    assert {finding.hint for finding in told} == {hint}
