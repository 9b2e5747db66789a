"""What p0 cases say: shapes where nothing else does, and cases for which the golden would not run or run otherwise."""

from __future__ import annotations

import pytest

from r0kit.finding import InputError
from r0kit.golden import program_of
from r0kit.golden.dims import shape_text
from r0kit.golden.inputs import with_shapes_of_cases
from r0kit.spec import Case, Spec, TensorSpec

GROUPED = """
import torch

def f_golden(q, k):
    Hq, D = q.shape
    {first}
    return q * k.repeat_interleave(Hq // k.shape[0], dim=0)
"""
UNPACKED = """
import torch

def f_golden(x, w):
    B, S, D = x.shape
    return (x * w).sum(-1)
"""


def grouped(*groups: int, first: str = "pass") -> list[str]:
    """Findings about p0 cases of a golden with 8 query heads, for these numbers of key heads."""
    inputs = (TensorSpec("q", ("Hq", "D"), "float32"), TensorSpec("k", ("Hk", "D"), "float32"))
    cases = tuple(Case(f"heads_{n}", input_shapes={"q": (8, 16 * n), "k": (n, 16 * n)}) for n in groups)
    program = program_of(GROUPED.format(first=first), "f_golden.py", Spec("SPEC.md", inputs=inputs, p0_cases=cases))
    return [f.message for f in program.findings if f.rule == "golden.p0-case"]


def test_every_case_is_held_against_what_torch_requires() -> None:
    assert grouped(2, 4) == []
    [message] = grouped(2, 3, 5)
    assert message.startswith("the golden does not run for p0 cases heads_3, heads_5: ")
    assert message.endswith(": Hq must be Hk*(Hq // Hk)")


def test_every_case_is_held_against_asserts_and_conditions() -> None:
    assert grouped(2, 4, first="assert D <= 64") == []
    assert grouped(2, 4, 8, first="assert D <= 64") == [
        "`D <= 64` is True in the first p0 case, which the contract is for, and False in heads_8"
    ]
    [branch] = grouped(2, 4, first="q = q * 2 if D > 32 else q")
    assert branch.endswith("and True in heads_4")


def test_shapes_are_those_of_the_first_case_under_the_names_of_the_golden() -> None:
    spec = Spec("SPEC.md", supported_dtypes=("float16",), p0_cases=(Case("p0", {}, {"x": (2, 3, 5), "w": (5,)}),))
    program = program_of(UNPACKED, "f_golden.py", spec)
    assert [shape_text(value.shape) for value in program.inputs] == ["[B, S, D]", "[d0]"]
    assert not [finding for finding in program.findings if finding.rule == "golden.shape"]
    known = with_shapes_of_cases(spec, program)
    assert [(tensor.name, tensor.shape, tensor.dtype) for tensor in known.inputs] == [
        ("x", ("B", "S", "D"), "float16"),
        ("w", ("d0",), "float16"),
    ]


def test_an_integer_without_end_is_named_in_our_words() -> None:
    with pytest.raises(InputError) as caught:
        program_of(f"def f_golden(x):\n    y = x * 12\n    return y * {'9' * 10_000}\n", "f_golden.py")
    [finding] = caught.value.findings
    assert finding.message == "an integer of 10000 digits: no tensor holds it"
    assert (finding.location.line, finding.location.column) == (3, 16)
