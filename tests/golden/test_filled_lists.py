"""Lists that a loop has filled, and loops that begin with a number or None: as torch computes them, or a finding."""

from __future__ import annotations

import pytest

from tests.golden.reading import Snippet

TRIPS = """
def f_golden(x):
    parts = []
    for i in range(x.shape[0]):
        parts.append(x[i] * 2)
    {use}
"""
TILES = """
def f_golden(x):
    parts = []
    for i in range(0, x.shape[0], 2):
        parts.append(x[i:i+2].exp())
    {use}
"""
BOTH = (
    "return torch.stack(parts[1:])",
    "return torch.stack(parts[:])",
    "return torch.cat(parts, dim=-1), torch.cat(parts), torch.stack(parts, dim=1)",
    "return sum(parts), sum(parts[1:]), x * len(parts), x * len(parts[1:])",
    "parts[0] = x[:2].sum(0); return parts[0]",
    "del parts[0]; return torch.stack(parts)",
    "first = parts.pop(0); return first, torch.stack(parts)",
    "s = 0\n    for p in parts:\n        s = s + p\n    return s",
    "parts.append(x[0]); return parts[-1], parts[0] if False else x",
    "parts.clear(); parts.append(x); return torch.stack(parts)",
    "parts.insert(0, x); return parts[0]",
)
OF_TRIPS = (
    "return torch.stack([a + b for a, b in zip(parts, parts[1:])])",
    "return torch.stack(parts[:-1]), torch.stack(parts[::2]), torch.stack(parts[::-1]), parts[1:3][0]",
    "parts.reverse(); return torch.stack(parts)",
    "return torch.stack(list(reversed(parts)))",
    "last = parts.pop(); return last, torch.stack(parts)",
    "parts.insert(1, x[0]); return torch.stack(parts)",
    "parts[-1] = x[1]; return torch.stack(parts)",
    "parts += [x[0]]; return torch.stack(parts)",
)
UNREAD = (
    (TRIPS, "return torch.stack(sorted(parts, key=lambda t: 0))"),
    (TRIPS, "a, *b = parts; return torch.stack(b)"),
    (TRIPS, "return parts"),
    (TILES, "return torch.stack(parts[::2])"),
    (TILES, "parts.pop(); return torch.stack(parts)"),
    (TILES, "parts.reverse(); return torch.stack(parts)"),
)
BEGINNINGS = {
    "a number": "s = 0\n    for i in range(x.shape[0]):\n        s = s + x[i]\n    return s",
    "a number, in tiles": "s = 0\n    for i in range(0, x.shape[0], 2):\n        s = s + x[i:i+2].sum(0)\n    return s",
    "a number, in a region": "s = 1.5\n    for i in range(x.shape[0]):\n        s = torch.sigmoid(s + x[i])\n    return s",
    "None, in a region": (
        "s = None\n    for i in range(x.shape[0]):\n        s = x[i] if s is None else torch.sigmoid(s + x[i])\n    return s"
    ),
    "another dtype": "s = 0\n    for i in range(x.shape[0]):\n        s = torch.cos(s + x[i].double()).float()\n    return s",
}
GOOD = [*((TRIPS, use) for use in (*BOTH, *OF_TRIPS)), *((TILES, use) for use in BOTH)]
GOOD += [("\ndef f_golden(x):\n    {use}\n", use) for use in BEGINNINGS.values()]


def snippet(frame: str, use: str) -> Snippet:
    return Snippet(frame.format(use=use), {"x": "M N"}, {"M": 6, "N": 3})


@pytest.mark.parametrize(("frame", "use"), GOOD)
def test_it_computes_what_torch_computes(frame: str, use: str) -> None:
    torch = pytest.importorskip("torch")
    from golden.execute import execute

    golden = snippet(frame, use)
    program = golden.read()
    assert not any(step.op == "opaque" for step in program.steps)
    found, expected = execute(program, golden.tensors(), golden.extents), golden.run()
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        assert torch.allclose(ours, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("frame", "use"), UNREAD)
def test_what_is_not_read_is_said(frame: str, use: str) -> None:
    program = snippet(frame, use).read()
    assert any(step.op == "opaque" for step in program.steps)
    assert any(finding.rule == "golden.unknown-output" for finding in program.findings)


def test_a_number_before_a_sum_leaves_no_trace() -> None:
    program = snippet("\ndef f_golden(x):\n    {use}\n", BEGINNINGS["a number"]).read()
    assert [step.op for step in program.steps] == ["sum"]
