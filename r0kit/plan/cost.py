"""An estimate of a tile's cycles that compares tiles of one Module; nothing more is claimed of it.

Its form and constants were read off the simulator of pypto 0.2.0 for A2A3 (docs/plan.md): tasks go to cores in waves, a
wave costs much more than what it computes, and so does each further part of a reduction axis. They are no property of
a chip.
"""

from __future__ import annotations

from math import log2

from r0kit.plan.contraction import Product
from r0kit.plan.extents import Shape, product
from r0kit.plan.reader import table
from r0kit.plan.work import Operation, Work

START = 10_400  # before the first task and after the last
WAVE = 11_600  # of tasks, one a core
WRITTEN = 5_000  # more, where a wave writes all that it reads
CROWD = 350  # for each task beyond half the cores in the last wave
PART = 3_000  # of a reduction axis, beyond the first
ELEMENT = 0.07  # for each element and instruction
SHARED = 6_000  # for each time that the tiles double which share what is computed once for all rows
ROW = 50  # of a reduction along the last axis, for each row and part beyond what lies side by side
SIDE = 16  # rows
PIECE = 2_900  # of K in L1
BLOCK = 6_000  # a wave of blocks of a product


def vector_cycles(work: Work, tile: Shape, cores: int) -> int:
    """Estimated cycles of all tiles: the parts of a reduction axis belong to one task."""
    counts = [-(-extent // length) for length, extent in zip(tile, work.space, strict=True)]
    reduced = work.reduced
    parts = product(tuple(count for axis, count in enumerate(counts) if axis in reduced))
    tasks = product(tuple(counts)) // parts
    waves = -(-tasks // cores)
    crowd = max(0, tasks - (waves - 1) * cores - cores // 2) * CROWD
    rows = product(tile[:-1]) if len(tile) - 1 in reduced else 0
    instructions = sum(map(_instructions, work.operations))
    within = parts * product(tile) * instructions * ELEMENT + max(0, rows - SIDE) * parts * ROW
    shared = sum(log2(counts[axis]) for axis in _shared(work)) * SHARED
    return int(START + waves * (WAVE + (0 if reduced else WRITTEN) + (parts - 1) * PART + within) + shared + crowd)


def _instructions(step: Operation) -> int:
    """How many instructions say the operation: those of a formula are counted."""
    formula = table().get(step.op, {}).get("pypto", "")
    return max(1, sum(map(formula.count, ("pypto.", " * ", " + ", " - ", " / "))))


def _shared(work: Work) -> set[int]:
    """Axes before the last along which an operation's result is broadcast: a scale that is cast once for all rows."""
    once = [step.space for step in work.operations if step.kind == "elementwise" and step.space[-1] > 1]
    before = range(len(work.space) - 1)
    return {axis for space in once for axis in before if space[axis] == 1 < work.space[axis]}


def cube_cycles(made: Product, tile: Shape, cores: int) -> int:
    """Estimated cycles of all blocks of a product."""
    m0, _, _, k1, n0, _ = tile
    waves = -(-(made.batch * -(-made.m // m0) * -(-made.n // n0)) // cores)
    return START + waves * (BLOCK + -(-made.k // k1) * PIECE)
