"""`r0kit validate`, `r0kit explain` and the script `validate_module_yaml`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from corpus import VALID

from r0kit.cli import app, run
from r0kit.cli.plain import Options, plain_options
from r0kit.lint import PITFALLS
from r0kit.report import FORMATS
from r0kit.validate import RULES

SCRIPT = Path(__file__).parents[2] / "scripts/validate_module_yaml.py"
WRONG = "op: x\nmodule_count: 2\nmodules: []\nfinal_outputs: [{name: y, source: module_1}]\n"


@pytest.fixture
def valid(tmp_path: Path) -> str:
    path = tmp_path / "valid.yaml"
    path.write_text(VALID[0], encoding="utf-8")
    return str(path)


@pytest.fixture
def wrong(tmp_path: Path) -> str:
    path = tmp_path / "wrong.yaml"
    path.write_text(WRONG, encoding="utf-8")
    return str(path)


@pytest.fixture
def warned(tmp_path: Path) -> str:
    path = tmp_path / "warned.yaml"
    path.write_text(VALID[0].replace("is_fusion: false", "is_fusion: true"), encoding="utf-8")
    return str(path)


def test_json_of_one_file(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "--json", wrong]) == 1
    verdict = json.loads(capsys.readouterr().out)
    assert list(verdict) == ["status", "violations", "warnings", "findings", "path"]
    assert (verdict["status"], verdict["path"], verdict["warnings"]) == ("FAIL", wrong, [])
    assert [violation.split(":")[0] for violation in verdict["violations"]] == ["rule14", "rule7", "rule0"]
    assert verdict["findings"][2] == {
        "rule": "rule0",
        "severity": "error",
        "message": "modules is empty: at least 1 is needed",
        "path": wrong,
        "line": 3,
        "column": 10,
        "hint": "add an entry",
    }


def test_json_of_a_right_file(valid: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", valid, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "status": "PASS",
        "violations": [],
        "warnings": [],
        "findings": [],
        "path": valid,
    }


def test_json_of_several_files_in_the_order_given(wrong: str, valid: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "--json", wrong, valid, wrong]) == 1
    verdict = json.loads(capsys.readouterr().out)
    assert list(verdict) == ["status", "files"]
    assert verdict["status"] == "FAIL"
    assert [(file["path"], file["status"]) for file in verdict["files"]] == [
        (wrong, "FAIL"),
        (valid, "PASS"),
        (wrong, "FAIL"),
    ]


def test_warnings_pass_unless_strict(warned: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "--json", warned]) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert (verdict["status"], verdict["violations"]) == ("PASS", [])
    assert [warning.split(":")[0] for warning in verdict["warnings"]] == ["rule10"]
    assert run(["validate", "--strict", "--json", warned]) == 1
    verdict = json.loads(capsys.readouterr().out)
    assert (verdict["status"], verdict["warnings"]) == ("FAIL", [])
    assert [violation.split(":")[0] for violation in verdict["violations"]] == ["rule10"]


def test_an_unreadable_file_is_a_finding_like_any_other(
    tmp_path: Path, valid: str, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = str(tmp_path / "missing.yaml")
    assert run(["validate", "--json", missing, valid]) == 1
    (gone, fine) = json.loads(capsys.readouterr().out)["files"]
    assert (gone["status"], gone["path"], fine["status"]) == ("FAIL", missing, "PASS")
    assert gone["violations"][0].startswith("rule0: ")
    assert gone["findings"][0]["path"] == missing


def test_text_shows_the_line_and_marks_the_value(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", wrong]) == 1
    out = capsys.readouterr().out
    assert f"{wrong}:2:15: error: module_count is 2, but the number of Modules is 0 [rule7]\n" in out
    assert "  2 | module_count: 2\n    |               ^\n  hint: write module_count: 0\n" in out
    assert out.endswith("\nFAIL: 3 errors in 1 file\n")


def test_text_of_right_files(valid: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", valid, valid]) == 0
    assert capsys.readouterr().out == "PASS: no findings in 2 files\n"


def test_self_test(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "--self-test"]) == 0
    assert capsys.readouterr().out == f"PASS: {2 * len(RULES)} of {2 * len(RULES)} examples of the rules\n"
    assert run(["validate", "--self-test", "--json"]) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert (verdict["status"], verdict["violations"], len(verdict["trials"])) == ("PASS", [], 2 * len(RULES))


@pytest.mark.parametrize(
    "arguments", [[], ["--json"], ["--strict"], ["--format", "nonsense", "file"], ["--nonsense", "file"]]
)
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Usage: r0kit validate" in captured.err


@pytest.mark.parametrize(
    "flags",
    [
        *([], ["--json"], ["--strict"], ["--strict", "--json"], ["--self-test", "--json"], ["--diff"]),
        *([f"--format={name}"] for name in FORMATS),
        *(["--format", "github", "--jobs", "2"], ["--json", "--format", "text"], ["--format=text", "--json"]),
    ],
)
def test_the_parser_and_the_plain_reading_agree(
    flags: list[str], warned: str, wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["validate", warned, *flags, wrong]
    assert plain_options(arguments[1:]) is not None
    status = run(arguments)
    plain = capsys.readouterr()
    assert app.run(arguments) == status
    assert capsys.readouterr() == plain


@pytest.mark.parametrize(
    "arguments",
    [
        *(
            ["-h"],
            ["--help"],
            ["--js", "f"],
            [],
            ["--", "f"],
            ["--format", "xml", "f"],
            ["--format"],
            ["f", "--golden"],
        ),
        *(["f", "--format"], ["f", "--jobs", "-1"], ["f", "--jobs=x"], ["f", "-j", "2"], ["f", "--jobs=1", "--jobs=2"]),
        *(["f", "--golden", "--json"], ["f", "--format="], ["--fix"]),
    ],
)
def test_what_takes_a_parser(arguments: list[str]) -> None:
    assert plain_options(arguments) is None


def test_plain_options() -> None:
    assert plain_options(["a", "--json", "b"]) == Options(["a", "b"], "json")
    assert plain_options(["--self-test"]) == Options([], self_test=True)
    asked = plain_options(["--fix", "a", "--golden", "g.py", "--jobs=0", "--format", "sarif", "--strict"])
    assert asked == Options(["a"], "sarif", strict=True, golden="g.py", fix=True, jobs=0)


def script(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, cwd=cwd)


def test_the_script_says_what_the_command_says(wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", wrong, "--json"]) == 1
    ran = script("wrong.yaml", "--json", cwd=tmp_path)
    assert ran.returncode == 1
    assert ran.stdout == capsys.readouterr().out.replace(wrong, "wrong.yaml")


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        *((["--self-test"], 0), (["--js", "none.yaml"], 1), ([], 2), (["--none"], 2), (["-h"], 0)),
        *((["-j", "2", "none.yaml"], 1), (["-j", "-1", "none.yaml"], 2), (["-j", "x", "none.yaml"], 2)),
        *((["--form", "xml", "none.yaml"], 2), (["--diff", "-j2", "none.yaml"], 1)),
    ],
)
def test_statuses_of_the_script(arguments: list[str], status: int, tmp_path: Path) -> None:
    ran = script(*arguments, cwd=tmp_path)
    assert ran.returncode == status
    assert "Traceback" not in ran.stderr and "_" not in ran.stderr.replace("validate_module_yaml", "")


def test_the_parser_of_the_script_knows_what_is_spelt_out(warned: str, tmp_path: Path) -> None:
    for flags in (["--format", "sarif"], ["--jobs", "2"], ["--strict"], ["--json"], ["--diff"]):
        abbreviated = [flag[:6] if flag.startswith("--") else flag for flag in flags]
        assert plain_options([warned, *abbreviated]) is None or abbreviated == flags
        one, other = (script(warned, *each, cwd=tmp_path) for each in (flags, abbreviated))
        assert (one.returncode, one.stdout, one.stderr) == (other.returncode, other.stdout, other.stderr)
        assert one.stdout


def test_the_script_needs_nothing_but_yaml(wrong: str) -> None:
    """Each of these costs more than a run may take; a bare checkout has none but the last two."""
    heavy = ("typer", "jinja2", "jsonschema", "dataclasses", "argparse")
    code = (
        "import os, runpy, sys; os._exit = sys.exit\n"
        f"sys.argv = ['validate_module_yaml', {wrong!r}]\n"
        f"try: runpy.run_path({str(SCRIPT)!r}, run_name='__main__')\n"
        f"finally: print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (1, "[]\n")


def test_explain_lists_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain"]) in (0, None)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [rule.id for rule in (*RULES, *PITFALLS)]


@pytest.mark.parametrize("code", ["rule5", "RULE5", "5"])
def test_explain_one_rule(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", code]) in (0, None)
    out = capsys.readouterr().out
    (rule,) = (rule for rule in RULES if rule.id == "rule5")
    assert out.startswith(f"rule5 (error): {rule.title}\n")
    assert rule.why in out and rule.good in out and rule.bad in out


@pytest.mark.parametrize("arguments", [["rule99"], ["--format", "html"]])
def test_explain_what_there_is_not(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", *arguments]) == 2
    assert capsys.readouterr().out == ""


def test_a_name_that_no_encoding_has_and_one_that_moves_the_cursor(tmp_path: Path) -> None:
    for name in (b"\xff.yaml", b"\x1b[31m.yaml"):
        shown = subprocess.run([sys.executable, "-m", "r0kit", "validate", name], capture_output=True, cwd=tmp_path)
        assert shown.returncode == 1
        assert b"\x1b" not in shown.stdout
        told = subprocess.run([sys.executable, str(SCRIPT), name, "--json"], capture_output=True, cwd=tmp_path)
        assert json.loads(told.stdout)["path"] == name.decode(errors="surrogateescape")
