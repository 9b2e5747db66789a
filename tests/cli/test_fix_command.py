"""`r0kit validate --fix` and `--diff`: the files, and what is said about them."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from corpus import VALID

from r0kit.cli import common, fixing, run
from r0kit.source.refused import refusal
from r0kit.validate.fix import Fixed

RIGHT = VALID[0]
WRONG = RIGHT.replace("module_count: 3", "module_count: 9   # 批")
CHANGED = "module_count: 3 (was 9)"
Captured = pytest.CaptureFixture[str]


def written(folder: Path, text: str, name: str = "c.yaml") -> Path:
    path = folder / name
    path.write_bytes(text.encode("utf-8"))
    return path


def test_the_corpus_has_what_is_changed_here() -> None:
    assert WRONG != RIGHT


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_is_put_right_and_then_judged(mark: str, end: str, tmp_path: Path, capsys: Captured) -> None:
    path = written(tmp_path, mark + WRONG.replace("\n", end))
    assert run(["validate", str(path), "--fix"]) in (0, None)
    assert path.read_bytes().decode("utf-8") == mark + WRONG.replace("count: 9", "count: 3").replace("\n", end)
    captured = capsys.readouterr()
    assert captured.err == f"r0kit validate: {path}: {CHANGED}\n"
    assert captured.out == "PASS: no findings in 1 file\n"


def test_what_remains_is_reported(tmp_path: Path, capsys: Captured) -> None:
    path = written(tmp_path, WRONG.replace("dtype: float32", "dtype: fp32"))
    gone = tmp_path / "gone.yaml"
    assert run(["validate", "--fix", str(path), str(gone)]) == 1
    out = capsys.readouterr().out
    assert "rule6" in out and "rule7" not in out and "does not exist" in out


def test_a_right_file_is_not_written(tmp_path: Path) -> None:
    path = written(tmp_path, RIGHT)
    os.utime(path, (1, 1))
    assert run(["validate", str(path), "--fix"]) in (0, None)
    assert path.stat().st_mtime == 1


def test_diff_changes_nothing_and_says_so_with_its_status(tmp_path: Path, capsys: Captured) -> None:
    path = written(tmp_path, WRONG)
    for flags in (["--diff"], ["--fix", "--diff"]):
        assert run(["validate", str(path), *flags]) == 1
        captured = capsys.readouterr()
        assert captured.out.startswith(f"--- {path}\n+++ {path}\n@@ ")
        assert "\n-module_count: 9   # 批\n+module_count: 3   # 批\n" in captured.out
        assert (path.read_bytes().decode(), captured.err) == (WRONG, "")
    right = written(tmp_path, RIGHT)
    assert run(["validate", str(right), "--diff"]) == 0
    assert capsys.readouterr().out == ""
    assert run(["validate", str(tmp_path / "gone.yaml"), "--diff"]) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and "does not exist" in captured.err


@pytest.mark.parametrize("text", [WRONG, WRONG.replace("\n", "\r\n"), "\ufeff" + WRONG, WRONG.rstrip("\n")])
def test_the_diff_is_one_that_programs_apply(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, text)
    shown = subprocess.run([sys.executable, "-m", "r0kit", "validate", "c.yaml", "--diff"], capture_output=True)
    applied = subprocess.run(["git", "apply", "-"], input=shown.stdout, capture_output=True)
    assert applied.returncode == 0, applied.stderr
    assert (tmp_path / "c.yaml").read_bytes() == text.replace("count: 9", "count: 3").encode("utf-8")


def test_permissions_stay_and_nothing_else_is_left_in_the_folder(tmp_path: Path) -> None:
    path = written(tmp_path, WRONG)
    path.chmod(0o640)
    assert run(["validate", str(path), "--fix"]) in (0, None)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["c.yaml"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root gives files away")
def test_a_file_still_belongs_to_whom_it_belonged(tmp_path: Path) -> None:
    """In a container, where root runs the command on the files of somebody else."""
    path = written(tmp_path, WRONG)
    path.chmod(0o640)
    os.chown(path, 65534, 65533)
    assert run(["validate", str(path), "--fix"]) in (0, None)
    found = path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (65534, 65533, 0o640)


def test_a_read_only_file_stays_as_it_is(tmp_path: Path, capsys: Captured) -> None:
    path = written(tmp_path, WRONG)
    path.chmod(0o440)
    assert run(["validate", str(path), "--fix"]) == 1
    assert path.read_text("utf-8") == WRONG
    captured = capsys.readouterr()
    assert captured.err == (
        f"{path}: error: {path} is read-only [io.write]\n  hint: allow writing to it, or name another file\n"
    )
    assert "rule7" in captured.out


def test_what_somebody_else_writes_in_the_meantime_stays(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, WRONG)
    fix = fixing.fixed

    def slow(text: str, name: str) -> Fixed:
        path.write_text("# mine\n", "utf-8")
        return fix(text, name)

    monkeypatch.setattr(fixing, "fixed", slow)
    assert run(["validate", str(path), "--fix"]) == 1
    assert path.read_text("utf-8") == "# mine\n"
    assert "has been changed in the meantime, and is left as it is" in capsys.readouterr().err


ODD_NAMES = [
    f"{name}.yaml" for name in ("a b", "tab\t", "new\nline", 'quo"te', "back\\slash", "\x1b[31m", "批", "\udcff")
]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_the_diff_of_a_file_with_an_odd_name_is_applied_to_it(name: str, tmp_path: Path) -> None:
    written(tmp_path, WRONG, name)
    command = [sys.executable, "-m", "r0kit", "validate", name, name, "--diff"]
    shown = subprocess.run(command, capture_output=True, cwd=tmp_path)
    assert shown.stdout.count(b"\n+++ ") == 1, "once, however often it is named"
    applied = subprocess.run(["git", "apply", "-"], input=shown.stdout, capture_output=True, cwd=tmp_path)
    assert applied.returncode == 0, applied.stderr
    assert (tmp_path / name).read_text("utf-8") == WRONG.replace("count: 9", "count: 3")


@pytest.mark.parametrize("name", ["./d/c.yaml", "d//c.yaml", "d/../d/./c.yaml"])
def test_the_diff_of_a_file_is_applied_whatever_way_leads_to_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """`git apply` takes no `./`, which shells complete."""
    (tmp_path / "d").mkdir()
    path = written(tmp_path / "d", WRONG)
    monkeypatch.chdir(tmp_path)
    assert run(["validate", name, "--diff"]) == 1
    applied = subprocess.run(["git", "apply", "-"], input=capsys.readouterr().out.encode(), capture_output=True)
    assert applied.returncode == 0, applied.stderr
    assert path.read_text("utf-8") == WRONG.replace("count: 9", "count: 3")


def test_a_link_is_neither_read_nor_written_through(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "other").mkdir()
    target = written(tmp_path / "other", WRONG)
    link = tmp_path / "c.yaml"
    link.symlink_to(target)
    assert run(["validate", str(link), "--fix"]) == 1
    assert "is a symbolic link, not a file" in capsys.readouterr().out
    assert target.read_text("utf-8") == WRONG


def test_a_folder_that_is_a_link_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    target = written(tmp_path / "other", WRONG)
    (tmp_path / "checkout").symlink_to(tmp_path / "other")
    assert run(["validate", str(tmp_path / "checkout" / "c.yaml"), "--fix"]) in (0, None)
    assert target.read_text("utf-8") != WRONG


def test_what_cannot_be_written_is_told(tmp_path: Path, capsys: Captured) -> None:
    path = written(tmp_path, WRONG)

    def refuse(*_: object) -> None:
        raise refusal(str(path), "io.write", "cannot be written", "free it")

    other = written(tmp_path, WRONG, "other.yaml")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fixing, "write_bytes", refuse)
        assert common.status_of(lambda: run(["validate", str(path), str(other), "--fix"])) == 1
    assert path.read_text("utf-8") == WRONG
    captured = capsys.readouterr()
    assert captured.err.count("cannot be written") == 2 and captured.out.endswith("FAIL: 2 errors in 2 files\n")
