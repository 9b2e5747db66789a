"""Contradictions between a golden and its SPEC."""

import pytest

from r0kit.golden.agree import disagreements
from r0kit.golden.signature import find_golden
from r0kit.spec import Spec, TensorSpec

GOLDEN = "def f_golden(a, b, gain=None, eps: float = 1e-5, axes=(0, 1)):\n    return a * b\n"


def tensors(*names: str) -> tuple[TensorSpec, ...]:
    return tuple(TensorSpec(name) for name in names)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (Spec(""), []),
        (Spec("", inputs=tensors("a", "b")), []),
        (Spec("", inputs=tensors("a", "b", "gain"), outputs=tensors("y")), []),
        (Spec("", default_params={"eps": 1e-05, "axes": [0, 1]}), []),
        (Spec("", inputs=tensors("a", "b", "gian")), [(1, "SPEC has the input gian (line 0), which is no parameter")]),
        (Spec("", inputs=tensors("a")), [(1, "SPEC has no input b, which f_golden needs")]),
        (Spec("", inputs=tensors("b", "a")), [(1, "SPEC lists the inputs as b, a, f_golden takes them as a, b")]),
        (Spec("", default_params={"eps": 1e-6}), [(1, "the default of eps is 1e-5 in f_golden, but 1e-06 in SPEC")]),
        (Spec("", default_params={"esp": 1e-5}), [(1, "default_params has esp, which is no parameter of f_golden")]),
        (Spec("", outputs=tensors("y", "z")), [(2, "f_golden returns 1 values, but SPEC has 2 outputs: y, z")]),
    ],
)
def test_contradictions(spec: Spec, expected: list[tuple[int, str]]) -> None:
    found = list(disagreements(find_golden(GOLDEN, "f_golden.py", None, spec), spec))
    assert [(finding.rule, finding.location.line) for finding in found] == [
        ("golden.spec", line) for line, _ in expected
    ]
    for finding, (_, message) in zip(found, expected, strict=True):
        assert message in finding.message
        assert finding.hint
