"""The oracle itself, and static reading against it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from labelled import EXTRA, Operator, make_inputs, operators, run
from oracle import Bound, Comparison, Recording, Seen, Status, compare, fits, record

import r0kit.golden
from r0kit.golden.dims import Dim, Shape
from r0kit.golden.program import Kind, Output, Program, Ref, Section, Step
from r0kit.golden.span import Span
from r0kit.spec import read_spec

torch = pytest.importorskip("torch")
ALL = operators() + operators(EXTRA)
each = pytest.mark.parametrize("item", ALL, ids=lambda item: item.name)

SOURCE = """\
import torch


def _halves(t):
    a, b = t.chunk(2, dim=-1)
    return a, b


def demo_golden(x, flag=True):
    def scaled(t):
        名 = t * 2
        return 名

    left, right = _halves(scaled(x))
    total = left.float() + right
    total += 1
    out = torch.zeros(3, 4)
    for i in range(3):
        row = total[i]
        out[i] = row
    out.mul_(2).add_(1)
    picked = out.max(dim=-1).values if flag else out
    return picked, "中文" + "字", torch.exp(out)
"""


@pytest.fixture(scope="module")
def recording() -> Recording:
    return record(SOURCE, "demo_golden", {"x": torch.ones(3, 8, dtype=torch.float16)})


def bound(recording: Recording, line: int, name: str) -> list[tuple[tuple[int, ...], str]]:
    return [(one.seen.shape, one.seen.dtype) for one in recording.bound if (one.line, one.name) == (line, name)]


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        (5, "a", [((3, 4), "float16")]),
        (6, "return", [((3, 4), "float16"), ((3, 4), "float16")]),
        (11, "名", [((3, 8), "float16")]),
        (14, "right", [((3, 4), "float16")]),
        (15, "total", [((3, 4), "float32")]),
        (16, "total", [((3, 4), "float32")]),
        (19, "row", [((4,), "float32")] * 3),
        (20, "out", [((3, 4), "float32")] * 3),
        (21, "out", [((3, 4), "float32")]),
        (22, "picked", [((3,), "float32")]),
    ],
)
def test_statements_are_recorded(recording: Recording, line: int, name: str, expected: list[Any]) -> None:
    assert bound(recording, line, name) == expected


def test_expressions_are_recorded_at_columns_of_code_points(recording: Recording) -> None:
    line = SOURCE.split("\n")[22]
    column = line.index("torch.exp") + 1
    assert recording.expressions[23, column, 23, column + len("torch.exp(out)")] == [Seen((3, 4), "float32")]
    assert recording.expressions[15, 13, 15, 25] == [Seen((3, 4), "float32")]  # left.float()


def test_lines_of_loops_are_known(recording: Recording) -> None:
    assert [line for line in range(1, 24) if recording.in_loop(line)] == [18, 19, 20]


@each
def test_recording_does_not_change_what_a_golden_computes(item: Operator) -> None:
    for case in item.machine["p0_cases"]:
        arguments = {**make_inputs(item, case), **item.parameters(case)}
        found = record(item.golden.read_text(encoding="utf-8"), item.function, arguments)
        plain = run(item, case)
        assert len(found.outputs) == len(plain)
        assert all(torch.equal(a, b) for a, b in zip(found.outputs, plain, strict=True))
        assert found.bound


def shape_of(*extents: int | str | Dim) -> Shape:
    return tuple(Dim.of(one) for one in extents)


def step(target: str, line: int, name: str, shape: Shape, dtype: str, **more: Any) -> Step:
    span = more.pop("span", Span(line, 5, line, 20))
    kind = more.pop("kind", Kind.ELEMENTWISE)
    return Step(target, "op", (Ref("x"),), shape, dtype, kind, Section.VECTOR, span, name=name, **more)


def compared(recording: Recording, *steps: Step, outputs: tuple[Output, ...] = ()) -> Comparison:
    program = Program("demo", "demo.py", "demo_golden", SOURCE, (), (), steps, outputs)
    return compare(program, recording, {"M": 3, "N": 8})


def statuses(comparison: Comparison) -> list[Status]:
    return [one.status for one in comparison.verdicts]


def test_a_right_step_is_equal(recording: Recording) -> None:
    found = compared(recording, step("%0", 15, "total", shape_of("M", Dim.of("N") // 2), "float32"))
    assert statuses(found) == [Status.EQUAL] and found.unknown == 0


@pytest.mark.parametrize(("shape", "dtype"), [(("M", "N"), "float32"), (("M", 4), "float16"), (("M", 4, 1), "float32")])
def test_a_contradiction_is_wrong_and_says_both_sides(recording: Recording, shape: Any, dtype: str) -> None:
    found = compared(recording, step("%0", 15, "total", shape_of(*shape), dtype))
    assert statuses(found) == [Status.WRONG]
    assert found.faults[0].startswith("line 15 total") and "torch has [3, 4] float32" in found.faults[0]


def test_a_symbol_that_the_case_does_not_bind_is_unknown(recording: Recording) -> None:
    right = step("%1", 15, "total", shape_of("M", 4), "float32")
    found = compared(recording, step("%0", 15, "total", shape_of("M", "L"), "float32"), right)
    assert statuses(found) == [Status.UNKNOWN, Status.EQUAL] and found.unknown == 0.5


def test_a_collapsed_loop_has_its_axis_added(recording: Recording) -> None:
    collapsed = step("%0", 19, "row", shape_of("M", 4), "float32")
    astray = step("%1", 19, "row", shape_of("M", 3), "float32")
    assert statuses(compared(recording, collapsed, astray)) == [Status.REWRITTEN, Status.WRONG]


def test_unnamed_steps_go_by_their_span_and_only_the_last_there_has_its_value(recording: Recording) -> None:
    span = Span(15, 13, 15, 25)
    first = step("%0", 15, "", shape_of(1), "bool", span=span)
    last = step("%1", 15, "", shape_of("M", 4), "float32", span=span)
    assert statuses(compared(recording, first, last)) == [Status.UNSEEN, Status.EQUAL]
    assert statuses(compared(recording, first)) == [Status.WRONG]


def test_steps_inside_a_region_are_compared_too(recording: Recording) -> None:
    inner = step("%1", 19, "row", shape_of(4), "float16")
    region = step("%0", 18, "out", shape_of("M", 4), "float32", kind=Kind.LOOP, body=(inner,))
    assert statuses(compared(recording, region)) == [Status.UNSEEN, Status.WRONG]


@pytest.mark.parametrize(
    ("user", "before", "expected"),
    [
        (Kind.CONTRACTION, "float16", Status.FOLDED),
        (Kind.ELEMENTWISE, "float16", Status.WRONG),
        (Kind.CONTRACTION, "bfloat16", Status.WRONG),
    ],
)
def test_a_cast_may_fold_into_a_contraction_and_nowhere_else(
    recording: Recording, user: Kind, before: str, expected: Status
) -> None:
    shape = shape_of("M", 4)
    operand = replace(step("%0", 5, "a", shape, before), target="x")
    layout = step("%1", 15, "total", shape, "float16", kind=Kind.LAYOUT)
    use = replace(step("%2", 16, "total", shape, "float32", kind=user), operands=(Ref("%1"),))
    assert statuses(compared(recording, operand, layout, use))[1] is expected


def test_outputs_are_compared_in_number_shape_and_dtype(recording: Recording) -> None:
    exact = step("%0", 22, "picked", shape_of("M"), "float32")
    other = step("%1", 23, "", shape_of("N"), "float32")
    assert compared(recording, exact, outputs=(Output("picked", "%0"),)).outputs == (
        "1 outputs were read, the golden returns 2",
    )
    [fault] = compared(recording, exact, other, outputs=(Output("picked", "%0"), Output("y", "%1"))).outputs
    assert "output y was read as (8,) float32, torch has (3, 4) float32" in fault


@pytest.mark.parametrize(
    ("trip", "whole", "expected"),
    [
        ((4,), (3, 4), True),
        ((16, 8), (2, 3, 48, 8), True),
        ((5, 1), (2, 5, 1), True),
        ((5, 1), (5, 7), False),
        ((4, 8), (8, 4), False),
        ((9,), (3, 4), False),
    ],
)
def test_a_trip_fits_into_its_whole(trip: tuple[int, ...], whole: tuple[int, ...], expected: bool) -> None:
    assert fits(trip, whole) is expected


def test_bound_values_are_found_by_line_before_name() -> None:
    one, two = Seen((1,), "float32"), Seen((2,), "float32")
    recording = Recording(bound=[Bound(3, 5, "x", one), Bound(7, 7, "x", two)])
    assert recording.of(4, "x") == [one] and recording.of(9, "x") == [one, two] and recording.of(4, "y") == []


# Static reading against torch, over every labelled golden.

reads = pytest.mark.skipif(not hasattr(r0kit.golden, "read_program"), reason="there is no reader of goldens yet")


@cache
def program_of(item_name: str) -> Program:
    item = next(one for one in ALL if one.name == item_name)
    spec, _ = read_spec(str(item.spec))
    reader: Callable[..., Program] = vars(r0kit.golden)["read_program"]
    program: Program = reader(str(item.golden), spec, op=item.name)
    return program


@cache
def comparisons(item_name: str) -> tuple[Comparison, ...]:
    item = next(one for one in ALL if one.name == item_name)
    source = item.golden.read_text(encoding="utf-8")
    runs = [
        (record(source, item.function, {**make_inputs(item, case), **item.parameters(case)}), item.symbols(case))
        for case in item.machine["p0_cases"]
    ]
    return tuple(compare(program_of(item_name), run, symbols) for run, symbols in runs)


@reads
@each
def test_static_reading_says_what_torch_says(item: Operator) -> None:
    for found in comparisons(item.name):
        assert found.faults == []
        program = program_of(item.name)
        assert not found.of(Status.UNKNOWN) or program.findings or program.symbols


@reads
def test_hardly_any_shape_is_unknown_and_most_are_seen() -> None:
    verdicts = [one for item in ALL for found in comparisons(item.name)[:1] for one in found.verdicts]
    share = {status: sum(one.status is status for one in verdicts) / len(verdicts) for status in Status}
    assert share[Status.UNKNOWN] <= 0.03
    assert share[Status.EQUAL] >= 0.5
