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
from r0kit.contract.unparsed import slip_in
from r0kit.finding import Finding, InputError

PARSERS = {"fast": events.FAST, "pure": PureParser}
RIGHT = (Path(__file__).parents[1] / "contracts/matmul_bias_gelu.yaml").read_text("utf-8")
OUTPUTS = 'outputs: [{name: c, shape: "[M, N]", dtype: float32}]'
STEPS = '["c = a @ b + bias"]'
DESCRIPTION = "description: product of"


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
    ("  - id: 2\n", "   - id: 2\n", "- id: 2", "begin it in column 3, below the dash of line 11"),
    ("  - id: 2\n", "- id: 2\n", "- id: 2", "begin it in column 3, below the dash of line 11"),
    ("  - id: 2\n    name: gelu\n", "  - id: 2 name: gelu\n", "name: gelu", "begin `name` on a line of its own"),
    ("modules:\n", "modules\n", "modules\n", "write a colon behind the key: `modules:`"),
    ("modules:\n", "modules: 2\n", "2\n", "remove it: what `modules:` stands for follows"),
    ("op: matmul_bias_gelu\n", '"op": "matmul_bias_gelu",\n', ",\n", "remove the comma at the end of the line"),
    ("    outputs: [{name: y", "  outputs: [{name: y", "outputs: [{name: y", "begin it in column 5, below `inputs` of"),
    ('shape: "[N]"', 'shape: "[N"]', '"], dtype', 'write ]" for "]'),
    ("    section: cube", "\tsection: cube", "\tsection", "indent with spaces; YAML does not allow tabs there"),
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


def test_of_two_slips_the_first_is_told() -> None:
    text = RIGHT.replace("section: cube", "section:cube").replace(DESCRIPTION, "description: `product` of")
    finding = refused(text)
    assert (finding.location.line, finding.hint) == (13, "put text that begins with ` in quotes")
    text = RIGHT.replace("section: cube", "section:cube").replace("section: vector", "section:vector")
    assert refused(text).hint == "write a blank behind the colon: `section: cube`"


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
