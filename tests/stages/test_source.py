"""Programs and contracts made by hand -> Python source."""

import ast
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from r0kit.golden.program import Program
from r0kit.stages.slicing import SliceError
from r0kit.stages.source import cut, reference
from tests.stages.hand import SCORES, SOFTMAX, contract, scores, softmax

EXAMPLES = [(softmax, SOFTMAX), (scores, SCORES)]
MERGED = """\
op: row_softmax
module_count: 2
primary_inputs: [{name: x}]
modules:
  - {id: 1, inputs: [{name: x, source: primary}], outputs: [{name: s}, {name: m}]}
  - id: 2
    inputs: [{name: s, source: module_1}, {name: x, source: primary}, {name: m, source: module_1}]
    outputs: [{name: y}]
final_outputs: [{name: y, source: module_2}]
"""
WHOLE = """\
op: row_softmax
module_count: 1
primary_inputs: [{name: x}]
modules: [{id: 1, inputs: [{name: x, source: primary}], outputs: [{name: y}], golden_stage_fn: all_of_it}]
final_outputs: [{name: y, source: module_1}]
"""


def source_of(program: Callable[[], Program], text: str) -> str:
    return cut(contract(text), [program()]).source


def run(source: str) -> dict[str, Any]:
    pytest.importorskip("torch")
    names: dict[str, Any] = {}
    exec(source, names)
    return names


def test_a_module_reads_as_a_person_would_write_it() -> None:
    source = source_of(softmax, SOFTMAX)
    assert (
        '''
def row_softmax_module_2(m: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Module 2 (exp_sum) [vector] - sum of exponentials."""
    xf = x.to(torch.float32)  # L4: x.float()
    e = torch.exp(xf - m)  # L6: torch.exp(xf - m)
    # L7: e.sum(-1, keepdim=True)
    return torch.sum(e, dim=(1,), keepdim=True, dtype=torch.float32)
'''
        in source
    )
    assert (
        '''
def row_softmax_golden_stage12(x: torch.Tensor) -> torch.Tensor:
    """Modules 1 to 2: s from the primary inputs."""
    m = row_softmax_module_1(x)
    return row_softmax_module_2(m, x)
'''
        in source
    )


def test_an_extent_that_no_input_shows_is_a_parameter_that_the_composition_binds() -> None:
    source = source_of(scores, SCORES)
    assert "def scores_module_2(c: torch.Tensor, scale: float = 1e-3, K: int = 7) -> torch.Tensor:" in source
    assert "return c * (scale / K)" in source
    composed = source[source.index("def scores_composed") :]
    assert "    K = a.shape[1]\n" in composed
    assert "return scores_module_2(c, scale=scale, K=K)" in composed


def test_without_a_shape_to_take_it_from_such_an_extent_is_missing() -> None:
    bare = SCORES.split("composition_verification")[0]
    with pytest.raises(SliceError, match="extent K is needed as a number"):
        cut(contract(bare), [scores()])


@pytest.mark.parametrize(("program", "text"), EXAMPLES)
def test_the_source_is_deterministic_and_imports_torch_alone(program: Callable[[], Program], text: str) -> None:
    source = source_of(program, text)
    assert source == source_of(program, text)
    imported = [
        alias.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import) for alias in node.names
    ]
    assert imported == ["torch"]


@pytest.mark.skipif(shutil.which("ruff") is None, reason="needs ruff on the path")
@pytest.mark.parametrize(("program", "text"), [*EXAMPLES, (softmax, MERGED)])
@pytest.mark.parametrize("command", [["check"], ["format", "--diff"], ["format", "--diff", "--line-length", "120"]])
def test_ruff_has_nothing_to_say(program: Callable[[], Program], text: str, command: list[str]) -> None:
    source = source_of(program, text)
    done = subprocess.run(["ruff", *command, "--isolated", "-"], input=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("text", [SOFTMAX, MERGED, WHOLE])
def test_the_modules_compose_to_the_golden(text: str) -> None:
    import torch

    functions = run(source_of(softmax, text))
    x = torch.randn(5, 7).half()
    expected = torch.softmax(x.float(), -1)
    torch.testing.assert_close(functions["row_softmax_composed"](x), expected)
    if text is SOFTMAX:
        x = x.float()
        torch.testing.assert_close(
            functions["row_softmax_golden_stage12"](x), (x - x.amax(-1, True)).exp().sum(-1, True)
        )
    if text is WHOLE:
        torch.testing.assert_close(functions["all_of_it"](x), expected)


def test_the_extents_follow_the_inputs() -> None:
    import torch

    functions = run(source_of(scores, SCORES))
    a, b = torch.randn(4, 6), torch.randn(6, 3)
    torch.testing.assert_close(functions["scores_composed"](a, b, scale=2.0), a @ b * (2.0 / 6))


def test_the_reference_gives_every_output_in_one_run() -> None:
    import torch

    text, [found] = reference(cut(contract(SOFTMAX), [softmax()]))
    assert found.values == ((1, "m"), (2, "s"), (3, "y"))
    x = torch.randn(3, 4).half()
    m, s, y = run(text)[found.function](x)
    torch.testing.assert_close(y, torch.softmax(x.float(), -1))
    torch.testing.assert_close(m, x.float().amax(-1, True))
    torch.testing.assert_close(s, (x.float() - m).exp().sum(-1, True))


@pytest.mark.parametrize(
    ("old", "new", "message", "path"),
    [
        (", {name: s, source: module_2}]", "]", "Module 3 (normalise) needs s to compute y: module_2", ("modules", 2)),
        ("{name: m, source: module_1}, {name: x", "{name: x", "Module 2 (exp_sum) needs m", ("modules", 1)),
        (
            "inputs: [{name: x, source: primary}], outputs: [{name: m}]",
            "inputs: [], outputs: [{name: m}]",
            "x",
            ("modules", 0),
        ),
        ("outputs: [{name: s}]", "outputs: [{name: total}]", "total, which is no value", ("modules", 1)),
        ("source: module_2}]", "source: module_3}]", "no earlier part of the contract writes", ("modules", 2)),
        ("{name: y, source: module_3}", "{name: y, source: module_2}", "does not write it", ("final_outputs", 0)),
        ("outputs: [{name: s}]", "outputs: [{name: row sum}]", "'row sum' cannot be a name", ("modules", 1)),
        ("final_outputs: [{name: y, source: module_3}]", "final_outputs: []", "no final output", ("final_outputs",)),
    ],
)
def test_what_is_missing_is_named_with_its_place(old: str, new: str, message: str, path: tuple[Any, ...]) -> None:
    assert old in SOFTMAX
    with pytest.raises(SliceError) as caught:
        cut(contract(SOFTMAX.replace(old, new, 1)), [softmax()])
    [fault] = [fault for fault in caught.value.faults if message in fault.message]
    assert fault.at[: len(path)] == path
    assert fault.hint


def test_an_input_that_is_not_read_is_a_warning() -> None:
    text = SOFTMAX.replace("outputs: [{name: s}]", "outputs: [{name: xf}]").replace(
        "{name: s, source: module_2}", "{name: xf, source: module_2}"
    )
    done = cut(
        contract(text.replace("outputs: [{name: y}]", "outputs: [{name: e}]").replace("{name: y,", "{name: e,")),
        [softmax()],
    )
    assert "Module 2 (exp_sum) does not need its input m" in [fault.message for fault in done.faults]
