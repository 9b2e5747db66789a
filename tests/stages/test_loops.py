"""Loops that stay loops: every result of theirs can be read in another Module, and rule17 finds no traversal in that."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from types import ModuleType

import pytest

from r0kit.contract.draft import draft
from r0kit.contract.plain import plain
from r0kit.contract.read import Document, parse
from r0kit.golden import read_program
from r0kit.partition import Strategy, partition
from r0kit.spec import Spec
from r0kit.stages import stages_of
from r0kit.validate import validate_text
from r0kit.validate.subject import Golden
from tests.golden.reading import Snippet

CASES = {
    "second result in a cube Module": Snippet(
        """
        def f_golden(x, w):
            s = torch.zeros(x.shape[1])
            t = torch.ones(x.shape[1])
            for i in range(x.shape[0]):
                s = torch.sigmoid(s + x[i])
                t = torch.tanh(t * x[i] + s)
            y = torch.matmul(w, t)
            return torch.softmax(y + s.sum(), dim=-1) * t.sum()
        """,
        {"x": "M N", "w": "K N"},
    ),
    "both results in cube Modules": Snippet(
        """
        def f_golden(x, w):
            s = 0
            t = None
            for i in range(x.shape[0]):
                s = torch.sigmoid(s + x[i])
                t = x[i] if t is None else torch.tanh(t * s)
            return torch.matmul(w, t) + torch.matmul(w, s), t
        """,
        {"x": "M N", "w": "K N"},
    ),
    "what trips append": Snippet(
        """
        def f_golden(x, w):
            s = torch.zeros(x.shape[1])
            rows = []
            for i in range(x.shape[0]):
                s = torch.sigmoid(s + x[i])
                rows.append(s * 2)
            return torch.matmul(torch.stack(rows), w) + s.sum()
        """,
        {"x": "M N", "w": "N K"},
    ),
}
each = pytest.mark.parametrize("name", CASES)
strategies = pytest.mark.parametrize("strategy", ["conventional", "auto"])


def drafted(name: str, strategy: str, folder: Path) -> tuple[Document, Path, Spec]:
    golden, snippet = folder / "f_golden.py", CASES[name]
    header = "import torch\n\n\n"
    golden.write_text(header + textwrap.dedent(snippet.source), encoding="utf-8")
    spec = snippet.spec()
    contract = draft(partition(read_program(str(golden), spec, "f"), spec, Strategy(strategy)), spec).contract
    return parse(json.dumps(plain(contract), default=dict, indent=1), "module_interfaces.yaml"), golden, spec


@each
@strategies
def test_the_stages_compose_to_the_golden(name: str, strategy: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    document, golden, spec = drafted(name, strategy, tmp_path)
    module = ModuleType("stages")
    exec(stages_of(document, str(golden), spec).source, module.__dict__)
    assert module.f_module_2, "a single Module proves nothing here"
    found = module.f_composed(**CASES[name].tensors())
    for ours, theirs in zip(found if isinstance(found, tuple) else [found], CASES[name].run(), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-5)


@each
@strategies
def test_no_rule_finds_fault_with_it(name: str, strategy: str, tmp_path: Path) -> None:
    document, golden, spec = drafted(name, strategy, tmp_path)
    report = validate_text(document.text, golden=Golden(read_program(str(golden), spec, "f")))
    assert [(f.rule, f.message) for f in report.findings if f.rule == "rule17"] == []
