#!/usr/bin/env python
"""How good are the candidates of `r0kit plan`? Simulated cycles against an exhaustive grid of tiles.

Needs pypto (`pip install "r0kit[pypto]"`). Each kernel takes seconds: some hundreds of them are compiled.

    python scripts/bench_plan.py [--cache FILE] [--only NAME;NAME]

FILE keeps the simulator's answers, so that a second run only simulates kernels that it has not seen.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from hashlib import sha256
from itertools import product as every
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from r0kit.contract.model import Contract, Module, Tensor, Verification, Wire  # noqa: E402
from r0kit.contract.typed import read_contract  # noqa: E402
from r0kit.plan import plan_of  # noqa: E402
from r0kit.plan.contraction import Product, products_of  # noqa: E402
from r0kit.plan.extents import Extents, chosen, product  # noqa: E402
from r0kit.plan.live import aligned  # noqa: E402
from r0kit.plan.reader import work_of  # noqa: E402
from r0kit.plan.simulate.cube import Levels, cube_arguments, cube_body  # noqa: E402
from r0kit.plan.simulate.session import Limits, Outcome, Session  # noqa: E402
from r0kit.plan.simulate.source import kernel_source  # noqa: E402
from r0kit.plan.simulate.vector import arguments, kernel_body  # noqa: E402
from r0kit.plan.work import Work  # noqa: E402
from r0kit.platform import load  # noqa: E402

PLATFORM, NEAR = "a2a3", 1.05
ELEMENTS = (2048, 49152)  # of a tile in the grid
TILES = 128  # in the grid; more take minutes to compile and were never near the best


class Case(NamedTuple):
    """One Module at given extents: of a contract of the tests, or written out."""

    name: str
    contract: str
    module: int
    extents: Extents


ONLINE = {"algorithm": "online"}
LOGSUMEXP = "x [M, N] float32 -> y [M, 1] float32: top = amax(x, N); y = log(sum(exp(x - top), N)) + top"
PRODUCT = "a [M, K] float16; b [K, N] float16 -> y [M, N] float32: y = a @ b"
ADDED = "a [M, N] float16; b [M, N] float16; c [M, N] float16 -> y [M, N] float16: y = float16(a * b + c)"
CUBED = "x [B, M, N] float32 -> y [B, M, N] float32: y = exp(x) * x"
RMS = "x [M, N] float16; s [M, 1] float32; g [N] float16 -> y [M, N] float16: y = float16(x * rsqrt(s) * g)"
GATE = "a [M, N] float32; b [M, N] float32 -> y [M, N] float32: y = silu(a) * b"
LAST = "x [B, M, N] float32 -> y [B, M, 1] float32: y = sum(x, N)"
BRAIN = "a [M, K] bfloat16; b [K, N] bfloat16 -> y [M, N] float32: y = a @ b"
LEAST = "x [B, M, N] float32 -> y [1, M, N] float32: y = amin(x, B)"

# The cost model was fitted to those above the line and was not changed for those below it.
CASES = (
    Case("softmax statistics", "row_softmax", 1, {"M": 256, "N": 1024}),
    Case("softmax normalize", "row_softmax", 2, {"M": 256, "N": 1024}),
    Case("layer norm moments", "layer_norm", 1, {"B": 1, "S": 512, "D": 768}),
    Case("layer norm normalize", "layer_norm", 2, {"B": 1, "S": 512, "D": 768}),
    Case("silu", "silu", 1, {"N": 524288}),
    Case("huber loss", "huber_loss", 1, {"B": 128, "N": 4096}),
    Case("gelu", "matmul_bias_gelu", 2, {"M": 256, "K": 512, "N": 1024}),
    Case("logsumexp, 1000 columns", LOGSUMEXP, 1, {"M": 512, "N": 1000}),
    Case("dequantise", "quant_matmul", 2, {"M": 256, "K": 64, "N": 2048}),
    Case("attention softmax", "attention", 2, {"B": 1, "H": 1, "S": 256, "D": 64, "T": 512}),
    Case("sum over the last axis", "x [M, N] float32 -> y [M, 1] float32: y = sum(x, N)", 1, {"M": 128, "N": 4096}),
    Case(
        "sum over the middle axis",
        "x [B, M, N] float32 -> y [B, 1, N] float32: y = sum(x, M)",
        1,
        {"B": 16, "M": 256, "N": 256},
    ),
    Case("sum over the first axis", "x [M, N] float32 -> y [1, N] float32: y = sum(x, M)", 1, {"M": 1024, "N": 512}),
    Case("matmul with bias", "matmul_bias_gelu", 1, {"M": 256, "K": 512, "N": 256}),
    Case("matmul, transposed", "linear_logsumexp", 1, {"M": 128, "K": 1024, "N": 512}),
    Case("matmul, int8", "quant_matmul", 1, {"M": 512, "K": 1024, "N": 512}),
    Case("attention scores", "attention", 1, {"B": 1, "H": 4, "S": 128, "D": 64, "T": 512}),
    Case("product of float16", PRODUCT, 1, {"M": 512, "K": 512, "N": 512}),
    Case("multiply and add", ADDED, 1, {"M": 384, "N": 1024}),
    Case("mean of squares", "x [M, N] float16 -> y [M, 1] float32: y = mean(x * x, N)", 1, {"M": 1024, "N": 512}),
    Case("exponential, three axes", CUBED, 1, {"B": 2, "M": 192, "N": 320}),
    Case("minimum over the first of three axes", LEAST, 1, {"B": 64, "M": 16, "N": 256}),
    # ----
    Case("root mean square normalize", RMS, 1, {"M": 300, "N": 640}),
    Case("gate", GATE, 1, {"M": 96, "N": 1536}),
    Case("sum over the last of three axes", LAST, 1, {"B": 2, "M": 96, "N": 768}),
    Case("centre", "x [M, N] float32 -> y [M, N] float32: y = x - mean(x, N)", 1, {"M": 160, "N": 512}),
    Case("product of bfloat16", BRAIN, 1, {"M": 192, "K": 768, "N": 384}),
)


def contract_of(case: Case) -> Contract:
    """The contract that the case names or says."""
    if "->" not in case.contract:
        return read_contract(str(ROOT / "tests" / "contracts" / f"{case.contract}.yaml"))
    shapes, _, lines = case.contract.partition(": ")
    given, made = (tuple(map(_tensor, part.split("; "))) for part in shapes.split(" -> "))
    section = "cube" if "@" in lines else "vector"
    wires = tuple(Wire(tensor.name, 0) for tensor in given)
    module = Module(1, "", "", section, tuple(lines.split("; ")), wires, made, traversal=ONLINE)
    return Contract("bench", 1, given, (module,), (Wire("y", 1),), Verification())


def _tensor(text: str) -> Tensor:
    name, shape, dtype = re.fullmatch(r"(\w+) (\[.*\]) (\w+)", text).groups()  # type: ignore[union-attr]
    return Tensor(name, shape, dtype)


class Simulator:
    """The session, and the answers that it has given."""

    def __init__(self, session: Session, cache: Path | None) -> None:
        self.session, self.cache = session, cache
        self.known: dict[str, int] = {}
        if cache is not None and cache.exists():
            self.known = dict(json.loads(line) for line in cache.read_text(encoding="utf-8").splitlines())

    def cycles(self, source: str) -> int:
        """Simulated cycles; 0 where the compiler refuses the kernel."""
        key = sha256(source.encode()).hexdigest()[:24]
        if key not in self.known:
            outcome: Outcome = self.session.run(source)
            self.known[key] = outcome.cycles or 0
            if self.cache is not None:
                with self.cache.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([key, self.known[key]]) + "\n")
        return self.known[key]


def powers(extent: int, least: int = 1) -> list[int]:
    """Powers of two below the extent, and the extent."""
    found = [1 << n for n in range(extent.bit_length()) if least <= 1 << n < extent]
    return [*found, extent]


def vector_grid(work: Work) -> list[tuple[int, ...]]:
    """All tiles of powers of two and whole axes, within ELEMENTS and TILES."""
    axes = [powers(extent) for extent in work.space[:-1]] + [powers(work.space[-1], 32)]
    return [tile for tile in every(*axes) if _in_grid(tile, work.space)]


def _in_grid(tile: tuple[int, ...], space: tuple[int, ...]) -> bool:
    count = product(tuple(-(-extent // length) for length, extent in zip(tile, space, strict=True)))
    return ELEMENTS[0] <= product(tile) <= ELEMENTS[1] and count <= TILES


def cube_grid(made: Product) -> list[Levels]:
    """Powers of two for M and N, alike in L0 and L1, and for K in L1; K in L0 is 128, or 256 where that fits."""
    found = []
    for m, n, k1, most in every((32, 64, 128, 256), (32, 64, 128, 256), (64, 128, 256, 512, 1024), (128, 256)):
        tile = (m, m, min(k1, most), k1, n, n)
        if m <= aligned(made.m, 32) and n <= aligned(made.n, 32) and k1 <= aligned(made.k, 64) and _holds(made, tile):
            found.append(tile)
    return list(dict.fromkeys(found))


def _holds(made: Product, tile: Levels) -> bool:
    m, _, k0, k1, n, _ = tile
    blocks = made.batch * -(-made.m // m) * -(-made.n // n)
    a, b = made.left_size, made.right_size
    return (
        m * k0 * a <= 65536
        and n * k0 * b <= 65536
        and m * n * 4 <= 131072
        and (m * a + n * b) * k1 <= 524288
        and blocks <= 64
    )


class Run(NamedTuple):
    """One case: its grid and its candidates, each with its kernel."""

    grid: dict[tuple[int, ...], str]
    proposed: dict[tuple[int, ...], str]


def kernels(case: Case) -> Run:
    """Kernels of the grid, and of the candidates in the order of the plan."""
    contract = contract_of(case)
    extents = chosen(contract, case.extents)
    module = contract.modules[case.module - 1]
    phase = plan_of(contract, load(PLATFORM), case.extents).modules[case.module - 1].phases[0]
    tiles = [candidate.tile for candidate in phase.candidates]
    if module.section == "cube":
        made = products_of(contract, module, extents)[0]
        given = cube_arguments(made)
        return Run(
            *({tile: kernel_source(given, cube_body(made, tile)) for tile in some} for some in (cube_grid(made), tiles))
        )
    work = work_of(contract, module, extents)

    def source(tile: tuple[int, ...]) -> str:
        return kernel_source(arguments(work), kernel_body(work, ((work.space, tile),)))

    return Run({tile: source(tile) for tile in vector_grid(work)}, {tile: source(tile) for tile in tiles})


class Result(NamedTuple):
    """A row of the table. Cycles are 0 where the compiler takes no tile."""

    case: Case
    grid: dict[tuple[int, ...], int]
    proposed: dict[tuple[int, ...], int]

    @property
    def best(self) -> tuple[int, tuple[int, ...]]:
        """Cycles and tile, over the grid and what is proposed."""
        return _least({**self.grid, **self.proposed})

    @property
    def fastest(self) -> tuple[int, tuple[int, ...]]:
        """Of the candidates."""
        return _least(self.proposed)

    @property
    def ratio(self) -> float:
        """1.0 where the best tile is proposed, infinity where no candidate compiles."""
        return self.fastest[0] / self.best[0] if self.fastest[0] else float("inf")

    def _place(self) -> int:
        return [*self.proposed, ()].index(self.fastest[1]) + 1

    def row(self) -> str:
        """As a line of a Markdown table."""
        first = next(iter(self.proposed))
        extents = ", ".join(f"{name}={extent}" for name, extent in self.case.extents.items())
        compiled = sum(cycles > 0 for cycles in self.grid.values())
        cells = (
            f"{self.case.name} ({extents})",
            f"{len(self.grid)}, {compiled} compile",
            f"{_tile(self.best[1])}: {self.best[0]}",
            f"{_tile(self.fastest[1])}: {self.fastest[0]}, place {self._place()} of {len(self.proposed)}",
            f"{self.ratio:.3f}",
            f"{_tile(first)}: {self.proposed[first] or 'rejected'}",
        )
        return f"| {' | '.join(cells)} |"


def _least(found: dict[tuple[int, ...], int]) -> tuple[int, tuple[int, ...]]:
    return min(((cycles, tile) for tile, cycles in found.items() if cycles), default=(0, ()))


def _tile(tile: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, tile))})"


HEAD = """| Module | tiles in the grid | best tile: cycles | best candidate: cycles | ratio | first candidate: cycles |
|---|---|---|---|---|---|"""


def main() -> int:
    """Simulate the grid and the candidates of every case, and print a table. 1 where fewer than nine in ten are near."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    wanted = [case for case in CASES if not options.only or case.name in options.only.split(";")]
    print(HEAD)
    with Session(Limits(seconds=120)) as session:
        simulator = Simulator(session, options.cache)
        results = [_result(case, simulator) for case in wanted]
    near = sum(result.ratio <= NEAR for result in results)
    print(f"\n{near} of {len(results)} Modules have a candidate within {NEAR} of the best")
    return 0 if near >= 0.9 * len(results) else 1


def _result(case: Case, simulator: Simulator) -> Result:
    run = kernels(case)
    found = [{tile: simulator.cycles(source) for tile, source in some.items()} for some in run]
    result = Result(case, *found)
    print(result.row(), flush=True)
    return result


if __name__ == "__main__":
    sys.exit(main())
