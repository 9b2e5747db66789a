"""Candidates of cube Modules: every buffer holds them."""

from __future__ import annotations

import pytest
from planning import contract, plan

from r0kit.contract.model import Contract
from r0kit.plan.contraction import products_of
from r0kit.platform import load, names


def product(inputs: str, steps: str, outputs: str = "y: [M, N]") -> Contract:
    """A cube Module."""
    return contract(inputs, steps, outputs, section="cube")


PLAIN = product("a: [M, K] float16; b: [K, N] float16", "y = a @ b")
READ = (
    (PLAIN, (1, 64, 32, 48, False, False, False)),
    (product("a: [M, K]; b: [N, K]", "y = a @ b.T"), (1, 64, 32, 48, False, True, False)),
    (product("a: [K, M]; b: [K, N]", "y = a.T @ b"), (1, 64, 32, 48, True, False, False)),
    (product("a: [M, K]; b: [K, N]; c: [N]", "y = a @ b + c"), (1, 64, 32, 48, False, False, True)),
    (product("a: [B, M, K]; b: [B, K, N]", "y = a @ b", "y: [B, M, N]"), (3, 64, 32, 48, False, False, False)),
    (product("a: [B, M, K]; b: [K, N]", "y = a @ b", "y: [B, M, N]"), (1, 192, 32, 48, False, False, False)),
    (
        product("a: [B, M, K]; b: [B, N, K]", "y = einsum(abc,adc->abd, a, b)", "y: [B, M, N]"),
        (3, 64, 32, 48) + (False,) * 3,
    ),
    (product("a: [M, K]; b: [K, N]", "y = float16(a @ b)"), (1, 64, 32, 48, False, False, False)),
)


@pytest.mark.parametrize(("made", "wanted"), READ)
def test_products_are_read(made: Contract, wanted: tuple[object, ...]) -> None:
    (found,) = products_of(made, made.modules[0], {"B": 3, "M": 64, "K": 32, "N": 48})
    got = (found.batch, found.m, found.k, found.n, found.left_swapped, found.right_swapped, found.bias)
    assert got == wanted


def test_two_products_are_two_phases() -> None:
    made = product("a: [M, K]; b: [K, N]; c: [K, N]", "y = a @ b; z = a @ c", "y: [M, N]; z: [M, N]")
    assert len(plan(made, "a5", M=64, K=64, N=64).modules[0].phases) == 2


@pytest.mark.parametrize("platform", sorted({load(name).name for name in names()}))
@pytest.mark.parametrize("dtype", ("float32", "float16", "int8"))
@pytest.mark.parametrize("extents", ((256, 512, 256), (1, 1, 1), (33, 65, 17), (4096, 11_008, 4096)))
def test_every_candidate_fits(platform: str, dtype: str, extents: tuple[int, int, int]) -> None:
    made = product(f"a: [M, K] {dtype}; b: [K, N] {dtype}", "y = a @ b")
    target = load(platform)
    phase = plan(made, platform, M=extents[0], K=extents[1], N=extents[2]).modules[0].phases[0]
    size = {"float32": 4, "float16": 2, "int8": 1}[dtype]
    unit = 32 if dtype == "int8" else 16
    assert 1 <= len(phase.candidates) <= 8
    for candidate in phase.candidates:
        m0, m1, k0, k1, n0, n1 = candidate.tile
        assert m1 % m0 == k1 % k0 == n1 % n0 == 0
        assert all(length % unit == 0 for length in candidate.tile)
        assert max(m0, n0) * k0 * size <= target.l0a
        assert m0 * n0 * 4 <= target.l0c
        assert (m1 + n1) * k1 * size <= target.l1
        assert all(0 < space.used <= space.size for space in candidate.live)


def test_a_second_buffer_where_k_has_several_parts() -> None:
    phase = plan(PLAIN, "a2a3", M=256, K=4096, N=256).modules[0].phases[0]
    for candidate in phase.candidates:
        used = {space.name: space.used for space in candidate.live}
        m0, _, k0, k1, n0, _ = candidate.tile
        assert used["L0A"] == min(2 * m0 * k0 * 2, 65_536)
        assert used["L0B"] == min(2 * n0 * k0 * 2, 65_536)
        once = (m0 + n0) * k1 * 2
        room = 2 * once <= 524_288
        assert used["L1"] == (2 if room else 1) * once
        assert room != any("L1 without a second set" in reason for reason in candidate.reasons)


def test_a_bias_takes_the_bias_table() -> None:
    made = product("a: [M, K]; b: [K, N]; c: [N]", "y = a @ b + c")
    phase = plan(made, "a2a3", M=256, K=256, N=1024).modules[0].phases[0]
    assert all(candidate.live[-1].name == "BT" and candidate.tile[4] <= 256 for candidate in phase.candidates)


def test_an_inner_axis_that_is_too_long_is_told() -> None:
    phase = plan(PLAIN, "a2a3", M=16, K=70_000, N=16).modules[0].phases[0]
    assert phase.notes == ("the inner axis of the left operand is 70000, above 65535: transpose it, or split it",)


def test_a_convolution_is_counted_as_the_product_it_is() -> None:
    made = product("x: [B, C, H, W]; w: [O, C, 3, 3]", "y = conv(x, w, groups=1)", "y: [B, O, H, W]")
    reduces = {"axes": ["B", "C", "H", "W", "O", "3", "3_2"], "reduces": ["C", "3", "3_2"]}
    module = made.modules[0]._replace(traversal=reduces)
    planned = plan(made._replace(modules=(module,)), "a5", B=2, C=16, H=8, W=8, O=32).modules[0]
    assert planned.phases[0].extents == (128, 144, 32)
    assert planned.notes[0].startswith("counted, not read: its lines say no contraction")
    assert "no axis has an extent of its own" in planned.cases[0].says


def test_what_is_no_product_is_told() -> None:
    module = plan(product("x: [B, C]", "y = conv(x, groups=1)"), "a5", B=4, C=4, M=4, N=4).modules[0]
    assert (module.phases, module.notes) == (
        (),
        ("no tiles: it records neither a contraction that can be read nor what it reduces",),
    )


def test_cases_of_a_product() -> None:
    module = plan(PLAIN, "a2a3", M=512, K=1024, N=512).modules[0]
    m0, _, _, k1, n0, _ = module.phases[0].candidates[0].tile
    found = {case.kind: dict(case.extents) for case in module.cases}
    assert found["aligned"] == {"M": m0, "K": k1, "N": n0}
    assert found["two tails"] == {"M": m0, "K": k1 - 1, "N": n0 - 1}
    assert found["several tiles with a tail"] == {"M": 2 * m0 + 1, "K": 2 * k1 + 1, "N": 2 * n0 + 1}
