"""The subsection of tiles: there with a plan, kept without one, and safe whatever the plan's file holds."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from render_contracts import contract
from render_plan import PLAN

from r0kit.cli import app, common
from r0kit.render import Lang, html, markdown, update, with_plan
from r0kit.render.supplement import Supplement

SOFTMAX = Path(__file__).parents[1] / "contracts" / "row_softmax.yaml"
TABLES = """\
| Module | iteration space | first tile | live bytes on chip | other candidates |
| --- | --- | --- | --- | --- |
| Module 1 `online_stats` | `M=256, N=1024` | `(16, 1024)` (26471 cycles), 16 tiles, contiguous moves of 32768 bytes \
| UB 98304 of 196608 | `(8, 1024)` (rejected by the compiler) |
| Module 2 `conv` | no tiles: its lines say no contraction | none | none | none |

| Module | case | extents | result |
| --- | --- | --- | --- |
| Module 1 `online_stats` | aligned | `M=16, N=1024` | served by the plan |
| Module 1 `online_stats` | two tails | none | 1 of the axes |
| Module 1 `online_stats` | one tail | `M=16` | back to R0: N |
| Module 1 `online_stats` | several tiles with a tail | `M=33` | served by the plan |
"""


def render(*arguments: object) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with redirect_stdout(stdout), redirect_stderr(stderr):
        status = common.status_of(lambda: app.run(["render", *map(str, arguments)]))
    return status, stdout.getvalue(), stderr.getvalue()


def test_both_tables_stand_between_the_reduction_axes_and_the_data_flow() -> None:
    text = markdown(with_plan(contract("row_softmax"), PLAN), Lang.EN)
    assert TABLES in text
    order = [text.index(f"r0kit:begin {block}") for block in ("reduction", "tiles", "dataflow")]
    assert order == sorted(order)


@pytest.mark.parametrize("lang", Lang)
def test_without_a_plan_there_is_no_such_subsection(lang: Lang) -> None:
    assert "r0kit:begin tiles" not in markdown(contract("row_softmax"), lang)


def test_a_document_keeps_its_tiles_where_no_plan_is_given() -> None:
    planned = with_plan(contract("row_softmax"), PLAN)
    document = update("# Title\n", planned, Lang.EN, "DESIGN.md")
    assert TABLES in document
    assert update(document, planned, None, "DESIGN.md") == document
    assert update(document, contract("row_softmax"), None, "DESIGN.md") == document


def test_the_plan_of_the_command_is_shown_by_render(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    with redirect_stdout(io.StringIO()) as stdout:
        assert common.status_of(lambda: app.run(["plan", str(SOFTMAX), "--json"])) == 0
    plan.write_text(stdout.getvalue(), "utf-8")
    design = tmp_path / "DESIGN.md"
    assert render(SOFTMAX, "--plan", plan, "--design", design, "--in-place") == (0, "", "")
    assert "r0kit:begin tiles" in design.read_text("utf-8")
    assert render(SOFTMAX, "--plan", plan, "--design", design, "--check") == (0, "", "")


@pytest.mark.parametrize(
    ("text", "said"),
    (
        ("{", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ("[]", "is no plan of row_softmax"),
        ('{"op": "other"}', "is no plan of row_softmax"),
    ),
)
def test_what_is_no_plan_is_a_finding(text: str, said: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(text, "utf-8")
    status, out, errors = render(SOFTMAX, "--plan", plan)
    assert (status, out) == (1, "")
    assert said in errors
    assert "r0kit plan FILE --json" in errors


def test_a_missing_plan_is_a_finding(tmp_path: Path) -> None:
    assert render(SOFTMAX, "--plan", tmp_path / "none.json")[:2] == (1, "")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def spoiled(value: Any, draw: st.DataObject) -> Any:
    """The plan with some of its parts replaced by anything."""
    if draw.draw(st.integers(0, 9)) == 0:
        return draw.draw(VALUES)
    if isinstance(value, dict):
        return {key: spoiled(part, draw) for key, part in value.items()}
    return [spoiled(part, draw) for part in value] if isinstance(value, list) else value


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_any_plan_is_shown_or_left_out(data: st.DataObject) -> None:
    plan = spoiled(PLAN, data)
    planned = with_plan(contract("row_softmax"), json.loads(json.dumps(plan)))
    text = markdown(planned, Lang.EN)
    assert text.count("<!-- r0kit:begin") == text.count("<!-- r0kit:end")
    assert "<script" not in text
    assert "<script" not in html(planned, Lang.EN, Supplement())
