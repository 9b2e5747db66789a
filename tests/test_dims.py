"""Extents against Python's own integers: whatever form an expression takes, value and text agree with `eval`."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r0kit.golden.dims import Dim, parse_dim, shape_of, shape_text

H, W, N, B = map(Dim.of, "HWNB")
leaves = st.sampled_from(["N", "M", "1", "2", "3", "5"])
expressions = st.recursive(
    leaves,
    lambda inner: st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "//"]), inner),
    max_leaves=12,
)


@given(expressions, st.integers(1, 40), st.integers(1, 40))
def test_value_and_text_agree_with_python(text, n, m):
    bindings = {"N": n, "M": m}
    with suppress(ZeroDivisionError, ValueError):
        expected = eval(text, {}, dict(bindings))
        extent = parse_dim(text)
        assert extent.evaluate(bindings) == expected
        assert eval(str(extent), {}, dict(bindings)) == expected
        assert parse_dim(str(extent)) == extent


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (H * W, W * H),
        (H * W // W, H),
        ((H * W * 4) // (2 * W), 2 * H),
        ((H * W + W) // W, H + 1),
        ((N * N - 1) // (N - 1), N + 1),
        ((N // 2) // 3, N // 6),
        (N - N, Dim.of(0)),
        ((H * W) // (4 * W), H // 4),
        ((6 * N + 3) // (9 * N), (2 * N + 1) // (3 * N)),
        (((N // 64) * 64).assuming([(N, Dim.of(64))]), N),
        ((B * (N // H) * H).assuming([(N, H)]), B * N),
    ],
)
def test_equality_is_decided_by_algebra(left, right):
    assert left == right


@pytest.mark.parametrize("text", ["x.shape", "M / 2", "M ** 2", "1.5", "f(M)", "", "M +", "(" * 500 + "M"])
def test_what_is_no_extent_is_refused(text):
    with pytest.raises(ValueError, match="not an extent"):
        parse_dim(text)


def test_shape_text_is_the_contracts():
    assert shape_text(shape_of("M", 1, N + 63)) == "[M, 1, N + 63]"
    assert shape_text(()) == "[]"


def test_an_unbound_symbol_is_named():
    with pytest.raises(KeyError, match="W"):
        (H * W).evaluate({"H": 2})
