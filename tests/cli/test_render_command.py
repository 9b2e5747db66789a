"""`r0kit render` as a person runs it: what goes where, exit statuses, and files that stay whole."""

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from r0kit.cli import app, common, output

CONTRACTS = Path(__file__).parents[1] / "render" / "contracts"
SOFTMAX = str(CONTRACTS / "row_softmax.yaml")
GOLDEN = CONTRACTS.parents[1] / "goldens" / "row_softmax" / "row_softmax_golden_cpu.py"
ATTENTION = str(CONTRACTS / "attention.yaml")

Captured = pytest.CaptureFixture[str]


def run(*arguments: object) -> int:
    return common.status_of(lambda: app.run(["render", *map(str, arguments)]))


def test_section_goes_to_standard_output(capsys: Captured) -> None:
    assert run(SOFTMAX) == 0
    out, err = capsys.readouterr()
    assert out.startswith("## §0 Module 划分（R0 输出）\n") and out.endswith("-->\n") and err == ""
    assert run(SOFTMAX, "--lang", "en") == 0
    assert capsys.readouterr().out.startswith("## §0 Module partition (R0 output)\n")


def test_mermaid(capsys: Captured) -> None:
    assert run(ATTENTION, "--format", "mermaid") == 0
    assert capsys.readouterr().out.startswith("flowchart TD\n")


def test_svg_and_json(capsys: Captured) -> None:
    assert run(ATTENTION, "--format", "svg") == 0
    assert capsys.readouterr().out.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<svg ')
    assert run(ATTENTION, "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["op"] == "attention"


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    """The folder of an operator: a contract with its golden beside it."""
    shutil.copy(CONTRACTS / "row_softmax.yaml", tmp_path / "module_interfaces.yaml")
    shutil.copy(GOLDEN, tmp_path)
    return tmp_path


def test_a_page_shows_the_golden_beside_its_contract(operator: Path, capsys: Captured) -> None:
    contract = operator / "module_interfaces.yaml"
    text = contract.read_text("utf-8").replace(
        "    golden_stage_fn:", "    source_lines: [17]\n    golden_stage_fn:", 1
    )
    contract.write_text(text, "utf-8")
    assert run(contract, "--format", "html", "--lang", "en") == 0
    out, err = capsys.readouterr()
    assert out.startswith("<!DOCTYPE html>\n") and err == ""
    assert "Golden: row_softmax_golden_cpu.py" in out and "xf.max(dim=-1, keepdim=True).values" in out
    (operator / "row_softmax_golden_cpu.py").unlink()
    assert run(contract, "--format", "html", "--lang", "en") == 0
    assert "Golden: " not in capsys.readouterr().out
    assert run(contract, "--format", "html", "--golden", GOLDEN, "-o", operator / "page.html") == 0
    assert "row_softmax_golden_cpu.py" in (operator / "page.html").read_text("utf-8")


def test_a_page_shows_what_verify_and_validate_found(operator: Path, capsys: Captured) -> None:
    contract, report = operator / "module_interfaces.yaml", operator / "v.json"
    text = contract.read_text("utf-8")
    assert text.count("atol: 0.001") == 1
    contract.write_text(text.replace("atol: 0.001", "atol: -1"), "utf-8")
    check = '{"id": "p0", "status": "PASS", "max_abs_diff": 0.25}'
    report.write_text(f'{{"status": "PASS", "cases_passed": 1, "cases_total": 1, "checks": [{check}]}}', "utf-8")
    assert run(contract, "--format", "html", "--lang", "en", "--verify-json", report) == 0
    out = capsys.readouterr().out
    assert "verified: 1 of 1 cases pass" in out and "0.25" in out and "rule14" in out


@pytest.mark.parametrize(("option", "rule"), [("--golden", "render.golden"), ("--verify-json", "render.verify")])
def test_what_a_page_cannot_read_is_a_finding(option: str, rule: str, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "bad").write_bytes(b"\xff\x00{")
    for name in ("bad", "none", "."):
        assert run(SOFTMAX, "--format", "html", option, tmp_path / name) == 1
        out, err = capsys.readouterr()
        assert out == "" and f"[{rule}]" in err
    assert run(SOFTMAX, option, tmp_path / "bad") == 2


def test_a_golden_that_was_only_found_does_not_stop_the_page(operator: Path, capsys: Captured) -> None:
    (operator / "row_softmax_golden_cpu.py").write_bytes(b"\xff\x00")
    assert run(operator / "module_interfaces.yaml", "--format", "html") == 0
    out, err = capsys.readouterr()
    assert out.startswith("<!DOCTYPE html>") and "warning:" in err and "[render.golden]" in err


def test_json_holds_the_plan_and_the_keys_of_ones_own(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "plan.json").write_text('{"op": "row_softmax", "modules": []}', "utf-8")
    (tmp_path / "c.yaml").write_text(Path(SOFTMAX).read_text("utf-8") + "reviewer: someone\n", "utf-8")
    assert run(tmp_path / "c.yaml", "--format", "json", "--plan", tmp_path / "plan.json") == 0
    data = json.loads(capsys.readouterr().out)
    assert data["plan"] == {"op": "row_softmax", "modules": []} and data["extra"] == {"reviewer": "someone"}


def test_an_operator_named_after_a_path_leads_nowhere(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "secret_golden.py").write_text("secret = 1\n" * 30, "utf-8")
    folder = tmp_path / "op"
    folder.mkdir()
    text = Path(SOFTMAX).read_text("utf-8").replace("op: row_softmax", "op: ../secret")
    (folder / "module_interfaces.yaml").write_text(text, "utf-8")
    assert run(folder / "module_interfaces.yaml", "--format", "html") == 0
    assert "secret = 1" not in capsys.readouterr().out


def test_output_file(tmp_path: Path, capsys: Captured) -> None:
    assert run(SOFTMAX, "-o", tmp_path / "section.md") == 0
    assert capsys.readouterr().out == ""
    assert (tmp_path / "section.md").read_text("utf-8").startswith("## §0 Module")


def test_design_is_created_then_kept_in_step(tmp_path: Path, capsys: Captured) -> None:
    design = tmp_path / "DESIGN.md"
    assert run(SOFTMAX, "--design", design, "--check") == 1
    out, err = capsys.readouterr()
    assert "+## §0 Module 划分（R0 输出）" in out and "render.behind" in err and not design.exists()
    assert run(SOFTMAX, "--design", design, "--in-place") == 0
    assert design.read_text("utf-8").startswith("# DESIGN：row_softmax\n\n## §0 Module 划分（R0 输出）\n")
    assert run(SOFTMAX, "--design", design, "--check") == 0
    assert capsys.readouterr().out == ""
    assert run(ATTENTION, "--design", design, "--check") == 1
    difference = capsys.readouterr().out
    assert f"--- {design}" in difference and "+| Module 4 `divide`" in difference
    assert run(ATTENTION, "--design", design, "--in-place") == 0
    assert run(ATTENTION, "--design", design, "--check") == 0


def test_unchanged_design_is_not_written(tmp_path: Path) -> None:
    design = tmp_path / "DESIGN.md"
    run(SOFTMAX, "--design", design, "--in-place")
    before = design.stat()
    assert run(SOFTMAX, "--design", design, "--in-place") == 0
    assert (design.stat().st_ino, design.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_bytes_of_others_stay(tmp_path: Path) -> None:
    design = tmp_path / "DESIGN.md"
    design.write_bytes(b"\xef\xbb\xbf# t\r\n\r\n## \xc2\xa71 x\r\n\x0ckept \xe2\x80\xa8 \t\r\n")
    assert run(SOFTMAX, "--design", design, "--in-place") == 0
    done = design.read_bytes()
    assert done.startswith(b"\xef\xbb\xbf# t\r\n\r\n## \xc2\xa70") and done.count(b"\xef\xbb\xbf") == 1
    assert done.endswith(b"## \xc2\xa71 x\r\n\x0ckept \xe2\x80\xa8 \t\r\n")
    assert done.count(b"\n") == done.count(b"\r\n")
    assert run(SOFTMAX, "--design", design, "--in-place") == 0
    assert design.read_bytes() == done


REFUSED = {
    "structure": ("op: x\nmodules: 3\n", "rule0"),
    "not yaml": ("op: [\n", "rule0"),
    "empty": ("", "rule0"),
    "source": ("op: x\nmodule_count: 1\nmodules: [{id: 1, inputs: [{name: a, source: b}], outputs: []}]\n", "rule2"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_contract_that_is_none_is_refused(name: str, tmp_path: Path, capsys: Captured) -> None:
    text, rule = REFUSED[name]
    (tmp_path / "c.yaml").write_text(text, "utf-8")
    design = tmp_path / "DESIGN.md"
    design.write_text("old\n", "utf-8")
    for arguments in ((), ("--design", design, "--in-place")):
        assert run(tmp_path / "c.yaml", *arguments) == 1
        out, err = capsys.readouterr()
        assert out == "" and f"[{rule}]" in err and "c.yaml:" in err
    assert design.read_text("utf-8") == "old\n"


@pytest.mark.parametrize("content", [b"\xff\xfe#\x00", b"\x00\x01\x02", b"\xff\xff"])
def test_a_design_that_is_no_text_is_refused(content: bytes, tmp_path: Path, capsys: Captured) -> None:
    design = tmp_path / "DESIGN.md"
    design.write_bytes(content)
    assert run(SOFTMAX, "--design", design, "--in-place") == 1
    assert "[render.design]" in capsys.readouterr().err
    assert design.read_bytes() == content


def test_broken_markers_write_nothing(tmp_path: Path, capsys: Captured) -> None:
    design = tmp_path / "DESIGN.md"
    design.write_text("# t\n\n<!-- r0kit:begin modules -->\n", "utf-8")
    assert run(SOFTMAX, "--design", design, "--in-place") == 1
    out, err = capsys.readouterr()
    assert out == "" and f"{design}:3:1: error: begin marker of 'modules' without its end marker" in err
    assert design.read_text("utf-8") == "# t\n\n<!-- r0kit:begin modules -->\n"


def test_missing_contract(tmp_path: Path, capsys: Captured) -> None:
    assert run(tmp_path / "none.yaml") == 1
    assert "none.yaml does not exist" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [
        ["--in-place"],
        ["--check"],
        ["--design", "d"],
        ["--design", "d", "--in-place", "--check"],
        ["--design", "d", "--in-place", "-o", "x"],
        ["--design", "d", "--check", "--format", "mermaid"],
        ["--lang", "fr"],
        ["--format", "pdf"],
    ],
)
def test_wrong_usage(options: list[str], capsys: Captured) -> None:
    assert run(SOFTMAX, *options) == 2
    out, err = capsys.readouterr()
    assert out == "" and "Usage: r0kit render" in err


def test_a_failing_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    design = tmp_path / "DESIGN.md"
    design.write_text("# old\n", "utf-8")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(output.os, "fsync", full)
    assert run(SOFTMAX, "--design", design, "--in-place") == 1
    assert f"{design} cannot be written: no space left on device [io.write]" in capsys.readouterr().err
    assert design.read_text("utf-8") == "# old\n" and os.listdir(tmp_path) == ["DESIGN.md"]


def test_a_folder_that_does_not_exist(tmp_path: Path, capsys: Captured) -> None:
    assert run(SOFTMAX, "-o", tmp_path / "no" / "section.md") == 1
    assert "cannot be written" in capsys.readouterr().err
    assert run(SOFTMAX, "-o", tmp_path) == 1
    assert "is a folder" in capsys.readouterr().err


def test_permissions_stay(tmp_path: Path) -> None:
    design = tmp_path / "DESIGN.md"
    design.write_text("# old\n", "utf-8")
    design.chmod(0o640)
    assert run(SOFTMAX, "--design", design, "--in-place") == 0
    assert "§0" in design.read_text("utf-8")
    assert stat.S_IMODE(design.stat().st_mode) == 0o640


def test_a_link_is_not_followed_out_of_its_folder(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "other").mkdir()
    target, link = tmp_path / "other" / "real.md", tmp_path / "DESIGN.md"
    target.write_text("# old\n", "utf-8")
    link.symlink_to(target)
    assert run(SOFTMAX, "--design", link, "--in-place") == 1
    assert run(SOFTMAX, "-o", link) == 1
    assert link.is_symlink() and target.read_text("utf-8") == "# old\n"
    said = capsys.readouterr().err
    assert "is a symbolic link, not a file" in said and "is a link to" in said
    link.unlink()
    link.symlink_to("section.md")
    assert run(SOFTMAX, "-o", link) == 0
    assert link.is_symlink() and "§0" in (tmp_path / "section.md").read_text("utf-8")


def test_a_stream_that_the_shell_has_sent_to_a_file(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "r0kit", "render", SOFTMAX, "-o", "/dev/stdout"]
    with open(tmp_path / "out.md", "w") as out:
        assert subprocess.run(list(map(str, command)), stdout=out).returncode == 0
    assert "§0" in (tmp_path / "out.md").read_text("utf-8")
    assert os.listdir(tmp_path) == ["out.md"]


def test_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    assert run(SOFTMAX, "-o", "/dev/null") == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize("options", [["-o"], ["--format", "svg", "-o"], ["--in-place", "--design"]])
def test_a_contract_is_never_replaced_by_what_is_made_of_it(
    options: list[str], tmp_path: Path, capsys: Captured
) -> None:
    contract = Path(shutil.copy(SOFTMAX, tmp_path / "module_interfaces.yaml"))
    before = contract.read_bytes()
    assert run(contract, *options, contract) == 1
    assert "is one of the files that are read" in capsys.readouterr().err
    assert contract.read_bytes() == before
