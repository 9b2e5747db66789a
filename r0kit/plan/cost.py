"""An estimate of a tile's cycles that compares tiles of one Module; nothing more is claimed of it.

Constants were fitted to the cost model of pypto 0.2.0 for A2A3 (docs/plan-benchmark.md); they are no property of a chip.
"""

from __future__ import annotations

from r0kit.plan.contraction import Product
from r0kit.plan.extents import Shape, product
from r0kit.plan.live import tile_bytes
from r0kit.plan.work import Work


def vector_cycles(work: Work, tile: Shape, cores: int) -> int:
    """Estimated cycles of all tiles."""
    counts = [-(-extent // length) for length, extent in zip(tile, work.space, strict=True)]
    waves = -(-product(tuple(counts)) // cores)
    moved = sum(tile_bytes(work.values[name], tile, 32) for name in work.moved)
    return int(waves * (3000 + moved / 16 + product(tile) * len(work.operations) / 64))


def cube_cycles(made: Product, tile: Shape, cores: int) -> int:
    """Estimated cycles of all blocks of a product."""
    m0, _, k0, k1, n0, _ = tile
    waves = -(-(made.batch * -(-made.m // m0) * -(-made.n // n0)) // cores)
    steps = -(-made.k // k0)
    moved = (m0 * made.left_size + n0 * made.right_size) * made.k
    return int(
        waves * (2000 + moved / 32 + steps * (200 + m0 * n0 * k0 / 4096) + m0 * n0 * 4 / 32 + 500 * -(-made.k // k1))
    )
