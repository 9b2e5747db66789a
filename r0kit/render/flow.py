"""What flows between Modules, and how a value changes section on its way."""

from collections.abc import Iterator
from typing import NamedTuple

from r0kit.contract.model import Contract, Module, Record, Wire
from r0kit.render.escape import plain
from r0kit.render.record import pick
from r0kit.render.words import Words

SECTIONS = frozenset({"cube", "vector"})
FINAL = -1  # who reads a final output


class Edge(NamedTuple):
    """A value on its way: who makes it (PRIMARY for a primary input) and who reads it (FINAL for the caller)."""

    value: str
    producer: int
    consumer: int


class Handoff(NamedTuple):
    """A value that changes section on its way, with the contract's record of how; an empty record if there is none."""

    edge: Edge
    direction: str
    record: Record


def edges(contract: Contract) -> Iterator[Edge]:
    """Every value that a Module reads, then every final output, in the contract's order."""
    for module in contract.modules:
        yield from (Edge(wire.name, wire.module, module.id) for wire in module.inputs)
    yield from (Edge(wire.name, wire.module, FINAL) for wire in contract.final_outputs)


def crossings(contract: Contract) -> Iterator[tuple[Wire, Module]]:
    """Every value that a Module reads from a Module of the other section, with its reader."""
    sections = {module.id: module.section for module in contract.modules}
    for module in contract.modules:
        for wire in module.inputs:
            if {sections.get(wire.module), module.section} == SECTIONS:
                yield wire, module


def handoffs(contract: Contract) -> dict[Edge, Handoff]:
    """Every crossing between cube and vector, with the record that its reader or its producer has of it."""
    sections = {module.id: module.section for module in contract.modules}
    records = {(plain(r.get("value")), module.id): r for module in contract.modules for r in module.handoff}
    found = {}
    for wire, reader in crossings(contract):
        name, edge = plain(wire.name), Edge(wire.name, wire.module, reader.id)
        record = records.get((name, reader.id)) or records.get((name, wire.module)) or {}
        found[edge] = Handoff(edge, f"{sections[wire.module]}_to_{reader.section}", record)
    return found


def direction(handoff: Handoff, words: Words) -> str:
    """From which section to which, in this language, or what the record says instead; not escaped."""
    recorded = plain(pick(handoff.record, "direction")) or handoff.direction
    key = f"dataflow.direction.{recorded}"
    return str(words.say(key)) if words.known(key) else recorded


def route(handoff: Handoff) -> str:
    """The space that the value passes through, or the two it lies in; "" where nothing is recorded; not escaped."""
    spaces = [plain(pick(handoff.record, key)) for key in ("written_to", "read_from")]
    return " → ".join(dict.fromkeys(filter(None, spaces)))
