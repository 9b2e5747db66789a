"""Files made to hurt: reading them ends soon, in a finding."""

from __future__ import annotations

import time

import pytest

from r0kit.finding import InputError
from r0kit.golden import program_of
from r0kit.golden.evaluate.budget import Budget
from r0kit.golden.program import Program
from r0kit.spec import Case, Spec, TensorSpec

HEAD = "import torch\n"
SPEC = Spec("SPEC.md", inputs=(TensorSpec("x", ("M", "N"), "float32"),), p0_cases=(Case("p0", {}, {"x": (4, 8)}),))
LIMIT = 10.0  # seconds of this process; what is here takes far less


def body(*lines: str) -> str:
    return HEAD + "def f_golden(x):\n" + "".join(f"    {line}\n" for line in lines)


def nested_loops(depth: int) -> str:
    loops = ["    " * level + f"for i{level} in range(x.shape[0]):" for level in range(depth)]
    return body(*loops, "    " * depth + "x = x * 0.5 + i0", "return x")


HELPERS = "def h0(x): return x + 1\n" + "".join(
    f"def h{level}(x): return h{level - 1}(h{level - 1}(x)) + h{level - 1}(x)\n" for level in range(1, 30)
)
# Source -> rule of a finding that says what is wrong, and nodes that it may cost.
FILES: dict[str, tuple[str, str, int]] = {
    "a billion trips": (body("for i in range(10**9):", "    x = x * 0.5 + i", "return x"), "golden.loop-region", 0),
    "nested loops": (nested_loops(8), "golden.loop-region", 0),
    "mutual recursion": (
        HEAD + "def a(x): return b(x)\ndef b(x): return a(x)\ndef f_golden(x): return a(x)\n",
        "golden.recursion",
        0,
    ),
    "exponential helpers": (HEAD + HELPERS + "def f_golden(x): return h29(x)\n", "golden.budget", 50_000),
    "exponential recursion": (
        HEAD + "def a(x, n): return a(x, n - 1) + a(x, n - 2)\ndef f_golden(x): return a(x, 60)\n",
        "golden.budget",
        50_000,
    ),
    "an endless while": (
        body("i = 0", "while True:", "    i += 1", "    x = x + i", "return x"),
        "golden.loop-region",
        0,
    ),
    "a string of terabytes": (body("s = 'a' * 10**12", "return x"), "golden.unsupported", 0),
    "a list of billions": (body("s = [0] * 10**10", "return x"), "golden.unsupported", 0),
    "a list doubled 40 times": (body("a = [x]", *["a = a + a"] * 40, "return torch.cat(a)"), "golden.unsupported", 0),
    "a list that shares its parts": (body("a = (x, x)", *["a = (a, a)"] * 50, "return a"), "golden.no-output", 0),
    "a number of 10**10 digits": (body("return x * 10 ** 10 ** 10"), "golden.unsupported", 0),
    "squares of squares": (
        body("a = 2", "for i in range(60):", "    a = a * a", "return x * a"),
        "golden.unsupported",
        0,
    ),
    "extents squared": (body("k = x.shape[0]", *["k = k * k + 1"] * 30, "return x * k"), "golden.unsupported", 0),
    "an unbind of millions": (body("return torch.cat(torch.zeros(9, 10**6).unbind(1))"), "golden.operation", 0),
    "comprehensions of millions": (
        body("a = [i * j for i in range(4000) for j in range(4000)]", "return x * len(a)"),
        "golden.budget",
        50_000,
    ),
    "branches that data decide": (
        body(*[line for i in range(60) for line in (f"if x.sum() > {i}:", f"    return x * {i}")], "return x"),
        "golden.data-dependent-branch",
        0,
    ),
    "lambdas that double": (
        body("f = lambda t: t + 1", *["g = f; f = lambda t, g=g: g(g(t))"] * 30, "return f(x)"),
        "golden.budget",
        50_000,
    ),
}


def read(source: str, nodes: int = 0) -> Program:
    return program_of(source, "f_golden.py", SPEC, budget=Budget(nodes) if nodes else None)


@pytest.mark.parametrize("name", FILES)
def test_it_ends_in_a_finding(name: str) -> None:
    source, rule, nodes = FILES[name]
    begin = time.process_time()
    program = read(source, nodes)
    assert time.process_time() - begin < LIMIT
    assert rule in {finding.rule for finding in program.findings}
    assert all(finding.location.line for finding in program.findings)


@pytest.mark.parametrize(
    "source",
    [
        HEAD + "def f_golden(x):\n" + "    x = x + 1\n" * 700_000 + "    return x\n",
        body("return x" + " + x" * 5000),
        body("return " + "(" * 5000 + "x" + ")" * 5000),
        body("return x" + ".relu()" * 900),
    ],
    ids=["10 MB", "5,000 terms", "5,000 parentheses", "a chain of 900 calls"],
)
def test_a_file_beyond_reading_is_refused(source: str) -> None:
    begin = time.process_time()
    with pytest.raises(InputError) as refused:
        read(source)
    assert time.process_time() - begin < LIMIT
    assert refused.value.findings[0].message


def test_a_budget_that_is_used_up_leaves_an_output_of_which_nothing_is_known() -> None:
    program = read(FILES["exponential helpers"][0], 10_000)
    assert [(step.op, step.tensors) for step in program.steps] == [("opaque", ("x",))]
    assert [output.value for output in program.outputs] == [program.steps[0].target]


def test_the_same_finding_is_told_once() -> None:
    program = read(
        body(*["y = torch.unknown_thing(x)"], "for i in range(9):", "    y = torch.other_thing(y)", "return y")
    )
    assert len(program.findings) == len(set(program.findings))
    assert sum("other_thing" in finding.message for finding in program.findings) == 1


def test_long_chains_of_stores_and_views_stay_linear() -> None:
    """Four times as many statements cost about four times the work, counted in Steps that reading looks at."""
    short, long = (
        body("y = x.clone()", "v = y[0]", *["v += 1; y[1] += v"] * count, "return y, v") for count in (100, 400)
    )
    times = []
    for source in (short, long):
        begin = time.process_time()
        read(source)
        times.append(time.process_time() - begin)
    assert times[1] < 12 * times[0] + 1.0
