"""Named tuples and dataclasses of the golden file, and numbers whose value nothing states."""

from __future__ import annotations

import pytest

from r0kit.contract.draft import draft
from r0kit.contract.draft.undecided import with_todos
from r0kit.golden.program import Program
from r0kit.partition import partition
from tests.golden.reading import Snippet, written

CLASS = """
    from typing import NamedTuple
    class Out(NamedTuple):
        low: torch.Tensor
        high: torch.Tensor
"""
DATACLASS = """
    from dataclasses import dataclass
    @dataclass
    class Out:
        low: torch.Tensor
        high: torch.Tensor
"""
CALL = """
    import collections
    Out = collections.namedtuple("Out", ["low", "high"])
"""
WORDS = """
    from collections import namedtuple
    Out = namedtuple("Out", "low, high")
"""


@pytest.mark.parametrize("record", [CLASS, DATACLASS, CALL, WORDS])
def test_a_returned_record_gives_its_fields_as_outputs(record: str) -> None:
    program = _read(record + "    def f_golden(x):\n        return Out(x.amin(1), high=x.amax(1))\n")
    assert written(program) == ["low = amin(x): [M] float32", "high = amax(x): [M] float32"]
    assert [output.name for output in program.outputs] == ["low", "high"]
    assert program.findings == ()


@pytest.mark.parametrize("record", [CLASS, CALL])
def test_a_named_tuple_is_unpacked_indexed_and_read_by_name(record: str) -> None:
    body = """
    def ends(x):
        return Out(x.amin(1), x.amax(1))

    def f_golden(x):
        both = ends(x)
        low, high = both
        width = both.high - both[0]
        return width / (low + high)
"""
    program = _read(record + body)
    assert [step.op for step in program.steps] == ["amin", "amax", "sub", "add", "div"]
    assert program.findings == ()


def test_a_number_without_a_value_stays_symbolic() -> None:
    program = _read("    def f_golden(x, eps: float):\n        return torch.rsqrt(x + eps)\n")
    assert written(program) == ["add = add(x, eps): [M, N] float32", "out = rsqrt(add): [M, N] float32"]
    (eps,) = program.parameters
    assert (eps.name, eps.known, eps.folded) == ("eps", False, False)
    assert [finding.message for finding in program.findings] == ["nothing says what eps is"]


def test_a_number_without_a_value_decides_no_shape() -> None:
    program = _read("    def f_golden(x, n: int):\n        return x.view(-1, n)\n")
    assert [step.op for step in program.steps] == ["opaque"]
    assert any("not known before the golden runs ('n')" in finding.message for finding in program.findings)


def test_a_number_without_a_value_is_a_todo_of_the_contract() -> None:
    program = _read("    def f_golden(x, eps: float):\n        return torch.rsqrt(x + eps)\n")
    chosen = partition(program)
    data, comments = with_todos(draft(chosen).contract, chosen, None)
    assert data["params"] == {"eps": "TODO"}
    assert comments["params",] == "SPEC's default_params do not give eps"


def test_mathematics_of_a_tensor_is_of_the_number_it_holds() -> None:
    program = _read("    def f_golden(x):\n        n = math.ceil(x.sum())\n        return x * n\n")
    assert written(program)[-1] == "out = mul(x, math.ceil(total.item())): [M, N] float32"


def test_mathematics_of_a_parameter_decides_a_branch() -> None:
    body = """
    def f_golden(x, scale: float = 1.0):
        if not math.isclose(scale, 1.0):
            x = x * scale
        return x + 1
"""
    program = _read(body)
    assert [step.op for step in program.steps] == ["add"]
    assert [parameter.folded for parameter in program.parameters] == [True]


def test_mathematics_of_an_unknown_number_blames_what_made_it_unknown() -> None:
    program = _read("    def f_golden(x, d: tuple):\n        return x * math.sqrt(d)\n")
    assert [finding.message for finding in program.findings] == ["nothing says what d is"]


@pytest.mark.parametrize("at, says", [("n[0]", "4 has no item 0"), ("word[9]", "'mean' has no item 9")])
def test_an_item_of_something_without_it_is_a_finding(at: str, says: str) -> None:
    program = _read(f"    def f_golden(x, n=4, word='mean'):\n        return x * {at}\n")
    assert any(says in finding.message for finding in program.findings)


@pytest.mark.parametrize(
    "use",
    ["x * D", "x.view(D, -1)", "x * (D // 2)", "x[:, :D]", "x * -D", "x + 1 if D > 4 else x", "x + sum(range(D))"],
)
def test_a_number_of_another_file_is_named(use: str) -> None:
    program = _read(f"    from config import D\n    def f_golden(x):\n        return {use}\n")
    messages = [finding.message for finding in program.findings]
    assert any("`config.D` is defined in another file; its value is not known" in message for message in messages)


def _read(source: str) -> Program:
    return Snippet(source, {"x": "M N"}).read()


@pytest.mark.parametrize(
    "store", ['tensors["out"] = x * 2', 'tensors["out"][:] = x * 2', 'tensors["out"].copy_(x * 2)']
)
def test_a_key_that_is_stored_into_is_an_output_and_no_input(store: str) -> None:
    source = f"""
        def f_golden(tensors):
            x = tensors["x"]
            {store}
    """
    program = Snippet(source, {"x": "M N"}).read()
    assert [one.name for one in program.inputs] == ["x"]
    assert [(one.name, step.op) for one in program.outputs for step in program.steps if step.target == one.value] == [
        ("out", "mul")
    ]
