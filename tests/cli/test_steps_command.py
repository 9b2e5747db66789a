"""`r0kit steps`: the table, the JSON, findings with carets, exit statuses."""

import io
import json
import shutil
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from r0kit.cli import app, common
from r0kit.golden.show import width

GOLDENS = Path(__file__).parents[1] / "goldens"
SOFTMAX = GOLDENS / "row_softmax" / "row_softmax_golden_cpu.py"


def steps(*arguments: object) -> tuple[int, str, str]:
    stdout, stderr = io.StringIO(), io.StringIO()
    with redirect_stdout(stdout), redirect_stderr(stderr):
        status = common.status_of(lambda: app.run(["steps", *map(str, arguments)]))
    return status, stdout.getvalue(), stderr.getvalue()


TABLE = """\
line  target  operation            kind         section  shape   dtype
      x       input                                      [M, N]  float16
14    xf      cast(x)              elementwise  vector   [M, N]  float32
17    m       amax(xf, axes=(1,))  reduction    vector   [M, 1]  float32
18    sub     sub(xf, m)           elementwise  vector   [M, N]  float32
18    e       exp(sub)             elementwise  vector   [M, N]  float32
19    s       sum(e, axes=(1,))    reduction    vector   [M, 1]  float32
20    y       div(e, s)            elementwise  vector   [M, N]  float32
      y       output                                     [M, N]  float32
"""


def test_the_table_shows_each_step_with_its_line() -> None:
    assert steps(SOFTMAX) == (0, TABLE, "")


def test_json_holds_steps_with_their_places_and_texts() -> None:
    status, text, errors = steps(SOFTMAX, "--json")
    data = json.loads(text)
    assert (status, errors, data["status"], data["findings"]) == (0, "", "PASS", [])
    assert data["inputs"] == [{"name": "x", "shape": ["M", "N"], "dtype": "float16", "is_list": False}]
    assert data["outputs"] == [{"name": "y", "value": "y"}]
    m = data["steps"][1]
    assert {key: m[key] for key in ("target", "op", "operands", "shape", "dtype", "kind", "section")} == {
        "target": "m",
        "op": "amax",
        "operands": ["xf"],
        "shape": ["M", "1"],
        "dtype": "float32",
        "kind": "reduction",
        "section": "vector",
    }
    assert (m["line"], m["column"], m["text"]) == (17, 9, "xf.max(dim=-1, keepdim=True)")


@pytest.mark.parametrize("name", sorted(path.name for path in GOLDENS.iterdir() if path.is_dir()))
def test_every_labelled_golden_shows(name: str) -> None:
    [golden] = (GOLDENS / name).glob("*_golden*.py")
    for flags in ((), ("--json",)):
        status, text, errors = steps(golden, *flags)
        assert (status, errors) == (0, "") and text
        if flags:
            json.loads(text)


def test_wide_characters_stay_aligned(tmp_path: Path) -> None:
    golden = tmp_path / "f_golden.py"
    golden.write_text(
        'def f_golden(x):\n    """x [M, N]"""\n    结果 = x * 2\n    y = 结果 + 1\n    return y\n', "utf-8"
    )
    _, text, _ = steps(golden)
    rows = [line for line in text.split("\n\n")[0].split("\n") if "float32" in line]
    assert len({width(row[: row.index("float32")]) for row in rows}) == 1 and "结果" in text


def test_findings_follow_the_table_with_a_caret(tmp_path: Path) -> None:
    golden = tmp_path / "f_golden.py"
    golden.write_text(
        'import torch\ndef f_golden(x):\n    """x [M, N]"""\n    z = "中文"; y = torch.mystery(x)\n    return y\n',
        "utf-8",
    )
    status, text, errors = steps(golden)
    assert (status, errors) == (0, "")
    table, _, findings = text.partition("\n\n")
    assert "opaque(x)" in table
    assert findings.split("\n")[:3] == [
        f"{golden}:4:19: warning: `torch.mystery` is an operation that r0kit does not know; its result is opaque "
        "[golden.unknown-operation]",
        '  4 |     z = "中文"; y = torch.mystery(x)',
        "    |                     ^^^^^^^^^^^^^^^^",
    ]


def test_the_spec_beside_the_golden_is_used_and_another_can_be_named(tmp_path: Path) -> None:
    golden = tmp_path / SOFTMAX.name
    shutil.copy(SOFTMAX, golden)
    other = tmp_path / "other.md"
    other.write_text((GOLDENS / "row_softmax" / "SPEC.md").read_text("utf-8").replace('"M"', '"Rows"'), "utf-8")
    assert "[Rows, N]" in steps(golden, "--spec", other)[1]
    assert "[Rows, N]" not in steps(golden)[1]


def test_unreadable_inputs_exit_1_with_their_findings(tmp_path: Path) -> None:
    status, text, errors = steps(tmp_path / "none.py")
    assert (status, text) == (1, "") and "does not exist" in errors
    broken = tmp_path / "f_golden.py"
    broken.write_text("def f_golden(x:\n", "utf-8")
    status, text, errors = steps(broken)
    assert (status, text) == (1, "") and "not Python" in errors and "f_golden.py:1:" in errors
    status, text, errors = steps(SOFTMAX, "--spec", tmp_path / "no.md")
    assert (status, text) == (1, "") and "no.md" in errors


def test_a_golden_without_a_result_is_an_error(tmp_path: Path) -> None:
    golden = tmp_path / "f_golden.py"
    golden.write_text("def f_golden(x):\n    y = x + 1\n", "utf-8")
    status, text, _ = steps(golden)
    assert status == 1 and "golden.no-output" in text


def test_op_selects_one_golden_of_several(tmp_path: Path) -> None:
    golden = tmp_path / "many.py"
    golden.write_text("def a_golden(x):\n    return x + 1\n\ndef b_golden(x):\n    return x * 2\n", "utf-8")
    assert "mul(x, 2)" in steps(golden, "--op", "b")[1]
    assert steps(golden)[0] == 1
