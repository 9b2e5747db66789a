"""Block mappings of a contract: their keys, and where the last value of each ends."""

from collections.abc import Iterator

import pytest

from r0kit.contract import events
from r0kit.contract.blocks import blocks
from r0kit.contract.path import Path
from r0kit.contract.pure import PureParser

PARSERS = {"fast": events.FAST, "pure": PureParser}


@pytest.fixture(params=PARSERS, autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Every test of this file runs with libyaml's parser and with PyYAML's own."""
    monkeypatch.setattr(events, "FAST", PARSERS[request.param])
    yield request.param


# Text, and of each block: its path, what stands where its keys begin, and the end of its last value.
BLOCKS: list[tuple[str, list[tuple[Path, str, str]]]] = [
    ("a: 1\nb: x # y\n# c\n", [((), "a: b:", "b: x")]),
    ("a:\n- [b,\n c] # d\n# e\n", [((), "a:", " c]")]),
    ("a:\n  - {b: 1}\n\n# e\n", [((), "a:", "{b: 1}")]),
    ("a:\n- b\n- c:\n  d: &x\n# e\nf: *x\n", [(("a", 1), "c: d:", "&x"), ((), "a: f:", "f: *x")]),
    ("a:\n  b:\n    - c\n  # d\n# e\nf: g\n", [(("a",), "b:", "- c"), ((), "a: f:", "f: g")]),
    ("a: |\n  b\n  # c\n# d\n", [((), "a:", "# c\n")]),
    ("- a: b\n- - c: d\n", [((0,), "a:", "a: b"), ((1, 0), "c:", "c: d")]),
    ("? a\n: b\n", [((), "a", ": b")]),
    ("a: &x b\n*x : c\n", [((), "a: *x", ": c")]),
    ("{a: 1, b: [c]}\n", []),
    ("[a, {b: 1}]\n", []),
    ("a\n", []),
]


@pytest.mark.parametrize(("text", "expected"), BLOCKS)
def test_blocks(text: str, expected: list[tuple[Path, str, str]]) -> None:
    found = list(blocks(text))
    assert [block.path for block in found] == [path for path, _, _ in expected]
    for block, (_, keys, ending) in zip(found, expected, strict=True):
        assert " ".join(text[at:].split()[0] for _, at in block.keys) == keys
        assert text[: block.end].endswith(ending)
