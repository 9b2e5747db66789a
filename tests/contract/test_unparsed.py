"""What people get wrong in YAML: the place of the slip rather than that where a parser gave up, and what to write."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r0kit.contract import events
from r0kit.contract.pure import PureParser
from r0kit.contract.read import parse
from r0kit.contract.slips import cut
from r0kit.contract.unparsed import slip_in
from r0kit.finding import Finding, InputError

PARSERS = {"fast": events.FAST, "pure": PureParser}
RIGHT = (Path(__file__).parents[1] / "contracts/matmul_bias_gelu.yaml").read_text("utf-8")
OUTPUTS = 'outputs: [{name: c, shape: "[M, N]", dtype: float32}]'
STEPS = '["c = a @ b + bias"]'
DESCRIPTION = "description: product of"
GENERAL = (
    'put text that contains ": " in quotes, and check the indentation',
    "check the indentation and the quotes here and in the line above",
)


@pytest.fixture(params=PARSERS, autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Every test of this file runs with libyaml's parser and with PyYAML's own."""
    monkeypatch.setattr(events, "FAST", PARSERS[request.param])
    yield request.param


def refused(text: str) -> Finding:
    with pytest.raises(InputError) as caught:
        parse(text, "c.yaml")
    (finding,) = caught.value.findings
    return finding


# What is replaced in a right contract and by what, the text at the place of the finding, and the hint.
SLIPS = [
    ("{name: a, source: primary}", "{name: a source: primary}", "source: p", "write a comma before `source`"),
    ("{name: a, source: primary}", "{name: a， source: primary}", "， source", "， is a full-width mark: write ,"),
    ("{name: a, source: primary},", "{name: a, source: primary}", "{name: b", "write a comma before `{`"),
    ('shape: "[M, N]", dtype: float32', "shape: “[M, N]”, dtype: float32", "“[M", '“ is a full-width mark: write "'),
    (OUTPUTS, OUTPUTS[:-1], '[{name: c, shape: "[M', "close the bracket that opens here: ]"),
    (OUTPUTS, OUTPUTS[:-2] + "]", "]\n    golden_stage_fn: matmul_bias_gelu_golden_stage1\n", "write } before ]"),
    ("axes: [M, N, K]", "axes: [M, N, K)", "), reduces", "write ]"),
    (OUTPUTS, OUTPUTS + "]", "]\n    golden_stage", "remove the ] that closes nothing"),
    (OUTPUTS, OUTPUTS.replace("[{name: c,", "[{name: c,\n     ")[:-1], "[{name: c,\n", "close the bracket"),
    ("section: cube", "section:cube", "section:cube", "write a blank behind the colon: `section: cube`"),
    ("section: cube", "section：cube", "：cube", "： is a full-width mark: write :"),
    ("module_count: 2", "module_count = 2", "module_count =", "write `module_count: 2`"),
    ("  - id: 2\n", "  id: 2\n", "id: 2", "begin the entry with a dash: `- id: 2`"),
    ("  - id: 2\n", "  -id: 2\n", "-id: 2", "write a blank behind the dash: `- id: 2`"),
    ("    name: gelu", "     name: gelu", "name: gelu", "begin it in column 5, below `id` of line 20"),
    ("    section: cube", "   section: cube", "section: cube", "begin it in column 5, below `description` of line 13"),
    ("    section: cube", "      section: cube", "section: cube", "begin it in column 5, below `description`"),
    ("final_outputs:", " final_outputs:", "final_outputs:", "begin it in column 1, below `modules` of line 10"),
    (STEPS, "[@ab]", "@ab", "put text that begins with @ in quotes"),
    (STEPS, '["c = a @ b + bias]', '"c = a @', "close the quote that opens here"),
    (STEPS, "['c = a @ b + bias]", "'c = a @", "close the quote that opens here"),
    (DESCRIPTION, "description: product: of", "product: of", "put text that contains ': ' in quotes"),
    (DESCRIPTION, "description: `product` of", "`product`", "put text that begins with ` in quotes"),
    (DESCRIPTION, "description: [cube] product of", "[cube] p", "put text that begins with [ in quotes"),
    (DESCRIPTION, "description: *product* of", "*product*", "put text that begins with * in quotes"),
    (DESCRIPTION, "description: %product of", "%product", "put text that begins with % in quotes"),
    (DESCRIPTION, 'description: "product" of', '"product"', 'put text that begins with " in quotes'),
    ("    section: cube", "    section:\u00a0cube", "\u00a0cube", "U+00A0 stands there, which is no blank for YAML"),
    (
        "    section: cube",
        "\u3000\u3000section: cube",
        "\u3000\u3000s",
        "U+3000 stands there, which is no blank for YAML",
    ),
    ("  - id: 2\n", "  — id: 2\n", "— id", "begin the entry with a dash: -"),
    ("  - id: 2\n", "  － id: 2\n", "－ id", "－ is a full-width mark: write -"),
    ("  - id: 2\n", "  * id: 2\n", "* id", "begin the entry with a dash: -"),
    ("  - id: 2\n", "  - id 2\n", "id 2", "write a colon behind the key: `id: 2`"),
    ("  - id: 2\n", "  - Module 2\n", "Module 2", "write it as `key: value`, as what follows is"),
    ("  - id: 2\n", "  - Module 2\n\n   \n", "Module 2", "write it as `key: value`, as what follows is"),
    ("  - id: 2\n", "   - id: 2\n", "- id: 2", "begin it in column 3, below the dash of line 11"),
    ("  - id: 2\n", "- id: 2\n", "- id: 2", "begin it in column 3, below the dash of line 11"),
    ("  - id: 2\n    name: gelu\n", "  - id: 2 name: gelu\n", "name: gelu", "begin `name` on a line of its own"),
    ("modules:\n", "modules\n", "modules\n", "write a colon behind the key: `modules:`"),
    ("modules:\n", "modules: 2\n", "2\n", "remove it: what `modules:` stands for follows"),
    ("op: matmul_bias_gelu\n", '"op": "matmul_bias_gelu",\n', ",\n", "remove the comma at the end of the line"),
    ("    outputs: [{name: y", "  outputs: [{name: y", "outputs: [{name: y", "begin it in column 5, below `inputs` of"),
    ('shape: "[N]"', 'shape: "[N"]', '"], dtype', 'write ]" for "]'),
    ("    section: cube", "\tsection: cube", "\tsection", "indent with spaces; YAML does not allow tabs there"),
    ("{name: a, source: primary},", "{name: a, source: primary}},", "}, {name: b", "remove the } that closes nothing"),
    (OUTPUTS, OUTPUTS[:-2], '{name: c, shape: "[M', "close the bracket that opens here: }]"),
    (OUTPUTS, f"{OUTPUTS[:-1]}  # it's one]", "[{name: c", "close the bracket that opens here: ]"),
    (OUTPUTS, OUTPUTS.replace("c, ", "c,\n      ")[:-2] + "]", "]\n    golden_stage", "write } before ]"),
    (OUTPUTS, OUTPUTS.replace("c, ", "c, # one\n      ")[:-1], "[{name: c, #", "close the bracket that opens here: ]"),
    ("{name: a, source: primary}", '{name: "“a”"， source: primary}', "， source", "， is a full-width mark: write ,"),
    ("    section: cube", "\u00a0\u00a0\u00a0\u00a0section: cube", "\u00a0\u00a0\u00a0\u00a0s", "U+00A0 stands there"),
    ("modules:\n", "modules:\u00a0\n", "\u00a0\n", "U+00A0 stands there, which is no blank for YAML"),
    ("modules:\n", "modules\n\n   \n", "modules\n", "write a colon behind the key: `modules:`"),
    ("  - id: 2\n    name: gelu\n", "  - id: @2 name: gelu\n", "@2 name", "put text that begins with @ in quotes"),
    (STEPS, "\n      - @ y\n", "@ y", "put text that begins with @ in quotes"),
    (DESCRIPTION, "description: @it's", "@it's", "put text that begins with @ in quotes"),
    ("of each element", "of: \n", "GELU (tanh form) of: ", "put text that contains ': ' in quotes"),
    ("    section: cube", "       section: cube", "section: cube", "begin it in column 5, below `description`"),
]


@pytest.mark.parametrize(("old", "new", "marked", "hint"), SLIPS)
def test_a_slip(old: str, new: str, marked: str, hint: str) -> None:
    text = RIGHT.replace(old, new, 1)
    assert text != RIGHT
    finding = refused(text)
    assert finding.message.startswith("not YAML: ")
    assert finding.hint.startswith(hint)
    lines = text.split("\n")
    there = "\n".join(
        [lines[finding.location.line - 1][finding.location.column - 1 :], *lines[finding.location.line :]]
    )
    assert there.startswith(marked)


@pytest.mark.parametrize("key", ["id", "name", "kind", "value", "axis"])
def test_a_key_that_begins_entries_has_lost_its_dash(key: str) -> None:
    finding = refused(f"a:\n  - {key}: 1\n    b: 2\n  {key}: 2\n    b: 3\n")
    assert (finding.location.line, finding.hint) == (4, f"begin the entry with a dash: `- {key}: 2`")


@pytest.mark.parametrize(
    ("text", "place", "hint"),
    [
        ("\n\na: [1\nb: 2\n", (3, 4), "close the bracket that opens here: ]"),
        ("  a: 1\nb: 2\n", (2, 1), "begin it in column 3, below `a` of line 1"),
        ("a: 1\n  b: 2\n", (2, 3), "begin it in column 1, below `a` of line 1"),
        ("- a: 1\n   b: 2\n", (2, 4), "begin it in column 3, below `a` of line 1"),
        ("a: 'x\nb: 2\n", (1, 4), "close the quote that opens here"),
        ("a: ['x', 'y, z]\nb: 2\n", (1, 10), "close the quote that opens here"),
        ('a: {x: "y}\nb: 2\n', (1, 8), "close the quote that opens here"),
        ("a: 'x # y\nb: 2\n", (1, 4), "close the quote that opens here"),
        ("a: ['x', ']\n", (1, 10), "close the quote that opens here"),
        ("a: {b: 'text}  # why\n", (1, 8), "close the quote that opens here"),
        ("a:\n  b: 1\n   c: 2\n", (3, 4), "begin it in column 3, below `b` of line 2"),
        ("a:\n  - b\n - c\n", (3, 2), "begin it in column 3, below the dash of line 2"),
        ("a:\n" + "  - b\n" * 101 + " c: d\n", (103, 2), "begin it in column 1, below the keys of the contract"),
        ("foo bar\nx: 1\n", (2, 2), GENERAL[0]),
        ("x: 1\nfoo bar\ny: 2\n", (2, 1), GENERAL[1]),
    ],
)
def test_a_slip_in_a_few_lines(text: str, place: tuple[int, int], hint: str) -> None:
    finding = refused(text)
    assert (finding.location.line, finding.location.column, finding.hint) == (*place, hint)


def test_what_is_nested_too_deep() -> None:
    assert refused("[" * 10_000).hint == "a Module contract is flat"


def test_a_line_is_not_taken_for_one_of_another_depth_far_away() -> None:
    assert not refused("- a: 1\n      b: 2\n").hint.startswith("begin it")


def test_slips_are_looked_for_where_the_parser_gave_up() -> None:
    assert slip_in("\na: b\nc:d\n", 6, 6) == (6, "write a blank behind the colon: `c: d`")


def test_what_a_parser_repeats_of_the_text_is_cut(parser: str) -> None:
    message = refused(f"a: !{'x' * 1_000}!y\n").message
    assert len(message) == len("not YAML: ") + (200 if parser == "pure" else len("found undefined tag handle"))


def test_of_two_slips_the_first_is_told() -> None:
    text = RIGHT.replace("section: cube", "section:cube").replace(DESCRIPTION, "description: `product` of")
    finding = refused(text)
    assert (finding.location.line, finding.hint) == (13, "put text that begins with ` in quotes")
    text = RIGHT.replace("section: cube", "section:cube").replace("section: vector", "section:vector")
    assert refused(text).hint == "write a blank behind the colon: `section: cube`"


@pytest.mark.parametrize("mark", ["<<<<<<< HEAD", "=======", ">>>>>>> topic"])
def test_what_is_left_of_a_merge_conflict(mark: str) -> None:
    finding = refused(RIGHT.replace("    section: cube\n", f"{mark}\n    section: cube\n"))
    assert (finding.location.line, finding.hint) == (14, "resolve the merge conflict that begins here")


@pytest.mark.parametrize("line", ["=" * 8, "======= x", " =======", "<<<<<<<", ">>>>>>>x"])
def test_what_no_merge_leaves(line: str) -> None:
    assert "merge" not in refused(RIGHT.replace("    section: cube\n", f"{line}\n    section:cube\n")).hint


@pytest.mark.parametrize(("length", "found"), [(2_000, True), (2_001, False)])
@pytest.mark.parametrize(
    ("begin", "hint"),
    [
        ("x:y", "write a blank behind the colon: `x: yz"),
        ("x: [y,\n  ", "close the bracket that opens here: ]"),
        ("x: 'y", "close the quote that opens here"),
    ],
)
def test_lines_of_two_thousand_characters_are_looked_into(begin: str, hint: str, length: int, found: bool) -> None:
    text = f"a: b\n{begin}{'z' * (length - len(begin))}\nc: d\n"
    assert refused(text).hint.startswith(hint) == found


@pytest.mark.parametrize(("between", "found"), [(99, True), (100, False)])
def test_a_quote_of_a_hundred_lines_above_is_found(between: int, found: bool) -> None:
    assert (refused("a: 'b\n" + "x: y\n" * between + "z: 'w'\n").hint == "close the quote that opens here") == found


def test_pure_parsers_are_slow_and_read_less(parser: str) -> None:
    comments = "# c\n" * 70_000
    assert (refused(f"{comments}a:b\nc: d\n").hint not in GENERAL) == (parser == "fast")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (" a b  ", "a b"),
        ("a\u200bb", "a\ufffdb"),
        ("a" * 60, "a" * 60),
        ("a" * 61, "a" * 57 + "..."),
    ],
)
def test_a_part_of_a_line_in_a_hint(text: str, part: str) -> None:
    assert cut(text) == part


def test_a_merge_conflict() -> None:
    lines = "<<<<<<< HEAD\n    section: cube\n=======\n    section: vector\n>>>>>>> topic\n"
    finding = refused(RIGHT.replace("    section: cube\n", lines))
    assert (finding.location.line, finding.location.column) == (14, 1)
    assert finding.hint == "resolve the merge conflict that begins here"


def test_marks_in_quotes_are_no_slips() -> None:
    text = RIGHT.replace(DESCRIPTION, 'description: "求和， 归一" `of')
    assert "full-width" not in refused(text).hint


def test_what_no_slip_explains_is_told_as_the_parser_has_it() -> None:
    finding = refused("%YAML 1\n---\na: 1\n")
    assert finding.hint == "check the indentation and the quotes here and in the line above"


@pytest.mark.parametrize(
    "line",
    [
        'x: "' + '\\"' * 100_000,
        "x: [" + "a " * 100_000,
        "x: {a" + " " * 200_000 + "b: ]",
        "x: [" + "]" * 200_000,
        "x: '" + '"，' * 100_000,
        "- " * 40 + "x: [" + "@a " * 100_000,
        "x：y\n" * 30_000,
        "- id: 2" + " " * 1_900 + "x",
        "- id: 2" + " , " * 600 + "x: y: z",
        "- " * 900 + ": ]",
    ],
)
def test_slips_are_not_looked_for_without_end(line: str) -> None:
    start = time.process_time()
    refused(f"{RIGHT}{line}\ny: 1: 2\n")
    assert time.process_time() - start < 20


@settings(max_examples=300, deadline=None)
@given(st.text("ab\n :-,[]{}\"'：，=@\t#&*", max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_any_text_can_be_looked_into(text: str, at: int, begun: int) -> None:
    slip = slip_in(text, min(at, len(text)), min(at, begun, len(text)))
    assert slip is None or (0 <= slip[0] <= len(text) and slip[1].isprintable())
