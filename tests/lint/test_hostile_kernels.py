"""Files that are no kernels: each is a finding with a place, and none takes long."""

import time
from pathlib import Path

import pytest

from r0kit.finding import InputError
from r0kit.lint import lint_file, lint_text
from r0kit.lint.parse import parse
from r0kit.lint.rows.examples import kernel

_DEEP = {
    "brackets": "x = " + "(" * 5000 + "1" + ")" * 5000,
    "signs": "x = " + "-" * 5000 + "1",
    "sum": "x = " + " + ".join(["y"] * 5000),
    "calls": "x = y" + "(1)" * 5000,
    "blocks": "".join(f"{' ' * depth}if x:\n" for depth in range(99)) + " " * 99 + "x = " + "[" * 150 + "]" * 150,
    "else": "if x:\n    y\n" + "elif x:\n    y\n" * 5000,
}


@pytest.mark.parametrize("name", _DEEP)
def test_what_is_nested_too_deeply_is_a_finding(name: str) -> None:
    (finding,) = lint_text("import pypto\n" + _DEEP[name] + "\n", "k.py").findings
    assert finding.rule == "P00" and finding.location.line


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x7fELF\x00\x01\x02", "binary"),
        (b"x" * 10_000_000, "more than 4 MiB"),
        ("x = 1".encode("utf-16"), "UTF-16"),
        ("# 注释".encode("gbk"), "not UTF-8"),
        (b"def f(:\n", "not Python"),
        (b"def f(x, x):\n    return x\n", "not Python: duplicate argument 'x'"),
        (b"x = " + b"9" * 5000, "an integer of 5000 digits"),
    ],
)
def test_what_is_no_source_is_a_finding(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_bytes(content)
    report = lint_file(str(path))
    assert report.failed and said in report.findings[0].message and report.findings[0].hint


@pytest.mark.parametrize("name", ["", "missing.py", ".", "/dev/null"])
def test_what_is_no_file_is_a_finding(name: str) -> None:
    assert lint_file(name).failed


def test_empty_files_and_files_of_others_are_clean() -> None:
    for text in ("", "\n", "import torch\n\n\ndef clamp(x):\n    return 1.0 - x\n", "import pypto.language as pl\n"):
        assert lint_text(text).findings == ()


@pytest.mark.parametrize(
    "body",
    [
        "t = x\n" + "t = t + 1.0\n" * 3000 + "out[:] = t",
        "t = x\n" + "t = t * t\n" * 200 + "out[:] = pypto.sum(t, dim=1)",
        "t = x\n" + "t = t + t\n" * 200 + "out[:] = pypto.maximum(t, t)",
        "t = x\n" + "t = pypto.maximum(t * -1.0, t)\n" * 500 + "out[:] = t",
        "for i in range(9):\n    " * 1 + "    ".join(["x = x + 1.0\n"] * 2) + "out[:] = x",
    ],
)
def test_long_kernels_take_seconds_at_most(body: str) -> None:
    start = time.process_time()
    lint_text(kernel(body))
    assert time.process_time() - start < 10


def test_helpers_that_call_themselves_and_each_other_end() -> None:
    text = kernel("out[:] = f(x)") + "\n\ndef f(x):\n    return g(x) + g(x)\n\n\ndef g(x):\n    return f(x) * f(x)\n"
    assert lint_text(text).findings == ()


def test_helpers_that_multiply_end() -> None:
    chain = "".join(f"\n\ndef f{i}(x):\n    return {' + '.join([f'f{i + 1}(x)'] * 9)}\n" for i in range(6))
    text = kernel("out[:] = f0(x)") + chain + "\n\ndef f6(x):\n    return x\n"
    start = time.process_time()
    lint_text(text)
    assert time.process_time() - start < 20


def test_deep_helpers_in_deep_helpers_are_a_finding_or_clean() -> None:
    deep = "".join(f"\n\ndef f{i}(x):\n    return {'-' * 150}f{i + 1}(x)\n" for i in range(6))
    text = kernel(f"out[:] = {'-' * 150}f0(x)") + deep + "\n\ndef f6(x):\n    return x\n"
    assert {finding.rule for finding in lint_text(text).findings} <= {"P00"}


def test_columns_count_characters() -> None:
    text = kernel("变量 = x\nout[:] = 变量 + pypto.add(1.0, 变量)")
    (finding,) = lint_text(text).findings
    line = text.splitlines()[finding.location.line - 1]
    assert line[finding.location.column - 1 : finding.location.end_column - 1] == "pypto.add(1.0, 变量)"


def test_an_integer_of_thousands_of_digits_is_named_in_words_of_our_own() -> None:
    with pytest.raises(InputError) as caught:
        parse(f"import pypto\nN = {'9' * 10_000}\n", "k.py")
    (finding,) = caught.value.findings
    assert "an integer of 10000 digits" in finding.message
    assert (finding.location.line, finding.location.column) == (2, 5)
