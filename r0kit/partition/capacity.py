"""Does a Module's live data fit on chip: the peak of its tiles, by liveness over its Steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from r0kit.golden.axes import Atoms, bound_of
from r0kit.golden.dtypes import BYTES
from r0kit.golden.program import Kind, Step
from r0kit.partition.crossing import Module
from r0kit.partition.flow import Flow
from r0kit.platform import Platform

Length = Callable[[Atoms], int]  # elements of a tile that spans these resident axes, one of every other axis


@dataclass(frozen=True, slots=True)
class Peak:
    """The largest sum of tiles that live at once, in bytes, and those tiles as (value, bytes)."""

    size: int
    tiles: tuple[tuple[str, int], ...]


def peak(flow: Flow, module: Module, whole: Atoms, length: Length, platform: Platform) -> Peak:
    """Peak of a Module that holds the axes `whole` on chip and one element of every other axis.

    A value lives from the Step that makes it (a read value: from its first use) to its last use; an elementwise Step
    writes over an operand that ends with it. Tiles are single buffered and rounded up to the vector alignment.
    """
    last = {value: place for place, name in enumerate(module.steps) for value in (*flow.steps[name].tensors, name)}
    live: dict[str, int] = {}
    best = Peak(0, ())

    def tile(value: str) -> int:
        size = BYTES.get(flow.dtypes[value], 4) * length(flow.axes.all_of(value) & whole)
        return -(-size // platform.vector_alignment) * platform.vector_alignment

    for place, name in enumerate(module.steps):
        step = flow.steps[name]
        live.update((value, tile(value)) for value in step.tensors)
        ended = [value for value in dict.fromkeys(step.tensors) if last[value] <= place]
        reused = next((value for value in ended if _in_place(step, live[value], tile(name))), None)
        tiles = {value: size for value, size in live.items() if value != reused} | {name: tile(name)}
        if sum(tiles.values()) > best.size:
            best = Peak(sum(tiles.values()), tuple(tiles.items()))
        live = {value: size for value, size in tiles.items() if last[value] > place}
    return best


def _in_place(step: Step, operand: int, result: int) -> bool:
    return step.kind is Kind.ELEMENTWISE and operand >= result


def at_bounds(flow: Flow, bounds: Mapping[str, int]) -> Length:
    """Every resident axis at its bound (1 where it has none)."""

    def length(atoms: Atoms) -> int:
        total = 1
        for atom in atoms:
            total *= bound_of(flow.axes.extent(atom), bounds) or 1
        return total

    return length


def limit(flow: Flow, modules: Sequence[Module], whole: Atoms, platform: Platform) -> int:
    """The largest extent of the axes `whole`, taken together, at which every Module fits the vector buffer."""
    low, high = 0, platform.ub
    while low < high:
        middle = (low + high + 1) // 2
        fits = all(peak(flow, m, whole, all_at(middle), platform).size <= platform.ub for m in modules)
        low, high = (middle, high) if fits else (low, middle - 1)
    return low


def all_at(extent: int) -> Length:
    """The resident axes, taken together, at one extent."""
    return lambda atoms: extent if atoms else 1
