"""Whatever a file holds, looking for its golden ends in a golden or in findings that say why not, and soon."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r0kit.finding import InputError
from r0kit.golden import program_of
from r0kit.golden.parse import LIMIT
from r0kit.golden.signature import find_golden, read_interface
from r0kit.spec import Spec, TensorSpec

from .test_signature import GOLDENS, SIGNATURES

_DEF = b"def f_golden(x):\n    return "

UNREADABLE: list[tuple[bytes, str, str, int]] = [
    (b"", "golden.none", "no golden function", 1),
    (b"\x7fELF\x02\x01\0\0", "golden.read", "is a binary file", 1),
    ("def f_golden(x):\n    return x\n".encode("utf-16"), "golden.read", "is encoded as UTF-16", 1),
    ("# 归一化\n".encode("gbk"), "golden.read", "is not UTF-8 text", 1),
    (b"def f_golden(x:\n    return x\n", "golden.syntax", "not Python: '(' was never closed (line 1)", 1),
    (b"op: softmax\nmodules:\n  - id: 1\n", "golden.syntax", "not Python", 2),
    (b"def f_golden(x):\nreturn x\n", "golden.syntax", "not Python", 2),
    (b"def f_golden(x, x):\n    return x\n", "golden.syntax", "not Python: duplicate argument 'x' in", 1),
    (b"def f_golden(x):\n    return x\nbreak\n", "golden.syntax", "not Python: 'break' outside loop (line 3)", 3),
    (_DEF + b"+".join([b"x"] * 5000), "golden.syntax", "nested too deeply", 2),
    (_DEF + b"-" * 5000 + b"x", "golden.syntax", "nested too deeply", 2),
    (_DEF + b"(" * 5000 + b"x" + b")" * 5000, "golden.syntax", "too many nested parentheses", 2),
    (_DEF + b"x" + b".t()" * 5000, "golden.syntax", "nested too deeply", 2),
    (_DEF + b"9" * 10_000, "golden.syntax", "an integer of 10000 digits", 2),
    (b"x = 1\n" * (LIMIT // 6 + 1), "golden.read", "has more than 2 MiB", 0),
]


@pytest.mark.parametrize(("content", "rule", "message", "line"), UNREADABLE)
def test_unreadable(tmp_path: Path, content: bytes, rule: str, message: str, line: int) -> None:
    path = tmp_path / "f_golden.py"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_interface(str(path))
    (finding,) = caught.value.findings
    assert message in finding.message
    assert (finding.rule, finding.location.path, finding.location.line) == (rule, str(path), line)
    assert finding.hint


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    for path in (tmp_path, tmp_path / "missing.py", tmp_path / "pipe.py", Path("/dev/null")):
        with pytest.raises(InputError, match=r"folder|exist|pipe|device"):
            read_interface(str(path))


def test_a_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "f_golden.py"
    path.write_bytes(b"\xef\xbb\xbfdef f_golden(x):\r\n    y = x\r\n    return y\r\n")
    function = read_interface(str(path))
    assert [value.name for value in function.returns] == ["y"]
    assert function.lines == ("def f_golden(x):", "    y = x", "    return y", "")


def test_odd_escapes_do_not_reach_standard_error(recwarn: pytest.WarningsRecorder) -> None:
    find_golden('def f_golden(x):\n    "\\d"\n    return x is 3\n', "f_golden.py")
    assert not list(recwarn)


def chain(count: int) -> str:
    """Helpers that call each other in a ring, the golden among them."""
    helpers = (f"def h{n}(v):\n    return h{(n + 1) % count}(v)\n" for n in range(count))
    return "".join(helpers) + "def f_golden(x):\n    return h0(x)\n"


@pytest.mark.parametrize(
    "source",
    [
        chain(2),
        chain(3000),
        "def f_golden(x):\n    return f_golden(x)\n",
        "f_golden = g\ng = f_golden\n",
        "def make():\n    return make()\n\nf_golden = make()\ndef f_ref(x):\n    return x\n",
        "def f_golden(x):\n" + "    y = torch.exp(x) * 2\n" * 20_000 + "    return y\n",
        "def f_golden(x):\n    return [" + "x, " * 100_000 + "]\n",
        "".join(f"{'    ' * n}if x:\n" for n in range(90))
        + "    " * 90
        + "def f_golden(x):\n"
        + "    " * 91
        + "return x\n",
        "".join(f"{'    ' * n}def g{n}(x):\n" for n in range(90)) + "    " * 90 + "return x\n",
        "def f_golden(" + ", ".join(f"p{n}" for n in range(5000)) + "):\n    return p0\n",
    ],
    ids=["ring", "long ring", "recursion", "alias ring", "factory ring", "long", "wide", "ifs", "defs", "parameters"],
)
def test_files_made_to_hurt(source: str) -> None:
    start = time.process_time()
    try:
        find_golden(source, "f_golden.py")
    except InputError as error:
        assert error.findings
    assert time.process_time() - start < 10


_SOURCES = [source for source, _, _ in SIGNATURES.values()] + [
    path.read_text(encoding="utf-8") for path in GOLDENS[:12]
]
_PIECES = (
    "(",
    ")",
    "[",
    ":",
    ",",
    "=",
    "*",
    "**",
    "\n",
    "    ",
    "def ",
    "class ",
    "return ",
    "lambda: ",
    "\\\n",
    '"""',
    "f'",
    "€",
    "None",
    "/",
)


@st.composite
def _mutated(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(_SOURCES))
    for _ in range(draw(st.integers(0, 3))):
        start, length = draw(st.integers(0, len(text))), draw(st.integers(0, 20))
        text = text[:start] + draw(st.sampled_from(_PIECES) | st.text(max_size=3)) + text[start + length :]
    return text


def test_no_text_raises_anything_else(long_mode: bool) -> None:
    spec = Spec("SPEC.md", op_name="f", inputs=(TensorSpec("a"),), outputs=(TensorSpec("y"),))

    @settings(max_examples=5000 if long_mode else 150, deadline=None, database=None)
    @given(_mutated() | st.text(max_size=100), st.sampled_from([None, "f", "g"]), st.sampled_from([None, spec]))
    def survives(text: str, op: str | None, spec: Spec | None) -> None:
        try:
            function = find_golden(text, "f_golden_cpu.py", op, spec)
        except InputError as error:
            findings = error.findings
            assert findings
        else:
            findings = function.findings
            assert len({value.name for value in function.returns}) == len(function.returns)
        for finding in findings:
            assert 0 <= finding.location.line <= text.count("\n") + 1

    survives()


@pytest.mark.parametrize("call", ["','.join(3)", "'a'.split('')", "'a'.replace(1, 2)", "'a'.count(None)"])
def test_a_method_of_text_that_python_refuses_is_a_finding(call: str) -> None:
    """Such a call may stand in a branch that never runs."""
    program = program_of(f"def f_golden(x):\n    name = {call}\n    return x * 2\n", "f_golden.py")
    assert [f.location.line for f in program.findings if "of this text" in f.message] == [2]
    assert [step.op for step in program.steps] == ["mul"]
