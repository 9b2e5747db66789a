"""Which Steps need the tensors that tell their extents."""

import pytest

from golden.reading import Snippet
from r0kit.golden.runtime import telling
from r0kit.partition import partition

HEAD = "def op_golden(x, lens):\n    "
SHAPES = {"x": "M N", "lens": "B: int32"}
# body -> what the first Module that needs the extent reads beside, and whether it starts for it
CASES = {
    "n = int(lens[0].item())\n    return x[:n] * 2": [["x", "lens"]],
    "n = int(lens.max().item())\n    return x[:n] * 2": [["lens"], ["x", "row_max"]],
    "n = int(lens.max().item()) - 1\n    return x[:n] * 2": [["lens"], ["x", "row_max"]],
    "n = int((lens.max() - lens.min()).item())\n    return torch.exp(x[:n])": [["lens"], ["x", "max", "min"]],
}


@pytest.mark.parametrize(("body", "reads"), CASES.items())
def test_a_module_reads_the_tensor_that_says_how_far_it_runs(body: str, reads: list[list[str]]) -> None:
    parts = partition(Snippet(HEAD + body + "\n", SHAPES).read()).parts
    assert [len(part.inputs) for part in parts] == [len(names) for names in reads]
    assert (parts[0].inputs[-1].name, parts[0].inputs[-1].module) == ("lens", 0)


def test_what_has_the_extent_already_does_not_need_the_number() -> None:
    program = Snippet(
        HEAD + "n = int(lens.max().item())\n    h = x[:n]\n    return (h * 2 + h).sum(0)\n", SHAPES
    ).read()
    assert [program.step(target).op for target in telling(program)] == ["slice"]


def test_nothing_without_a_runtime_extent() -> None:
    assert telling(Snippet(HEAD + "return x[:2] * lens.max()\n", SHAPES).read()) == {}
