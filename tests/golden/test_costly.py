"""Short goldens whose values would be huge: each ends soon, in a finding that says which call it was."""

import time

import pytest

from r0kit.golden import read_program
from r0kit.spec import parse_spec

SPEC, _ = parse_spec(
    "# f\n\n## Inputs\n\n| name | shape | dtype |\n|---|---|---|\n| x | [M, N] | float32 |\n", "SPEC.md"
)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return x * math.factorial(10**7)", "the result is too large"),
        ("return x * math.comb(10**7, 5 * 10**6)", "the result is too large"),
        ("return x.reshape(n**n, -1)", "the result is too large"),
        ("return x.reshape(1 << (n * n), -1)", "the result is too large"),
        ("return torch.stack(torch.zeros(10**9, 3).unbind(0))", "the number of slices of unbind is 1000000000"),
        ("return torch.cat(x.chunk(10**9))", "the number of pieces is 1000000000"),
        ("return torch.cat(x.tensor_split(10**9))", "the number of pieces is 1000000000"),
        ("return torch.cat(torch.zeros(10**9, 3).split(1))", "the number of pieces of a split is 1000000000"),
        ("return torch.diff(x, 10**9)", "the number of differences is 1000000000"),
        ("return x[torch.tril_indices(10**9, 3)[0]]", "the number of rows of a triangle is 1000000000"),
        ('return x + len("%10000000000d" % 3)', "the result is too large"),
        ('s = "a"\n    for _ in range(60):\n        s = s + s\n    return x + len(s)', "the result is too large"),
        (
            "parts = [x]\n    for _ in range(60):\n        parts = parts + parts\n    return torch.cat(parts)",
            "a list of more than",
        ),
    ],
)
def test_huge_values(tmp_path, body, said):
    path = tmp_path / "f_golden.py"
    path.write_text(f"import math\n\nimport torch\n\n\ndef f_golden(x, n: int = 1000000000):\n    {body}\n")
    began = time.process_time()
    program = read_program(str(path), SPEC)
    assert time.process_time() - began < 10
    assert any(said in finding.message for finding in program.findings), [f.message for f in program.findings]
