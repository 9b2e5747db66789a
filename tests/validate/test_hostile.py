"""No input raises, hangs or escapes: mutated contracts, text and bytes at random, and the worst that is known."""

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from corpus import CASES, VALID
from hypothesis import given, settings
from hypothesis import strategies as st

from r0kit.finding import Report
from r0kit.report import FORMATS, PLAIN
from r0kit.rulebook import MOST
from r0kit.validate import validate_file, validate_text

_SCRAPS = (
    *"[]{},:?-#&*!|>'\"%@` \n\t~<=.0ax批\\\r\x85\u2028\ufeff\x00\x1b",
    *(
        ": ",
        "- ",
        "? ",
        "\n  ",
        "\n- ",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "!!int ",
        "!!binary ",
        "&a ",
        "*a",
        "<<: *a",
        "{}",
    ),
    *(
        "[]",
        "null",
        "yes",
        "1e3",
        ".nan",
        "-.inf",
        "0x1F",
        "9" * 400,
        "module_1",
        "module_0",
        "phase_2",
        "primary",
        "TODO",
    ),
    *(
        "id: 1\n",
        "source: ",
        "shape: ",
        "dtype: ",
        "name: ",
        "outputs: []",
        "modules:",
        "2001-01-01",
        "'{x}'",
        "批" * 50,
    ),
)


def judged(text: str) -> Report:
    """The report on `text`, after a look at what every report must be and at both of its formats."""
    report = validate_text(text, "c.yaml")
    lines = text.count("\n") + text.count("\r") + 1
    for finding in report.findings:
        assert finding.rule.startswith("rule")
        assert finding.hint
        assert finding.message.isprintable()
        assert finding.hint.isprintable()
        assert len(finding.message) < 400
        place = finding.location
        assert place.path == "c.yaml"
        assert 1 <= place.line <= place.end_line <= lines
        assert place.column >= 1
        assert place.end_column >= 1
    assert report == report.sorted()
    verdict = json.loads(FORMATS["json"].write([report], PLAIN))
    assert (verdict["status"] == "FAIL") == bool(verdict["violations"])
    assert all(line.isprintable() for line in FORMATS["text"].write([report], PLAIN).split("\n"))
    return report


def test_mutated_text(long_mode: bool) -> None:
    @settings(max_examples=6_000 if long_mode else 200, deadline=None)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        text = data.draw(st.sampled_from([case.yaml for case in CASES]))
        for _ in range(data.draw(st.integers(1, 4))):
            at = data.draw(st.integers(0, len(text)))
            text = text[:at] + data.draw(st.sampled_from(_SCRAPS)) + text[at + data.draw(st.integers(0, 9)) :]
        judged(text)

    check()


def test_text_at_random(long_mode: bool) -> None:
    @settings(max_examples=4_000 if long_mode else 200, deadline=None)
    @given(st.one_of(st.text(), st.lists(st.sampled_from(_SCRAPS)).map("".join)))
    def check(text: str) -> None:
        judged(text)

    check()


def test_bytes_at_random(tmp_path: Path, long_mode: bool) -> None:
    path = tmp_path / "c.yaml"

    @settings(max_examples=4_000 if long_mode else 200, deadline=None)
    @given(st.one_of(st.binary(), st.binary(max_size=4).map(lambda noise: b"op: x\n" + noise + VALID[0].encode())))
    def check(content: bytes) -> None:
        path.write_bytes(content)
        report = validate_file(str(path))
        assert all(finding.location.path == str(path) for finding in report.findings)
        FORMATS["json"].write([report], PLAIN)
        FORMATS["text"].write([report], PLAIN)

    check()


@pytest.mark.long
def test_a_campaign_of_mutations() -> None:
    """As above without the care that hypothesis takes, hence ten times as many."""
    dice = random.Random(20)
    texts = [case.yaml for case in CASES if case.yaml]
    for _ in range(60_000):
        text = dice.choice(texts)
        for _ in range(dice.randint(1, 5)):
            at = dice.randrange(len(text) + 1)
            text = text[:at] + dice.choice(_SCRAPS) + text[at + dice.randrange(12) :]
        judged(text)


_MODULE = "op: x\nmodule_count: 1\nmodules:\n- id: 1\n  outputs: [{name: y}]\n"


def _names(count: int, stem: str) -> str:
    return ", ".join(f"{{name: {stem}{number}, source: primary}}" for number in range(count))


_MANY = 9_000  # what costs a second when it is linear, and minutes when it is not

# One input for each way in which the work could grow faster than the text.
WORST: dict[str, Any] = {
    "wrong Modules": lambda: f"op: x\nmodule_count: 1\nmodules: [{'a, ' * _MANY}]",
    "empty Modules": lambda: f"op: x\nmodule_count: 1\nmodules: [{'{}, ' * _MANY}]",
    "Modules with one id": lambda: f"op: x\nmodule_count: 1\nmodules: [{'{id: 1}, ' * _MANY}]",
    "keys": lambda: "".join(f"k{number}: 1\n" for number in range(_MANY)),
    "one key": lambda: "k: 1\n" * _MANY,
    "keys that are not text": lambda: "".join(f"{number}: 1\n" for number in range(_MANY)),
    "names to suggest from": lambda: (
        f"{_MODULE}  inputs: [{_names(_MANY, 'abcdx')}]\nprimary_inputs: [{_names(_MANY, 'abcd')}]"
    ),
    "unknown producers": lambda: f"{_MODULE}  inputs: [{'{name: y, source: module_7}, ' * _MANY}]",
    "symbols times cases": lambda: (
        f"{_MODULE}primary_inputs: [{{name: x, shape: [{', '.join(f's{number}' for number in range(_MANY))}]}}]\n"
        f"composition_verification: {{shapes: [{'{}, ' * _MANY}]}}"
    ),
    "parentheses": lambda: f"{_MODULE}primary_inputs: [{{name: x, shape: '[{'(' * _MANY}M{')' * _MANY}]'}}]",
    "angle brackets": lambda: f"op: '{'<' * _MANY}'",
    "braces": lambda: f"op: '{'{' * _MANY}'",
    "placeholders": lambda: f"modules: [{'TODO, ' * _MANY}]",
    "digits": lambda: f"op: {'1' * _MANY}",
    "sexagesimal digits": lambda: f"op: {'1:' * _MANY}1.5",
    "anchors": lambda: f"a: [{', '.join(f'&a{number} x, *a{number}' for number in range(_MANY))}]",
    "aliases": lambda: f"a: &a [{'x, ' * 5_000}]\nb: [{'*a, ' * _MANY}]",
    "merges": lambda: f"a: &a {{{', '.join(f'k{n}: 1' for n in range(500))}}}\nb: [{'{<<: *a}, ' * _MANY}]",
    "questions": lambda: "? " * _MANY,
    "dashes": lambda: "- " * _MANY,
    "commas": lambda: "{" + "a," * _MANY,
    "tabs": lambda: "a:" + "\t" * _MANY + "b",
    "a long line": lambda: f"{_MODULE}zzz: {'批' * _MANY}\n",
    "a Module beyond counting": lambda: "op: x\nmodules: [{id: 999999999999, golden_stage_fn: x_golden_stage1234}]",
    "stage functions": lambda: (
        "op: x\nmodules: ["
        + "".join(
            f"{{id: {n}, golden_stage_fn: x_golden_stage{''.join(map(str, range(1, n)))}}}, " for n in range(1, 900)
        )
        + "]"
    ),
}


@pytest.mark.parametrize("name", WORST)
def test_work_grows_with_the_text_and_no_faster(name: str) -> None:
    text = WORST[name]()
    start = time.process_time()
    report = judged(text)
    assert report.findings
    # Not a benchmark: linear work takes a second here, and squares of these numbers take minutes.
    assert time.process_time() - start < 15


def test_too_many_warnings_do_not_hide_an_error() -> None:
    keys = "".join(f"k{number}: 1\n" for number in range(MOST + 5))
    assert validate_text(f"{VALID[0]}{keys}").failed is False
    assert validate_text(f"{VALID[0]}{keys}k0: 2\n").failed


def test_what_nobody_reads_is_left_out_with_a_word_about_it() -> None:
    report = validate_text(f"op: x\nmodule_count: 1\nmodules: [{'{id: 1}, ' * (MOST + 5)}]")
    messages = [finding.message for finding in report.findings if finding.rule == "rule9"]
    assert len(messages) == MOST + 1
    assert messages.count(f"there are more than {MOST} findings of this rule; the others are left out") == 1


@pytest.mark.parametrize(
    "text",
    [
        "op: a\nparams: {a: {1: 2}}\nparams:\n",
        "op: {1: 2}\nop: t\n",
        "modules: [{true: 1}, {}]\nmodules: [5]\n",
        "modules: [5, {true: 1}]\nmodules: [5]\n",
    ],
)
def test_a_key_in_a_value_that_another_has_replaced(text: str) -> None:
    """Its path leads nowhere in the data."""
    findings = validate_text(text, "c.yaml").findings
    assert any("is not text" in finding.message and finding.hint == "put it in quotes" for finding in findings)
