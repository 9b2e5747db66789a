"""The command `lint`: exit statuses, formats, versions, rewriting files."""

import json
from pathlib import Path

import pytest

from r0kit.cli.app import run
from r0kit.cli.settings import PITFALLS as SETTLED
from r0kit.lint import PITFALLS
from r0kit.lint.rows.examples import kernel

_WRONG = kernel("out[:] = pypto.clamp(pypto.add(1.0, x), 0.0, 2.0)")
_OLD = kernel("out[:] = 1.0 - x")


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    path = tmp_path / "wrong.py"
    path.write_text(_WRONG, "utf-8")
    return path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.py"
    path.write_text(_OLD, "utf-8")
    return path


def test_findings_are_1_and_none_are_0(wrong: Path, old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", str(wrong)]) == 1
    assert "[P05]" in capsys.readouterr().out
    assert run(["lint", str(old)]) == 0
    assert run(["lint", str(old), str(wrong)]) == 1
    assert capsys.readouterr().out.endswith("FAIL: 2 errors in 2 files\n")


def test_an_older_version_has_more_pitfalls(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", "--pypto", "0.1.3", str(old)]) == 1
    assert "[P01]" in capsys.readouterr().out
    assert run(["lint", "--pypto", "0.2.0", str(old)]) == 0


def test_a_newer_name_is_noted_and_refused_for_the_version_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "newer.py"
    path.write_text(kernel("out[:] = pypto.tanh(x)"), "utf-8")
    assert run(["lint", str(path)]) == 0
    assert "note: pypto.tanh is newer than pypto 0.2.0" in capsys.readouterr().out
    assert run(["lint", "--pypto", "0.2.0", str(path)]) == 1


@pytest.mark.parametrize("name", ["json", "sarif", "junit", "github"])
def test_formats_name_the_pitfall(name: str, wrong: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", "--format", name, str(wrong)]) == 1
    assert "P03" in capsys.readouterr().out


def test_json_says_where_and_what_to_do(wrong: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["lint", "--json", str(wrong)])
    verdict = json.loads(capsys.readouterr().out)
    assert verdict["status"] == "FAIL" and verdict["path"] == str(wrong)
    assert [(f["rule"], f["line"], f["column"], bool(f["hint"])) for f in verdict["findings"]] == [
        ("P05", 7, 14, True),
        ("P03", 7, 26, True),
    ]


def test_warnings_fail_under_strict(tmp_path: Path) -> None:
    path = tmp_path / "slow.py"
    path.write_text(kernel("out[:] = x + 1.0", "(4096, 512)", "1, 512"), "utf-8")
    assert run(["lint", str(path)]) == 0
    assert run(["lint", "--strict", str(path)]) == 1


def test_fix_writes_and_diff_only_shows(wrong: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", "--diff", str(wrong)]) == 1
    shown = capsys.readouterr().out
    assert "+    out[:] = pypto.clip(pypto.add(x, 1.0), 0.0, 2.0)\n" in shown and wrong.read_text("utf-8") == _WRONG
    assert run(["lint", "--fix", str(wrong)]) == 0
    said = capsys.readouterr()
    assert "(P03, P05)" in said.err and said.out == "PASS: no findings in 1 file\n"
    assert run(["lint", "--diff", str(wrong)]) == 0
    assert capsys.readouterr().out == ""


def test_an_unreadable_file_is_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options in ([], ["--fix"], ["--json"]):
        assert run(["lint", *options, str(tmp_path / "none.py")]) == 1
        assert "P00" in capsys.readouterr().out
    assert run(["lint", "--diff", str(tmp_path / "none.py")]) == 1
    assert "P00" in capsys.readouterr().err


def test_the_self_test(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", "--self-test"]) == 0
    count = 2 * len(PITFALLS)
    assert capsys.readouterr().out == f"PASS: {count} of {count} examples of the pitfalls\n"


@pytest.mark.parametrize("arguments", [[], ["--format", "xml", "k.py"], ["--pypto", "new", "k.py"]])
def test_wrong_usage_is_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", *arguments]) == 2
    assert capsys.readouterr().out == ""


def test_a_project_weighs_pitfalls(
    wrong: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tuple(rule.id for rule in PITFALLS) == SETTLED
    (wrong.parent / "r0kit.toml").write_text('[severity]\nP03 = "off"\nP05 = "note"\n', "utf-8")
    monkeypatch.chdir(wrong.parent)
    assert run(["lint", "wrong.py"]) == 0
    assert capsys.readouterr().out.endswith("PASS: 1 note in 1 file\n")
    (wrong.parent / "r0kit.toml").write_text('[severity]\nP00 = "off"\n', "utf-8")
    assert run(["lint", "none.py"]) == 1
    assert "P00 is always an error" in capsys.readouterr().out


@pytest.mark.parametrize("code", ["P07", "p07"])
def test_explain_a_pitfall(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", code]) in (0, None)
    out = capsys.readouterr().out
    assert out.startswith("P07 (warning): ") and "Evidence: " in out and "make_kernel" in out


def test_explain_says_in_which_versions_a_pitfall_holds(capsys: pytest.CaptureFixture[str]) -> None:
    run(["explain", "P01"])
    assert "Versions: <0.2.0." in capsys.readouterr().out


def test_a_folder_is_searched_for_files_that_import_pypto(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "kernels/one.py": kernel("out[:] = x * 0.5"),
        "kernels/deep/two.py": kernel("out[:] = 2.0 ** x"),
        "kernels/golden.py": "import torch\n",
        "kernels/old/three.py": kernel("out[:] = 2.0 ** x"),
        "kernels/.r0kitignore": "old/\n",
    }.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    assert run(["lint", "kernels"]) == 1
    out = capsys.readouterr().out
    assert "kernels/deep/two.py" in out and "three.py" not in out and out.endswith("FAIL: 1 error in 2 files\n")
    assert run(["lint", "kernels", "--diff"]) == 0
    Path("kernels/one.py").unlink()
    Path("kernels/deep/two.py").unlink()
    assert run(["lint", "kernels"]) == 1
    assert "kernels has no Python file that imports pypto in it" in capsys.readouterr().out


def test_a_file_that_imports_no_pypto_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("golden.py").write_text("import torch\n")
    assert run(["lint", "golden.py"]) == 0
    assert "golden.py: note: no kernel is looked for in it: it does not import pypto [P00]" in capsys.readouterr().out
