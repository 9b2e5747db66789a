"""Loops that stay loops, and whose trips do not all do the same: read exactly, or opaque and said so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from r0kit.golden.program import Program, Step
from tests.golden.reading import Snippet


def golden(before: str, *body: str, result: str = "s", rows: int = 7) -> Snippet:
    lines = [*before.split("; "), "s = torch.zeros(x.shape[1])", "for i in range(x.shape[0]):"]
    lines += [*(f"    {line}" for line in body), f"return {result}"]
    return Snippet("def f_golden(x):\n" + "".join(f"    {line}\n" for line in lines), {"x": "M N"}, {"M": rows, "N": 3})


def steps_of(steps: Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from steps_of(step.body)


def opaque(program: Program) -> bool:
    return any(step.op == "opaque" for step in steps_of(program.steps))


NEXT = "s = torch.tanh(s + x[i])"
WITH_M = "s = torch.tanh(s + m + x[i])"
EXACT = {
    "the first does nothing": golden("m = x[0]", "if i > 0:", f"    {NEXT}"),
    "the first does something else": golden("m = x[0]", "if i > 0:", f"    {NEXT}", "else:", "    s = x[i] * 2"),
    "the last does something else": golden(
        "m = x[0]", "if i < x.shape[0] - 1:", f"    {NEXT}", "else:", "    s = s * x[i]"
    ),
    "the last stores": golden(
        "out = torch.zeros(x.shape[1])", NEXT, "if i == x.shape[0] - 1:", "    out[:] = s * 2", result="out"
    ),
    "the first changes a name that stays": golden("m = x[0]", "if i == 0:", "    m = x[0] * 2", WITH_M),
    "the first changes a tensor that stays": golden("m = x[0] * 1", "if i == 0:", "    m += 1", WITH_M),
    "the first changes what the next ones find": golden("m = x[0]", WITH_M, "if i == 0:", "    m = x[1]"),
    "the last changes a name": golden("m = x[0]", WITH_M, "if i == x.shape[0] - 1:", "    m = x[1]", result="s + m"),
    "none changes a name that some line binds": golden("m = x[0]", WITH_M, "if False:", "    m = x[1]"),
    "one part of a tuple stays": golden(
        "p = (x[0], x[1] * 2)", "p = (torch.tanh(p[0] + p[1] + x[i]), p[1])", result="p[0]"
    ),
    "the first changes a tuple that stays": golden(
        "p = (x[0], x[1] * 2)", "s = torch.tanh(s + p[0] + p[1] + x[i])", "if i == 0:", "    p = (x[2], x[3])"
    ),
    "a name becomes what stands outside": golden("m = x[0]; y = x[1] * 2", WITH_M, "m = y", result="s + m"),
    "in a loop around": golden(
        "m = x[0]", "for j in range(x.shape[0]):", f"    {WITH_M}", "    if i == 0:", "        m = x[1]"
    ),
}


@pytest.mark.parametrize("snippet", EXACT.values(), ids=EXACT)
def test_the_program_is_the_golden(snippet: Snippet) -> None:
    torch = pytest.importorskip("torch")
    from tests.golden.execute import execute

    program = snippet.read()
    assert not opaque(program)
    found, wanted = execute(program, snippet.tensors(), snippet.extents), snippet.run()
    assert all(torch.allclose(one, other) for one, other in zip(found, wanted, strict=True))


SOME = "holds in some trips only"
OTHERS = "its first or last trip does something else than the others; what the loop leaves is opaque"
SAID = {
    "every other trip": (golden("m = x[0]", "if i % 2 == 0:", "    s = s * 2", NEXT), SOME),
    "the second": (golden("m = x[0]", "if i == 1:", "    s = s * 2", NEXT), SOME),
    "one far from both ends": (golden("m = x[0]", "if i == 40:", "    s = s * 2", NEXT, rows=80), SOME),
    "one half": (golden("m = x[0]", "if i < x.shape[0] // 2:", "    s = s + x[i]"), SOME),
    "one tile": (
        Snippet(
            "def f_golden(x):\n    s = torch.zeros(x.shape[1])\n    for i in range(0, x.shape[0], 4):\n"
            "        t = x[i : i + 4].sum(0)\n        if i == 40:\n            t = t * 2\n        s = s + t\n"
            "    return s\n",
            {"x": "M N"},
            {"M": 80, "N": 3},
        ),
        SOME,
    ),
    "the last beside every other trip": (
        golden(
            "out = torch.zeros(x.shape[1])",
            "if i % 2 == 0:",
            "    s = s * 2",
            NEXT,
            "if i == x.shape[0] - 1:",
            "    out[:] = s * 2",
            result="out",
        ),
        "`out` is stored into in some trips of the loop only; its value behind the loop is opaque",
    ),
    "the first beside every third": (
        golden("m = x[0]", "if i % 3 == 0:", "    s = s * 2", NEXT, "if i == 0:", "    m = s"),
        OTHERS,
    ),
    "no value before the loop": (
        golden("y = x * 2", WITH_M, "if i == 90:", "    m = x[1]"),
        "the name `m` is not defined",
    ),
    "no tensor before the loop": (
        Snippet(
            "def f_golden(x):\n    s = torch.zeros(x.shape[1])\n    m = None\n    while s.sum() < 3:\n"
            "        m = x[0] if m is None else torch.tanh(m + s)\n        s = s + m\n    return s\n",
            {"x": "M N"},
        ),
        "`m` is no tensor before the loop; what its trips find there is opaque",
    ),
    "no tensor after a trip": (
        golden("m = x[0]", "s = torch.tanh(s + m)", "m = torch"),
        "`m` is no tensor after some trip; what its trips find there is opaque",
    ),
}


@pytest.mark.parametrize(("snippet", "message"), SAID.values(), ids=SAID)
def test_what_cannot_be_said_is_opaque_and_told(snippet: Snippet, message: str) -> None:
    program = snippet.read()
    assert opaque(program)
    assert any(message in finding.message for finding in program.findings)
