"""`r0kit diff` as a person or a CI job runs it."""

import json
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from r0kit.cli import app, common

CONTRACTS = Path(__file__).parents[1] / "render" / "contracts"
SOFTMAX, HOSTILE = CONTRACTS / "row_softmax.yaml", CONTRACTS / "hostile.yaml"

Captured = pytest.CaptureFixture[str]


def run(*arguments: object) -> int:
    return common.status_of(lambda: app.run(["diff", *map(str, arguments)]))


@pytest.fixture
def edited(tmp_path: Path) -> Path:
    """row_softmax with another dtype of its input."""
    file = tmp_path / "new.yaml"
    text = SOFTMAX.read_text("utf-8")
    assert text.count("dtype: float16") == 1
    file.write_text(text.replace("dtype: float16", "dtype: bfloat16"), "utf-8")
    return file


def test_no_difference(capsys: Captured) -> None:
    assert run(SOFTMAX, SOFTMAX) == 0
    assert capsys.readouterr().out == "SAME: no difference\n"


def test_an_interface_change_is_status_1_and_has_its_place(edited: Path, capsys: Captured) -> None:
    assert run(SOFTMAX, edited) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert "  ! primary input x: dtype bfloat16 (was float16)  [" in out and f"[{edited}:7:5]" in out
    assert out.endswith("INTERFACE: 1 interface change, 0 other changes\n")


def test_a_change_of_words_is_status_0(tmp_path: Path, capsys: Captured) -> None:
    text = SOFTMAX.read_text("utf-8").replace("description: ", "description: now ", 1)
    (tmp_path / "new.yaml").write_text(text, "utf-8")
    assert run(SOFTMAX, tmp_path / "new.yaml", "--format", "text") == 0
    assert "COMPATIBLE: 0 interface changes, 1 other change" in capsys.readouterr().out


def test_json(edited: Path, capsys: Captured) -> None:
    assert run(SOFTMAX, edited, "--json") == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["status"], data["interface_changes"], data["other_changes"], data["findings"]) == (
        "INTERFACE",
        1,
        0,
        [],
    )
    (change,) = data["changes"]
    assert change["kind"] == "primary_input_dtype" and change["module"] is None and change["line"] == 7
    assert change["rounds"] == ["R1", "R4", "R6", "R8"] and change["message"].startswith("primary input x: dtype")


def test_markdown_survives_hostile_values(capsys: Captured) -> None:
    assert run(HOSTILE, SOFTMAX, "--format", "md") == 1
    tokens = MarkdownIt("commonmark").enable("table").parse(capsys.readouterr().out)
    cells = [token.type for token in tokens if token.type in ("tr_open", "td_open", "th_open")]
    rows = "".join("|" if cell == "tr_open" else "." for cell in cells).split("|")[1:]
    assert set(rows) == {"...."}
    inline = [part for token in tokens for part in token.children or ()]
    assert {part.content for part in inline if part.type == "html_inline"} <= {"<code>", "</code>"}
    assert not any(token.type == "html_block" for token in tokens)


def test_text_shows_no_control_characters(capsys: Captured) -> None:
    assert run(SOFTMAX, HOSTILE) == 1
    assert all(char.isprintable() or char == "\n" for char in capsys.readouterr().out)


@pytest.mark.parametrize("content", [b"", b"op: [\n", b"\xff\xfe\x00", b"a: &a [*a]\n", b"op: x\nmodules: 3\n"])
def test_what_is_no_contract_is_a_finding(content: bytes, tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "bad.yaml"
    file.write_bytes(content)
    for arguments in ((file, SOFTMAX), (SOFTMAX, file)):
        assert run(*arguments) == 1
        out, err = capsys.readouterr()
        assert out == "" and "[rule0]" in err and "bad.yaml" in err
    assert run(file, tmp_path / "none.yaml", "--json") == 1
    data = json.loads(capsys.readouterr().out)
    assert data["status"] == "FAIL" and data["changes"] == []
    assert {finding["path"] for finding in data["findings"]} == {str(file), str(tmp_path / "none.yaml")}


def test_wrong_usage(capsys: Captured) -> None:
    assert run(SOFTMAX) == 2
    assert run(SOFTMAX, SOFTMAX, "--format", "pdf") == 2
    assert "Usage: r0kit diff" in capsys.readouterr().err
