"""Rewrites: what changes, what stays as it was written, and that a second run has nothing left to do."""

from pathlib import Path

import pytest

from r0kit.lint import BEFORE, JUDGED, PITFALLS, lint_text
from r0kit.lint.fix import FIXES, fixed_file, fixed_text
from r0kit.lint.rows.examples import factory, kernel
from r0kit.lint.versions import holds

_ROWS = {rule.id: rule for rule in PITFALLS}


@pytest.mark.parametrize("code", FIXES)
def test_the_bad_example_is_repaired(code: str) -> None:
    rule = _ROWS[code]
    version = JUDGED if holds(rule.versions, JUDGED) else BEFORE
    fixed = fixed_text(rule.bad, version=version)
    assert fixed.rules == (code,) and fixed.edits
    assert lint_text(fixed.text, version=version).findings == ()
    assert fixed_text(fixed.text, version=version).edits == 0


@pytest.mark.parametrize("rule", PITFALLS, ids=lambda rule: rule.id)
def test_good_examples_stay_as_they_are(rule: object) -> None:
    good: str = rule.good  # type: ignore[attr-defined]
    assert fixed_text(good).text == good


@pytest.mark.parametrize(
    ("version", "wrong", "right"),
    [
        (BEFORE, "1.0 - x * y", "((x * y) * (-1.0) + 1.0)"),
        (BEFORE, "2.0 * x", "(x * 2.0)"),
        (JUDGED, "pypto.add(1.0, pypto.mul(2.0, x))", "pypto.add(pypto.mul(x, 2.0), 1.0)"),
        (JUDGED, "pypto.sub(1.0, x + y)", "(1.0 - (x + y))"),
        (JUDGED, "pypto.div(1.0, x)", "(1.0 / x)"),
        (JUDGED, "pypto.clamp(x, min=0.0) + pypto.clamp(y, max=1.0)", "pypto.clip(x, min=0.0) + pypto.clip(y, max=1.0)"),
        (JUDGED, "pypto.clamp(pypto.add(1.0, x), 0.0, 1.0)  # 先加一", "pypto.clip(pypto.add(x, 1.0), 0.0, 1.0)  # 先加一"),
    ],
)  # fmt: skip
def test_rewrites(version: str, wrong: str, right: str) -> None:
    before, after = (kernel(f"out[:] = {line}", inputs="x y") for line in (wrong, right))
    assert fixed_text(before, version=version).text == after


@pytest.mark.parametrize("line", ["1.0 / x", "2.0 ** x", "pypto.pow(2.0, x)", "pypto.add(1.0, x, alpha=2.0)"])
def test_what_has_no_safe_form_is_left_alone(line: str) -> None:
    text = kernel(f"out[:] = {line}")
    assert [fixed_text(text, version=version).edits for version in (BEFORE, JUDGED)] == [0, 0]


def test_numbers_are_left_to_python() -> None:
    text = factory("out[:] = pypto.maximum(x, pypto.neg(pypto.mul(delta, 2.0)))", "delta: float", "0.5")
    assert "pypto.maximum(x, (-pypto.mul(delta, 2.0)))" not in fixed_text(text).text
    assert "pypto.mul(delta" not in fixed_text(text).text


def test_a_misspelt_import_is_renamed_everywhere() -> None:
    text = kernel("out[:] = pypto.abs(x)").replace("pypto", "pto")
    fixed = fixed_text(text)
    assert fixed.text == kernel("out[:] = pypto.abs(x)")


def test_bytes_around_the_edits_stay(tmp_path: Path) -> None:
    """A byte order mark, line ends of Windows, Chinese before the place."""
    path = tmp_path / "kernel.py"
    text = kernel("注 = x\nout[:] = pypto.add(1.0, 注)  # 注释").replace("\n", "\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    fixed = fixed_file(str(path))
    assert fixed.text == "\ufeff" + text.replace("pypto.add(1.0, 注)", "pypto.add(注, 1.0)")
