"""Dimension expressions: what they are, their value, and what an extent says about their symbols."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r0kit.golden.dims import parse_dim
from r0kit.spec.dimension import contradicted, parse, readable, solve, symbols, value


@pytest.mark.parametrize("text", ["N", "2*N", "(H + 1) // 2", "-N + 0x10", "1_024", "行", "+3", " N "])
def test_readable(text: str) -> None:
    assert readable(text)


@pytest.mark.parametrize(
    "text",
    ["", "N/2", "N**2", "f(N)", "N.x", "1.5", "True", "False", "None", "'N'", "N if M else K", "N and M", "N N", "[N]", "N,",
     "...", "N\0", "(" * 150 + "N" + ")" * 150, "N+" * 5000 + "N", "lambda: 1", "S|1", "~N", "N % 2", "not N", "N = 1"],
)  # fmt: skip
def test_not_readable(text: str) -> None:
    assert not readable(text)
    with pytest.raises(ValueError, match=r"expression|more than|characters"):
        parse(text)


def test_symbols_in_order() -> None:
    assert symbols("B * (N + M) // B") == ("B", "N", "M")
    assert symbols(7) == ()


@pytest.mark.parametrize(
    ("equations", "expected"),
    [
        ([("N", 4), ("N", 5)], {"N": 4}),
        ([("2*N", 8)], {"N": 4}),
        ([("2*N", 7)], {}),
        ([("N//2", 4)], {}),
        ([("N*N", 4)], {}),
        ([("N*M", 12), ("M", 3)], {"M": 3, "N": 4}),
        ([("N+M", 12), ("M-K", 2), ("K", 1)], {"K": 1, "M": 3, "N": 9}),
        ([("H*D", 64), ("3*H*D", 192)], {}),
        ([("N+0*M", 5), ("M", 2)], {"M": 2, "N": 5}),
        ([(3, 3), ("M//0 + N", 2), ("M", 1)], {"M": 1}),
        ([("no good", 3), ("N", 1)], {"N": 1}),
    ],
)
def test_what_extents_determine(equations: list[tuple[str | int, int]], expected: dict[str, int]) -> None:
    assert solve(equations) == expected


def test_contradictions() -> None:
    assert contradicted([("N", 4), ("2*N", 9)])
    assert contradicted([(3, 4)])
    assert not contradicted([("N", 4), ("N//3", 1), ("K*L", 6), ("no good", 1)])


_EXTENTS = {"M": 3, "N": 5, "K": 7}
_EXPRESSIONS = st.recursive(
    st.sampled_from(["M", "N", "K"]) | st.integers(1, 9).map(str),
    lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "*", "//"]), inner).map(
        lambda t: f"({t[0]} {t[1]} {t[2]})"
    ),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None, database=None)
@given(_EXPRESSIONS)
def test_values_are_those_of_python_and_of_the_golden_room(text: str) -> None:
    try:
        expected: int | None = eval(text, {}, dict(_EXTENTS))
    except ZeroDivisionError:
        expected = None
    assert value(text, _EXTENTS) == expected
    if expected is not None:
        try:
            assert parse_dim(text).evaluate(_EXTENTS) == expected
        except ValueError:
            assert "//" in text  # a division by what is zero for any extents
