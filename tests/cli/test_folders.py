"""`r0kit validate FOLDER`: what is searched, what is left out, and several processes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from corpus import VALID

from r0kit.cli import run
from r0kit.cli.searching import CONTRACTS, found

RIGHT = VALID[0]
WRONG = RIGHT.replace("module_count: 3", "module_count: 9")
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of operators, which is the working folder."""
    for name, text in {
        "custom/b/module_interfaces.yaml": WRONG,
        "custom/a/module_interfaces.yaml": RIGHT,
        "custom/a/module_interfaces.yml": RIGHT,
        "custom/a/other.yaml": WRONG,
        "custom/.venv/module_interfaces.yaml": WRONG,
        "custom/old/deep/module_interfaces.yaml": WRONG,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def judged(capsys: Captured, *arguments: str) -> list[tuple[str, str]]:
    run(["validate", "--json", *arguments])
    verdict = json.loads(capsys.readouterr().out)
    assert list(verdict) == ["status", "files"]
    return [(file["path"], file["status"]) for file in verdict["files"]]


def test_contracts_are_found_by_name_and_in_order(tree: Path, capsys: Captured) -> None:
    assert judged(capsys, "custom") == [
        ("custom/a/module_interfaces.yaml", "PASS"),
        ("custom/a/module_interfaces.yml", "PASS"),
        ("custom/b/module_interfaces.yaml", "FAIL"),
        ("custom/old/deep/module_interfaces.yaml", "FAIL"),
    ]


def test_paths_from_the_working_folder_begin_without_a_dot(tree: Path, capsys: Captured) -> None:
    """GitHub shows an annotation beside its line only where the path is the repository's own."""
    assert judged(capsys, ".") == judged(capsys, "custom") == judged(capsys, "./custom")


def test_files_and_folders_in_the_order_given(tree: Path, capsys: Captured) -> None:
    assert judged(capsys, "custom/a/other.yaml", "custom/b", "custom/.venv") == [
        ("custom/a/other.yaml", "FAIL"),
        ("custom/b/module_interfaces.yaml", "FAIL"),
        ("custom/.venv/module_interfaces.yaml", "FAIL"),
    ]


def test_the_summary_counts(tree: Path, capsys: Captured) -> None:
    assert run(["validate", "custom"]) == 1
    assert capsys.readouterr().out.endswith("\nFAIL: 2 errors in 4 files\n")
    assert run(["validate", "custom/a"]) == 0
    assert capsys.readouterr().out == "PASS: no findings in 2 files\n"


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        ("old/\n", ["a", "a", "b"]),
        ("# said\n\n/custom/old\n*.yml\n", ["a", "b"]),
        ("custom/*\n!custom/a\n", ["a", "a"]),
        ("module_interfaces.yml", ["a", "b", "old"]),
        ("/old", ["a", "a", "b", "old"]),
    ],
)
@pytest.mark.parametrize("inside", [False, True])
def test_an_ignore_file(patterns: str, left: list[str], inside: bool, tree: Path, capsys: Captured) -> None:
    """That of the repository, when it is searched and when a folder in it is."""
    (tree / ".r0kitignore").write_text(patterns)
    assert [Path(path).parts[1] for path, _ in judged(capsys, "custom" if inside else ".")] == left


def test_the_nearest_ignore_file_counts_and_none_beyond_the_repository(tree: Path, capsys: Captured) -> None:
    (tree / ".r0kitignore").write_text("*\n")
    (tree / "custom" / ".r0kitignore").write_text("/old\n")
    assert len(judged(capsys, "custom")) == 3
    (tree / "custom" / "b" / ".git").mkdir()
    (tree / "custom" / ".r0kitignore").write_text("*\n")
    assert judged(capsys, "custom/b") == [("custom/b/module_interfaces.yaml", "FAIL")]


PATTERNS = [
    ("*\n!*/\n!custom/a/module_interfaces.yaml", ["custom/a/module_interfaces.yaml"]),
    ("/*\n!/custom/\n/custom/*\n!/custom/b", ["custom/b/module_interfaces.yaml"]),
    ("custom/**\n!custom/old/", []),
    (
        "**/deep",
        ["custom/a/module_interfaces.yaml", "custom/a/module_interfaces.yml", "custom/b/module_interfaces.yaml"],
    ),
    ("custom/**/module_interfaces.yml\nold/\n[!a]", ["custom/a/module_interfaces.yaml"]),
    ("[ab]\n?ld", []),
    ("c\\ustom/[a-z]/*.yaml\ncustom/old/**/*.y?ml ", ["custom/a/module_interfaces.yml"]),
    (
        "\\#a\n#b\n\\!b\nb\\ \n/a\nmodule_interfaces.yaml/\nold",
        ["custom/a/module_interfaces.yaml", "custom/a/module_interfaces.yml", "custom/b/module_interfaces.yaml"],
    ),
]


@pytest.mark.parametrize(("patterns", "left"), PATTERNS)
def test_patterns_mean_what_they_mean_to_git(patterns: str, left: list[str], tree: Path) -> None:
    (tree / ".r0kitignore").write_text(f"{patterns}\n")
    assert found(["."], CONTRACTS).files == left
    shutil.rmtree(tree / ".git")
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    (tree / ".gitignore").write_text(f"{patterns}\n")
    listed = subprocess.run(
        [
            "git",
            "ls-files",
            "--others",
            "--exclude-standard",
            "custom/*/module_interfaces.*",
            "custom/*/*/module_interfaces.*",
        ],
        cwd=tree,
        capture_output=True,
        text=True,
    )
    assert sorted(name for name in listed.stdout.split() if "/." not in name) == left


def test_what_is_named_is_searched_whether_it_is_ignored_or_not(tree: Path) -> None:
    (tree / ".r0kitignore").write_text("old\n")
    assert found(["custom/old"], CONTRACTS).files == ["custom/old/deep/module_interfaces.yaml"]


def test_each_file_is_there_once(tree: Path) -> None:
    (tree / "link").symlink_to("custom")
    once = found(["custom"], CONTRACTS).files
    assert found(["custom", "custom/a", "./custom/", str(tree / "custom"), "link", *once], CONTRACTS).files == once
    assert found([once[1], "custom"], CONTRACTS).files == [once[1], once[0], *once[2:]]


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed there")
def test_a_working_folder_that_is_gone_hides_nothing_else(tree: Path, capsys: Captured) -> None:
    (tree / "gone").mkdir()
    os.chdir(tree / "gone")
    (tree / "gone").rmdir()
    right = str(tree / "custom/a/module_interfaces.yaml")
    assert run(["validate", right]) == 0
    assert run(["validate", str(tree / "custom/a")]) == 0
    capsys.readouterr()
    assert judged(capsys, right, "here.yaml", ".") == [(".", "FAIL"), (right, "PASS"), ("here.yaml", "FAIL")]


def test_a_folder_that_cannot_be_searched_does_not_hide_the_others(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = os.scandir

    def refuse(path: str) -> Any:
        if os.path.basename(path) == "old":
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    files, reports = found(["custom"], CONTRACTS)
    assert len(files) == 3
    assert [report.findings[0].message for report in reports] == ["custom/old cannot be searched: permission denied"]


def test_a_folder_with_the_name_of_a_contract_is_told_of(tree: Path, capsys: Captured) -> None:
    (tree / "custom" / "c" / "module_interfaces.yaml").mkdir(parents=True)
    assert run(["validate", "custom/c"]) == 1
    assert "is a folder, not a file" in capsys.readouterr().out


def test_a_file_that_is_named_is_not_ignored(tree: Path, capsys: Captured) -> None:
    (tree / ".r0kitignore").write_text("*\n")
    assert run(["validate", "custom/a/module_interfaces.yaml"]) == 0


def test_a_wrong_pattern_has_a_place(tree: Path, capsys: Captured) -> None:
    (tree / ".r0kitignore").write_text("old/\n!\n")
    assert run(["validate", "custom"]) == 1
    out = capsys.readouterr().out
    assert out.startswith(".r0kitignore:2:1: error: ")


@pytest.mark.parametrize("ignore", ["", "*\n"])
def test_a_folder_without_contracts_is_a_finding(ignore: str, tree: Path, capsys: Captured) -> None:
    (tree / "empty").mkdir()
    (tree / "empty" / ".r0kitignore").write_text(ignore)
    (tree / "empty" / "module_interfaces.json").write_text("{}")
    assert run(["validate", "empty", "custom/a"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("empty: error: empty has no module_interfaces.yaml in it [rule0]\n")
    assert out.endswith("FAIL: 1 error in 3 files\n")


def test_links_are_not_entered_and_a_linked_contract_is_a_finding(tree: Path, capsys: Captured) -> None:
    (tree / "custom" / "again").symlink_to("a")
    (tree / "custom" / "a" / "module_interfaces.yml").unlink()
    (tree / "custom" / "a" / "module_interfaces.yml").symlink_to("module_interfaces.yaml")
    assert [status for _, status in judged(capsys, "custom/a")] == ["PASS", "FAIL"]
    assert not [path for path, _ in judged(capsys, "custom") if "again" in path]
    (tree / "checkout").symlink_to("custom")
    assert len(judged(capsys, "checkout")) == 4, "a folder that is named may be a link"


def test_fixes_in_folders(tree: Path, capsys: Captured) -> None:
    assert run(["validate", "custom", "--diff"]) == 1
    assert capsys.readouterr().out.count("+module_count: 3\n") == 2
    assert run(["validate", "custom", "--fix"]) == 0
    assert (tree / "custom/b/module_interfaces.yaml").read_text("utf-8") == RIGHT
    assert (tree / "custom/.venv/module_interfaces.yaml").read_text("utf-8") == WRONG
    (tree / "empty").mkdir()
    capsys.readouterr()
    assert run(["validate", "empty", "--diff"]) == 1
    assert "has no module_interfaces.yaml" in capsys.readouterr().err


@pytest.mark.parametrize("jobs", ["0", "2", "3"])
@pytest.mark.parametrize("format_name", ["json", "text"])
def test_processes_change_nothing(jobs: str, format_name: str, tree: Path, capsys: Captured) -> None:
    for number in range(70):
        folder = tree / "many" / f"{number:02d}"
        folder.mkdir(parents=True)
        (folder / "module_interfaces.yaml").write_text(WRONG if number % 7 == 0 else RIGHT, "utf-8")
    arguments = ["validate", "many", "--format", format_name]
    assert run(arguments) == 1
    alone = capsys.readouterr().out
    assert run([*arguments, "--jobs", jobs]) == 1
    assert capsys.readouterr().out == alone


def test_the_script_takes_folders_too(tree: Path) -> None:
    script = Path(__file__).parents[2] / "scripts/validate_module_yaml.py"
    ran = subprocess.run([sys.executable, str(script), "custom/a"], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, "PASS: no findings in 2 files\n")
