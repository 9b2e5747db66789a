"""Python's functions, methods and operators on what they do not take: reading goes on, with a finding where it matters."""

from __future__ import annotations

import pytest

from r0kit.golden.evaluate import library, methods, python
from tests.golden.reading import Snippet

VALUES = (
    *("x", "v", "z", "3", "-1", "2.5", "None", "'abc'", "[1, 2]", "(x, x)", "{}", "{'a': x}", "range(3)", "range(n)"),
    *("torch", "torch.float32", "(lambda a: a)", "x.shape", "n", "unknown", "True", "found", "x.max(1)", "[]", "int"),
    *("slice(None)", "x.sum().item()", "nn.ReLU()"),
)
SECONDS = ("x", "3", "None", "[1, 2]", "'abc'", "(lambda a: a)", "found")
KEYWORDS = ("key=x", "key=(lambda a: a)", "start=None", "default=x", "dim=-1", "*x", "*[1, 2]", "**{'a': 1}")
ARGUMENTS = (
    *("", *VALUES, *KEYWORDS),
    *(f"{one}, {other}" for one in VALUES for other in SECONDS),
    *(f"{one}, {one}, {one}" for one in VALUES),
)
TABLES = (python.FUNCTIONS, library.FUNCTIONS_OF_LIBRARIES, library.BEFORE_ARGUMENTS)
FUNCTIONS = sorted({name.removeprefix("builtins.").replace("numpy.", "np.") for table in TABLES for name in table})
METHODS = sorted({*methods.TENSOR_FACTS, *(name for table in methods._TABLES.values() for name in table)})
OPERATORS = (
    *("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>", "<", "==", "!=", ">=", "and", "or"),
    *("in", "not in", "is"),
)
HEAD = "import copy, functools, itertools, collections, logging, warnings, gc, typing, numpy as np, torch.nn as nn\n"


def read(*expressions: str) -> list[str]:
    """The messages that reading a golden with these expressions gives."""
    lines = ["n = x.shape[0]", "found = []", "for i in range(n):", "    found.append(torch.tanh(x[i]))"]
    body = "\n".join(f"    {line}" for line in [*lines, *expressions, "return x"])
    program = Snippet(f"{HEAD}def f_golden(x, v, z):\n{body}\n", {"x": "M N", "v": "N", "z": ""}).read()
    return [finding.message for finding in program.findings]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    read(*(f"{name}({arguments})" for arguments in ARGUMENTS))


@pytest.mark.parametrize("name", METHODS)
def test_methods(name: str) -> None:
    read(*(f"({base}).{name}({given})" for base in VALUES for given in ("", *VALUES[::3], "x, 3", "'a', 'b', 'c'")))


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators(operator: str) -> None:
    read(*(f"{one} {operator} {other}" for one in VALUES for other in VALUES))


@pytest.mark.parametrize("pattern", ["{0}[{1}]", "{0}[{1}:]", "{0}[::{1}]", "{0}({1})", "[q for q in {0} if {1}]"])
def test_items(pattern: str) -> None:
    read(*(pattern.format(one, other) for one in VALUES for other in VALUES))


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("len()", "`len` takes 1 arguments by position, not 0"),
        ("[].insert(0)", "`insert` takes 2 arguments by position, not 1"),
        ("max(dim=-1, keepdim=True)", "`max` takes 1 or more arguments by position, not 0"),
        ("max([])", "`max` of nothing"),
        ("next([])", "`next` of nothing"),
        ("[1][:2.5]", "the bounds of a slice are integers, not [None, 2.5, None]"),
        ("range(3)[3]", "item 3 of 3 does not exist"),
    ],
)
def test_what_is_wrong_is_told(expression: str, message: str) -> None:
    assert message in read(expression)


def test_an_item_of_a_range_counts_from_its_end() -> None:
    source = "def f_golden(x):\n    return x[range(x.shape[0])[-1]] + range(0, 12, 4)[-2]\n"
    program = Snippet(source, {"x": "M N"}).read()
    assert [str(step.attrs["index"]) for step in program.steps if step.op == "select"] == ["M - 1"]
    assert "4" in str(program.steps[-1].operands)
