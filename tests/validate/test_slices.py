"""rule17: Modules laid over small goldens, each with a verdict that follows from what a Module is (design.md sections 1, 6)."""

import json
from typing import Any

import pytest
from judged import marked

from r0kit.cli.comparing import golden_of_text
from r0kit.contract.read import parse
from r0kit.finding import Finding
from r0kit.validate import validate_document

INPUTS = {"x": "[M, N]", "w": "[N, K]", "labels": "[M]", "scale": "[N]", "rows": "[M, 1]", "full": "[M, N]", "c": "[1]"}
INPUTS |= {"flat": "[1, N]", "v": "[K, P]", "p": "[A]", "n": "[B]", "q": "[Q]"}


def module(number: int | None, section: str, reads: str, writes: str, **more: Any) -> dict[str, Any]:
    """A Module that reads values such as `x` (a primary input) and `t@1` (of Module 1), and writes others."""
    wires = (each.partition("@") for each in reads.split())
    inputs = [{"name": name, "source": f"module_{of}" if of else "primary"} for name, _, of in wires]
    outputs = [{"name": name} for name in writes.split()]
    return {**({"id": number} if number else {}), "section": section, "inputs": inputs, "outputs": outputs, **more}


def contract(golden: str, *modules: dict[str, Any]) -> str:
    parameters = golden[golden.index("(") + 1 : golden.index(")")].replace(" ", "").split(",")
    dtypes = {"labels": "int64"}
    primary = [{"name": p, "shape": INPUTS.get(p, "[N, N]"), "dtype": dtypes.get(p, "float32")} for p in parameters]
    data = {"op": "f", "module_count": len(modules), "primary_inputs": primary, "modules": modules}
    return json.dumps(data, indent=1)


def findings(golden: str, *modules: dict[str, Any]) -> list[Finding]:
    """What rule17 says."""
    document = parse(contract(golden, *modules), "contract.yaml")
    found = validate_document(document, golden_of_text(golden, document)).findings
    return [finding for finding in found if finding.rule == "rule17"]


def said(golden: str, *modules: dict[str, Any]) -> list[str]:
    return [finding.message for finding in findings(golden, *modules)]


def golden(signature: str, *lines: str) -> str:
    return f"def f_golden({signature}):\n" + "".join(f"    {line}\n" for line in lines)


# Sections

ON_ACCUMULATOR = [
    ("t * scale", True),  # an output channel's scale
    ("t + scale", True),  # a bias
    ("t * 2.0", True),
    ("t * c", True),
    ("t * flat", True),
    ("t.half().float() * scale", True),
    ("t.transpose(0, 1) + c", False),
    ("t * rows", False),  # a row's scale is an epilogue
    ("t + full", False),
    ("t - scale", False),
    ("t.exp()", False),
]


@pytest.mark.parametrize(("epilogue", "is_cube"), ON_ACCUMULATOR)
def test_what_an_accumulator_takes_on_its_way(epilogue: str, is_cube: bool) -> None:
    source = golden("x, b, scale, rows, full, c, flat", "t = x @ b", f"y = {epilogue}", "return y")
    found = said(source, module(1, "cube", "x b scale rows full c flat", "y"))
    assert bool(found) != is_cube
    assert all(message.endswith("(golden line 3) is vector work") for message in found)


def test_a_contraction_is_cube_work() -> None:
    source = golden("x, b", "y = x @ b", "return y")
    wrong = module(1, "vector", "x b", "y")
    (found,) = findings(source, wrong)
    assert found.message == "Module 1 is vector, but y = matmul (golden line 2) is cube work"
    assert found.hint == "give y to a cube Module"
    assert marked(contract(source, wrong), found.location) == '"vector"'
    assert said(source, module(1, "cube", "x b", "y")) == []


def test_work_is_what_is_computed_from_an_input() -> None:
    """A mask that nothing but numbers goes into, a cast and another layout may stand before a contraction."""
    source = "import torch\n" + golden(
        "x", "k = torch.ones_like(x).half() * 2", "h = x.half().transpose(0, 1)", "y = h @ k", "return y"
    )
    assert said(source, module(1, "cube", "x", "y")) == []
    scaled = golden("x, b", "h = x * 2", "y = h @ b", "return y")
    assert said(scaled, module(1, "cube", "x b", "y")) == [
        "Module 1 is cube, but h = mul (golden line 2) is vector work",
    ]
    beside = golden("x, b", "t = x @ b", "h = b * 2", "y = x @ h", "return t, y")
    assert said(beside, module(1, "cube", "x b", "t y")) == [
        "Module 1 is cube, but h = mul (golden line 3) is vector work",
    ]


def test_a_section_that_is_none_is_left_to_rule9() -> None:
    assert said(golden("x, b", "y = x @ b", "return y"), module(1, "scaling", "x b", "y")) == []
    source = golden("x", "y = x * 2", "return y")
    assert said(source, module(1, "scaling", "x", "y")) == []
    assert said(source, module(1, "cube", "x", "y")) == [
        "Module 1 is cube, but y = mul (golden line 2) is vector work",
    ]


# What belongs to a Module


def test_an_input_that_a_module_needs_and_does_not_read() -> None:
    source = golden("x, full", "t = x * 2", "y = t + full", "return y")
    lacking = module(2, "vector", "t@1", "y")
    first = module(1, "vector", "x", "t", boundary=[])
    (found,) = [f for f in findings(source, first, lacking) if "needs" in f.message]
    assert found.message == "Module 2 needs 'full' for y (golden line 3), and does not read it"
    assert found.hint == "add - {name: full, source: primary}"
    assert found.location.line == next(
        number
        for number, line in enumerate(contract(source, first, lacking).splitlines(), 1)
        if '"inputs"' in line and number > 20
    )


@pytest.mark.parametrize(("reads", "writes"), [("x", "y z"), ("x z", "y")])
def test_a_value_that_the_golden_does_not_have(reads: str, writes: str) -> None:
    """Nothing is known about such a Module."""
    source = golden("x", "y = x * 2", "return y")
    assert said(source, module(1, "cube", reads, writes)) == []


def test_a_module_without_an_id_is_left_alone() -> None:
    source = golden("x", "y = x * 2", "return y")
    assert said(source, module(None, "cube", "x", "y")) == []


def test_an_output_may_have_the_name_under_which_its_value_is_returned() -> None:
    source = golden("x", "x = x * 2", "return x")
    assert said(source, module(1, "cube", "x", "x")) == [
        "Module 1 is cube, but x_new = mul (golden line 2) is vector work"
    ]


def test_a_name_that_a_value_has_is_that_value_whatever_is_returned_under_it() -> None:
    source = golden("x", "a = x.amax(-1, keepdim=True)", "b = x - a", "return {'a': b, 'c': b}")
    assert said(source, module(1, "vector", "x", "a"), module(2, "vector", "x a@1", "c")) == []


def test_a_primary_input_is_not_what_is_returned_under_its_name() -> None:
    source = golden("x", "m = x.amax(-1, keepdim=True)", "x = x - m", "y = x * 2", "return x, y")
    first, second = module(1, "vector", "x", "m"), module(2, "vector", "x m@1", "x")
    assert said(source, first, second, module(3, "vector", "x m@1", "y")) == []
    (note,) = findings(source, first, second, module(3, "vector", "x@2", "y"))
    assert note.message == "Module 2 and Module 3 could be one: nothing that a rule knows keeps them apart"


def test_what_a_module_reads_it_does_not_compute() -> None:
    source = golden("x", "m = x.amax(-1, keepdim=True)", "y = x - m", "return y")
    assert said(source, module(1, "vector", "x", "m"), module(2, "vector", "x m@1", "y")) == []


# Axes

SOFTMAX = golden(
    *("x", "m = x.amax(-1, keepdim=True)", "d = x - m", "e = d.exp()", "s = e.sum(-1, keepdim=True)"),
    *("y = e / s", "return y"),
)


def test_the_first_step_that_runs_over_a_reduced_axis_is_told() -> None:
    wrong = module(1, "vector", "x", "m s", golden_steps=["m"])
    (found,) = findings(SOFTMAX, wrong)
    assert found.message == (
        "Module 1 runs over N again for d (golden line 3) after it has reduced N for m (golden line 2)"
    )
    assert found.hint == "begin a new Module behind m, or declare traversal.algorithm online or resident"
    assert marked(contract(SOFTMAX, wrong), found.location).startswith("[")
    assert found.severity.value == "warning"


@pytest.mark.parametrize(
    ("algorithm", "writes", "right"),
    [
        ("resident", "y", True),
        ("single_tile", "y", True),
        ("online", "m s", True),  # the statistics alone
        ("online", "y", False),  # the output needs them complete
        ("online", "e", False),
        ("single", "m s", False),
        ("sing", "m s", False),
    ],
)
def test_algorithms(algorithm: str, writes: str, right: bool) -> None:
    found = said(SOFTMAX, module(1, "vector", "x", writes, traversal={"algorithm": algorithm}))
    assert bool(found) != right
    assert all("for d (golden line 3)" in message for message in found)


@pytest.mark.parametrize("traversal", [None, {}, {"axes": ["M", "N"]}])
def test_a_module_that_declares_no_algorithm(traversal: Any) -> None:
    assert said(SOFTMAX, module(1, "vector", "x", "m s", traversal=traversal or {})) != []


def test_what_an_online_module_gives_to_a_cube_module_goes_tile_by_tile() -> None:
    source = golden(*("x, w", "m = x.amax(-1, keepdim=True)", "p = (x - m).exp()", "y = p @ w", "return y"))
    online = {"algorithm": "online"}
    first = module(1, "vector", "x", "m p", traversal=online)
    assert said(source, first, module(2, "cube", "p@1 w", "y")) == []
    again = "Module 1 runs over N again for sub (golden line 3) after it has reduced N for m (golden line 2)"
    assert said(source, first, module(2, "vector", "p@1 w", "y"))[0] == again
    third = module(3, "cube", "p@2 w", "y")
    assert said(source, first, module(2, "vector", "x m@1", "p"), third)[0] == again, "it takes those of Module 2"


def test_an_online_output_under_the_name_it_is_returned_by() -> None:
    source = golden("x", "m = x.amax(-1, keepdim=True)", "x = x - m", "return x")
    assert len(said(source, module(1, "vector", "x", "x", traversal={"algorithm": "online"}))) == 1


def test_an_axis_that_was_reduced_before_the_last_reduction() -> None:
    source = golden("x", "m = x.amax(-1)", "s = m.sum(0)", "y = x - s", "return y")
    assert said(source, module(1, "vector", "x", "y")) == [
        "Module 1 runs over N again for y (golden line 4) after it has reduced N for m (golden line 2)"
    ]


def test_values_and_indices_of_a_sort_are_taken_without_another_run() -> None:
    source = golden("x", "v, i = x.sort(-1)", "return v, i")
    assert said(source, module(1, "vector", "x", "v i")) == []


GATHERED = ("x, labels", "m = x.amax(-1, keepdim=True)", "d = x - m", "k = d.exp()", "at = labels[:, None]")


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("y = d.gather(1, at)", True),
        ("y = k.gather(1, at)", True),  # elementwise on the way: the gather can go first
        ("y = d.gather(1, at) + d.gather(1, at)", True),
        ("y = d.gather(1, at) + d.sum(-1, keepdim=True)", False),
        ("y = k.gather(1, at) + d.sum(-1, keepdim=True)", False),
        ("y = k", False),
    ],
)
def test_what_only_gathers_read_is_no_run(line: str, right: bool) -> None:
    source = golden(*GATHERED, line, "return y")
    found = said(source, module(1, "vector", "x labels", "y"))
    assert bool(found) != right
    assert all("Module 1 runs over N again for d (golden line 3)" in message for message in found)


def test_axes_are_named_in_the_order_of_the_golden() -> None:
    source = golden("p, n, b1, b2, b3, q", "t = n[:, None] * q[None, :]", "y = t - t.amax((0, 1))", "return y")
    assert said(source, module(1, "vector", "n q", "y")) == [
        "Module 1 runs over B, Q again for y (golden line 3) after it has reduced B, Q for max (golden line 3)"
    ]


def test_a_cube_module_runs_over_axes_by_its_contractions() -> None:
    source = golden("x, b", "t = x.transpose(0, 1) @ x", "y = x @ t", "return y")
    assert said(source, module(1, "cube", "x", "y")) == [
        "Module 1 runs over M again for y (golden line 3) after it has reduced M for t (golden line 2)"
    ]
    square = golden("b, scale", "t = b @ b", "y = t + scale", "return y")
    assert said(square, module(1, "cube", "b scale", "y")) == [], "a bias is added to the accumulator"


# Modules that could be one

SPLIT = golden("x, full", "t = x * 2", "y = t + full", "return y")
NOTE = "Module 1 and Module 2 could be one: nothing that a rule knows keeps them apart"
FIRST = module(1, "vector", "x", "t")


def test_a_needless_split_is_noted() -> None:
    second = module(2, "vector", "t@1 full", "y")
    (note,) = findings(SPLIT, FIRST, second)
    assert (note.message, note.severity.value) == (NOTE, "note")
    assert note.hint == "join them, or record why not under boundary"
    line = contract(SPLIT, FIRST, second).splitlines()[note.location.line - 1]
    assert line.strip() == "{"


@pytest.mark.parametrize(
    ("boundary", "noted"),
    [
        ({"kind": "capacity"}, False),
        ({"kind": "pinned"}, False),
        ({"kind": "data_dependence", "tells": "n"}, False),
        ({"kind": "data_dependence"}, True),
    ],
)
def test_what_keeps_modules_apart(boundary: dict[str, str], noted: bool) -> None:
    assert said(SPLIT, FIRST, module(2, "vector", "t@1 full", "y", boundary=[boundary])) == [NOTE] * noted


def test_modules_of_one_axis_that_the_first_has_reduced_are_no_needless_split() -> None:
    source = golden("x", "m = x.amax(-1, keepdim=True)", "y = x - m", "return y")
    assert said(source, module(1, "vector", "x", "m"), module(2, "vector", "x m@1", "y")) == []
    after = golden("x", "m = x.amax(-1, keepdim=True)", "y = m + 1", "return y")
    assert said(after, module(1, "vector", "x", "m"), module(2, "vector", "m@1", "y")) == [NOTE]


def test_contractions_are_stages_of_their_own() -> None:
    source = golden("x, w, v, c", "t = x @ w", "u = t @ v", "y = u + c", "return y")
    assert said(source, module(1, "cube", "x w", "t"), module(2, "cube", "t@1 v c", "y")) == []


def test_a_module_that_hands_on_what_it_reads_is_needless() -> None:
    source = golden("x", "y = x * 2", "return y")
    assert said(source, module(1, "vector", "x", "y"), module(2, "vector", "x y@1", "y")) == [NOTE]


def test_a_module_between_two_others_keeps_them_apart() -> None:
    source = golden("x, b", "t = x * 2", "u = t @ b", "v = u @ b", "y = t + v", "return y")
    first, second, third = FIRST, module(2, "cube", "t@1 b", "u"), module(3, "cube", "u@2 b", "v")
    assert said(source, first, second, third, module(4, "vector", "t@1 v@3", "y")) == []
    beside = golden("x, b", "t = x * 2", "u = x @ b", "y = t + u", "return y")
    noted = said(beside, first, module(2, "cube", "x b", "u"), module(3, "vector", "t@1 u@2", "y"))
    assert noted == [NOTE.replace("Module 2", "Module 3")], "Module 2 reads nothing of Module 1"


def test_a_module_with_a_fault_of_its_own_is_not_noted_too() -> None:
    assert len(said(SPLIT, FIRST, module(2, "vector", "t@1", "y"))) == 1
    assert len(said(SPLIT, module(1, "vector", "", "t"), module(2, "vector", "t@1 full", "y"))) == 1
