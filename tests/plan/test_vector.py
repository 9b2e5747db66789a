"""Candidates of vector Modules: the worked cases of the advice, and what every candidate keeps."""

from __future__ import annotations

import pytest
from planning import contract, plan, tiles

from r0kit.plan import plan_of
from r0kit.plan.live import aligned
from r0kit.platform import load, names

ROWS = contract("x: [M, N]", "y = sum(x, N)", "y: [M, 1]")
MIDDLE = contract("x: [B, M, N]", "y = sum(x, M)", "y: [B, 1, N]")
PER_SAMPLE = contract(
    "predictions: [B, N]; targets: [B, N]",
    "each = sqrt(sum((predictions - targets) ** 2.0, N)); loss = mean(each, B)",
    "loss: [1, 1]",
)
PLATFORMS = ("a5", "a2a3")


@pytest.mark.parametrize("platform", PLATFORMS)
def test_rows_are_not_cut_for_a_tile_of_one_row(platform: str) -> None:
    found = tiles(ROWS, platform, M=128, N=4096)
    assert found[0] == (4, 4096)
    assert (1, 16384) not in found


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_reduction_along_the_middle_takes_1_kib_and_a_short_part(platform: str) -> None:
    found = tiles(MIDDLE, platform, B=16, M=256, N=256)
    assert found[0] == (1, 16, 256)
    assert (1, 64, 256) not in found[:1]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_loss_per_sample_has_two_phases(platform: str) -> None:
    first, second = plan(PER_SAMPLE, platform, B=128, N=4096).modules[0].phases
    assert first.candidates[0].tile == (4, 4096)
    assert (second.extents, second.reduced, second.candidates[0].tile) == ((128, 1), ("B",), (128, 1))


def test_a_narrow_tile_is_measured_by_its_own_last_axis() -> None:
    phase = plan(MIDDLE, "a2a3", B=16, M=256, N=256).modules[0].phases[0]
    narrow = next(candidate for candidate in phase.candidates if candidate.tile[-1] == 64)
    assert narrow.contiguous == 256
    assert any("below 1024" in reason for reason in narrow.reasons)


@pytest.mark.parametrize("platform", sorted({load(name).name for name in names()}))
@pytest.mark.parametrize("extents", ((128, 4096), (3, 1001), (1, 1), (7, 100_000), (65_536, 8)))
def test_every_candidate_fits(platform: str, extents: tuple[int, int]) -> None:
    phase = plan(ROWS, platform, M=extents[0], N=extents[1]).modules[0].phases[0]
    assert 1 <= len(phase.candidates) <= 8
    for candidate in phase.candidates:
        assert len(candidate.tile) == 2
        assert all(length <= extent for length, extent in zip(candidate.tile, extents, strict=True))
        assert all(0 < space.used <= space.size for space in candidate.live)
        assert candidate.reasons


def test_live_bytes_by_hand() -> None:
    """(4, 4096) of float32 is 64 KiB, its sums one block of 32 bytes a row: 32 tiles, so no core has a second one."""
    first, second = plan(ROWS, "a2a3", M=128, N=4096).modules[0].phases[0].candidates[:2]
    assert (first.tile, first.live[0].used) == ((4, 4096), 4 * 4096 * 4 + 4 * 32)
    assert (second.tile, second.tiles) == ((2, 4096), 64)
    assert second.live[0].used == 2 * (2 * 4096 * 4 + 2 * 32)


def test_elements_step_down_where_ub_does_not_hold() -> None:
    """Eight inputs of 16384 float32 do not fit at once, of 4096 they do."""
    inputs = "; ".join(f"x{n}: [M, N]" for n in range(8))
    wide = contract(inputs, "y = " + " + ".join(f"x{n} * x{(n + 4) % 8}" for n in range(8)), "y: [M, N]")
    phase = plan(wide, "a2a3", M=1024, N=1024).modules[0].phases[0]
    assert all(candidate.tile[0] * candidate.tile[1] <= 4096 for candidate in phase.candidates)
    assert phase.notes == ("UB does not hold 16384 elements: 4096 are taken",)


def test_too_many_tiles_ask_for_a_loop() -> None:
    phase = plan(ROWS, "a2a3", M=1 << 20, N=4096).modules[0].phases[0]
    assert phase.candidates
    assert "loop over blocks" in phase.notes[0]


def test_axes_without_end_have_tiles() -> None:
    huge = contract("x: [A, B, M, N]", "y = sum(x, N)", "y: [A, B, M, 1]")
    phase = plan(huge, "a5", A=2**48, B=2**48, M=2**48, N=2**48).modules[0].phases[0]
    assert phase.candidates
    assert "loop over blocks" in phase.notes[0]


def test_an_axis_of_one_element_keeps_its_name() -> None:
    moments = contract("x: [M, N]", "m = mean(x, N); v = mean((x - m) * (x - m), N)", "m: [M, 1]; v: [M, 1]")
    assert not plan(moments, "a5", M=8, N=1).modules[0].notes


def test_rows_are_padded_not_cut() -> None:
    candidate = plan(ROWS, "a2a3", M=4, N=1001).modules[0].phases[0].candidates[0]
    assert candidate.tile == (4, 1001)
    assert candidate.live[0].used == 4 * aligned(1001 * 4, 32) + 4 * 32
    assert any("padded from 1001 to 1008" in reason for reason in candidate.reasons)


def test_what_is_traversed_again_stays_whole() -> None:
    softmax = contract("x: [M, N]", "e = exp(x - amax(x, N)); y = e / sum(e, N)", "y: [M, N]")
    assert {tile[1] for tile in tiles(softmax, "a2a3", M=64, N=2000)} == {2000}
    online = contract("x: [M, N]", "e = exp(x - amax(x, N)); s = sum(e, N)", "s: [M, 1]", algorithm="online")
    assert {tile[1] for tile in tiles(online, "a2a3", M=64, N=2000)} != {2000}


def test_what_no_buffer_holds_is_a_failure() -> None:
    softmax = contract("x: [M, N]", "e = exp(x - amax(x, N)); y = e / sum(e, N)", "y: [M, N]")
    module = plan(softmax, "a2a3", M=64, N=100_000).modules[0]
    assert module.phases[0].candidates == ()
    assert "no tile fits UB: even [1, 100000] takes" in module.failures[0]


def test_lines_that_are_not_read_are_counted() -> None:
    module = plan(contract("x: [M, N]", "y = fancy(x); z = y + x", "z: [M, N]"), "a2a3", M=64, N=512).modules[0]
    assert "counted, not read: fancy is not an operation" in module.notes[0]
    assert module.phases[0].candidates


def test_an_axis_without_an_extent_is_named() -> None:
    module = plan_of(ROWS, load("a5"), {"M": 4}).modules[0]
    assert module.failures == ("axis N has no extent: name one, as in --extents N=1024",)


def test_axes_without_extents_are_named_together() -> None:
    module = plan_of(ROWS, load("a5"), {}).modules[0]
    assert module.failures == ("axes M, N have no extents: name them, as in --extents M=1024,N=1024",)
