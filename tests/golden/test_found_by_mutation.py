"""What campaigns of mutated goldens (scripts/fuzz.py) have found, as small as it gets: read, divided, drafted, written."""

import pytest

from r0kit.contract.draft import draft, with_todos
from r0kit.contract.write import data_text
from r0kit.golden import program_of
from r0kit.partition import partition
from r0kit.spec import Case, Spec, parse_spec
from r0kit.validate import validate_text

SPEC, _ = parse_spec(
    "# f\n\n## Inputs\n\n| name | shape | dtype |\n|---|---|---|\n| x | [M, N] | float32 |\n| labels | [M] | int64 |\n",
    "SPEC.md",
)
BODIES = {
    "a state that a trip turns into no tensor": (
        "m = torch.full((), 0.0)\n    for start in range(x.shape[1]):\n        l = m\n        m = f_golden\n    return x + l",
        "TODO",
    ),
    "dimensions by the dozen": ("for _ in range(60):\n        x = x.unsqueeze(0)\n    return unknown(x)", "TODO"),
    "class numbers where scores should be": ("return F.cross_entropy(labels, labels)", "class numbers of 1 dimensions"),
    "an index of another rank": ("return torch.gather(x, 1, labels)", "an index of 1 dimensions for 2"),
    "a correction that is no number": ("return x.var(correction=torch)", "the correction of a variance is a number"),
    "a control character in what cannot be computed": ('return x * float("-\x15nf")', "TODO"),
    "a tab in what cannot be computed": ("return x *\tfloat('a\tb')", "TODO"),
    "a control character in what is quoted": ('return torch.einsum("ij,jk\x11->ik", x, x)', "TODO"),
    "a trip that does something else than the next one": (
        "s = x[:, 0]\n    for i in range(x.shape[1]):\n        if i % 2 == 0:\n            s = s * 2\n"
        "        s = torch.tanh(s + x[:, i])\n    return s",
        "cube or vector? golden line ",
    ),
    "a loop that data end": (
        "s = x\n    while s.sum() < 3:\n        s = torch.tanh(s + x)\n    return s",
        "cube or vector? golden line 7, while s.sum() < 3: s",
    ),
    "an extent that is not read": (
        "return x * torch.zeros_like(x[unknown:])[:1]",
        "cube or vector? golden line 6, torch.zeros_like(x[unknown:])",
    ),
    "a normalisation of a vector": ("return F.instance_norm(labels.float())", "takes tensors of 2 or more axes"),
    "a quotient of folded constants": (
        "M, N = x.shape\n    total = 0\n    for start in range(0, N, 4):\n        stop = min(start + 4, N)\n"
        "        n = stop - stop\n        total = n\n        x = x * (n / total)\n    return x",
        "",
    ),
}


@pytest.mark.parametrize(("body", "said"), BODIES.values(), ids=BODIES)
def test_it_ends_in_a_contract(body: str, said: str) -> None:
    source = f"import torch\nimport torch.nn.functional as F\n\n\ndef f_golden(x, labels):\n    {body}\n"
    program = program_of(source, "f_golden.py", SPEC)
    divided = partition(program, SPEC)
    contract, _ = draft(divided, SPEC)
    text = data_text(*with_todos(contract, divided, SPEC))
    messages = [finding.message for finding in program.findings]
    assert any(said in message for message in [*messages, text])
    assert all(map(str.isprintable, messages))
    broken = [finding for finding in validate_text(text).findings if finding.rule == "rule0"]
    assert all("TODO" in finding.message for finding in broken)


def test_an_assumption_says_what_to_do() -> None:
    spec = Spec("SPEC.md", inputs=SPEC.inputs, p0_cases=(Case("p0", {}, {"x": (4, 8), "labels": (4,)}),))
    program = program_of("def f_golden(x, labels):\n    return x.diagonal(1) * labels\n", "f_golden.py", spec)
    (finding,) = [finding for finding in program.findings if "the smaller of" in finding.message]
    assert finding.hint
