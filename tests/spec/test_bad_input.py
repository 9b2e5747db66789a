"""Whatever a file holds, reading it as a SPEC ends in a Spec or in findings that say why not."""

import os
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r0kit.finding import InputError
from r0kit.spec import parse_spec, read_spec

from .test_findings import CONTRACT, markdown
from .test_forms import FRONT_MATTER

_LEVELS = [b"b%d: &b%d [%s]\n" % (i, i, b", ".join([b"*b%d" % (i - 1) if i else b"x"] * 10)) for i in range(10)]
_BOMB = b"---\n" + b"".join(_LEVELS) + b"---\n"

UNREADABLE: list[tuple[bytes, str, int]] = [
    (b"", "is empty", 0),
    (b" \n\n", "is empty", 0),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is a binary file", 1),
    (b"text\n\0\n", "is a binary file: it has a NUL character", 2),
    ("# 规格".encode("utf-16"), "is encoded as UTF-16", 1),
    ("# 规格\n算子".encode("gbk"), "is not UTF-8 text: byte 0xb9 at line 1, column 3", 1),
    (b"```json machine-contract\n{\n  op_name: 1}\n```", "a key in double quotes is missing before 'op_name'", 3),
    (b"```json machine-contract\n{\"a\": 1,\n}\n```", "a comma stands before '}'", 3),
    (b"```json machine-contract\n{\"tolerance\": {\"atol\":\n NaN}}\n```", "NaN is no number in JSON", 3),
    (b"```json machine-contract\n{\"a\": [-Infinity]}\n```", "-Infinity is no number in JSON", 2),
    (b"```json machine-contract\n{\"a\": 1e999}\n```", "the number 1e999 is too large", 2),
    (b"```json machine-contract\n{\"a\":\n " + b"9" * 10_000 + b"}\n```", "a number of 10000 characters", 3),
    (b"```json machine-contract\n" + b"[" * 10_000 + b"\n```", "is nested more than 64 levels deep", 2),
    (b"```json machine-contract\n{\"a\": \"b\n```", "a string is malformed", 2),
    (b"```json machine-contract\n```", "a value is missing before the end of the block", 2),
    (b"---\na: [1\n---\n", "the front matter is not YAML", 2),
    (b"---\na:\n\t- b\n---\n", "'\\t' that cannot start any token (line 3)", 3),
    (b"---\na: *b\n---\n", "undefined alias", 2),
    (b"---\na: " + b"9" * 10_000 + b"\n---\n", "is no number", 2),
    (b"---\n" + b"[" * 10_000 + b"\n---\n", "is nested too deeply", 2),
    (_BOMB, "expands to more than 200000 values", 2),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message", "line"), UNREADABLE)
def test_unreadable(tmp_path: Path, content: bytes, message: str, line: int) -> None:
    path = tmp_path / "SPEC.md"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_spec(str(path))
    finding = caught.value.findings[-1]
    assert message in finding.message
    assert (finding.location.path, finding.location.line) == (str(path), line)
    assert finding.hint


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, message in [
        ("missing", "does not exist"),
        ("", "is a folder, not a file"),
        ("pipe", "is a named pipe, not a file"),
        ("missing\0", "cannot be read"),
        ("x" * 300, "cannot be read: file name too long"),
    ]:
        with pytest.raises(InputError, match=re.escape(message)):
            read_spec(str(tmp_path / name) if name else str(tmp_path))
    with pytest.raises(InputError, match="is a device"):
        read_spec("/dev/zero")


def _survives(text: str) -> None:
    try:
        spec, findings = parse_spec(text, "SPEC.md")
    except InputError as error:
        findings = error.findings
        assert findings
    else:
        for case in spec.p0_cases:
            spec.bindings(case)
            spec.params(case)
    count = text.count("\n") + 1
    for finding in findings:
        assert finding.message
        assert 0 <= finding.location.line <= count


_SEEDS = (markdown(), FRONT_MATTER.format(p0_shapes="[[2, 64], [64]]"), markdown(CONTRACT, before="- atol: 1e-3\n"))
_PIECES = (
    "[",
    "]",
    "{",
    "}",
    '"',
    ",",
    ":",
    "|",
    "---\n",
    "```",
    "1e999",
    "NaN",
    "null",
    "\t",
    "é",
    "\u2028",
    "&a ",
    "*a",
    "!!set",
)


@st.composite
def _mutated(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(_SEEDS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        length = draw(st.integers(0, 40))
        text = text[:start] + draw(st.sampled_from(_PIECES) | st.text(max_size=5)) + text[start + length :]
    return text


def test_no_text_raises_anything_else(long_mode: bool) -> None:
    @settings(max_examples=5000 if long_mode else 150, deadline=None, database=None)
    @given(_mutated() | st.text(max_size=200).map(lambda text: "---\n" + text + "\n---\n") | st.text(max_size=300))
    def survives(text: str) -> None:
        _survives(text)

    survives()


def test_long_specs_take_time_in_proportion() -> None:
    """A thousand equations, each with one unknown once the one before is solved, in the worst order."""
    inputs = [{"name": f"x{n}", "shape": [f"D{n}-D{n + 1}"]} for n in range(1000)][::-1]
    shapes = {f"x{n}": [1] for n in range(1000)} | {"z": [5000]}
    contract = {
        "inputs": [*inputs, {"name": "z", "shape": ["D0"]}],
        "p0_cases": [{"name": "p", "input_shapes": shapes}],
    }
    start = time.process_time()
    spec, findings = parse_spec(markdown(contract), "SPEC.md")
    assert findings == ()
    assert spec.bindings(spec.p0_cases[0])["D1000"] == 4000
    assert time.process_time() - start < 10
