"""What cards of Modules look up in the contract, computed once for all of them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from r0kit.contract.model import NOTHING, PRIMARY, Contract, Module, Record, Tensor
from r0kit.render import reduction, tiles
from r0kit.render.downstream import Chain, State, downstream
from r0kit.render.escape import Safe, plain
from r0kit.render.flow import Handoff, edges
from r0kit.render.record import entries, pick, producer
from r0kit.render.words import Words


class Pass(NamedTuple):
    """A pass of a Module over a reduction axis: the records of both, and what is to say of the axis."""

    axis: Record
    entry: Record
    conclusion: Mapping[str, Safe]


class Index:
    """made: value and Module -> its shape and dtype; readers: value and Module -> who reads it; positions: Module's
    number -> its place from 1; the rest by Module's number."""

    def __init__(self, contract: Contract, words: Words) -> None:
        self.made: Mapping[tuple[str, int], Tensor] = {
            **{(value.name, module.id): value for module in contract.modules for value in module.outputs},
            **{(value.name, PRIMARY): value for value in contract.primary_inputs},
        }
        self.positions = {module.id: place for place, module in reversed(list(enumerate(contract.modules, 1)))}
        self.sections = {module.id: module.section for module in contract.modules}
        self.readers: dict[tuple[str, int], list[int]] = {}
        for edge in edges(contract):
            self.readers.setdefault((edge.value, edge.producer), []).append(edge.consumer)
        lists = downstream(contract)
        self.chains: dict[int, list[Chain]] = {}
        self.states: dict[int, list[State]] = {}
        self.handoffs: dict[int, list[Handoff]] = {}
        _sort(self.chains, ((chain.module, chain) for chain in lists.chains))
        _sort(self.states, ((number, s) for s in lists.states for number in dict.fromkeys((s.module, *s.updated_by))))
        _sort(self.handoffs, ((n, h) for h in lists.handoffs for n in (h.edge.producer, h.edge.consumer)))
        self.tiles = tiles.by_module(contract, words)
        said = [reduction.axis_conclusion(record, contract, words) for record in contract.reduction]
        self.axes: dict[int, list[Pass]] = {}
        _sort(
            self.axes, ((n, Pass(contract.reduction[axis], entry, said[axis])) for n, axis, entry in _passes(contract))
        )


def _sort(into: dict[int, list[Any]], found: Any) -> None:
    for number, entry in found:
        into.setdefault(number, []).append(entry)


def _passes(contract: Contract) -> list[tuple[int, int, Record]]:
    """For each Module the recorded reduction axes that it runs over, by position, with the record of its pass."""
    recorded = {plain(record.get("axis")): place for place, record in enumerate(contract.reduction)}
    found, seen = [], set()
    for place, record in enumerate(contract.reduction):
        for entry in entries(pick(record, "traversals")):
            number = producer(entry.get("module"))
            if number is not None:
                found.append((number, place, entry))
                seen.add((number, plain(record.get("axis"))))
    for module in contract.modules:
        for axis in _reduced(module):
            if axis in recorded and (module.id, axis) not in seen:
                found.append((module.id, recorded[axis], NOTHING))
    return found


def _reduced(module: Module) -> list[str]:
    value = pick(module.traversal or NOTHING, "reduces")
    return [plain(axis) for axis in (value if isinstance(value, (list, tuple)) else [value]) if axis is not None]
