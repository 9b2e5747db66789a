"""Data flow between Modules: a Mermaid chart, the same in plain text, and every cube / vector handoff."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from r0kit.contract.model import PRIMARY, Contract, Module, Record, Tensor
from r0kit.render.escape import Markdown, code, mermaid, plain, prose
from r0kit.render.record import pick, rest
from r0kit.render.tables import SECTIONS, Cells, Context, crossings, declared
from r0kit.render.words import Words

_KEYS = ("value", "written_to", "read_from", "path", "direction", "sync")
FINAL = -1  # the consumer of a final output


class Edge(NamedTuple):
    """A value on its way: who makes it (PRIMARY for a primary input) and who reads it (FINAL for the caller)."""

    value: str
    producer: int
    consumer: int


class Handoff(NamedTuple):
    """A value that changes section on its way, with the record of how, where the contract has one."""

    edge: Edge
    direction: str
    record: Record


def dataflow(contract: Contract, words: Words) -> Context:
    """Both forms of the flow, and a table of the handoffs between cube and vector."""
    return {
        "mermaid": chart(contract, words),
        "text": _fenced(listing(contract, words)),
        "handoff_columns": words.columns("dataflow.handoff_columns"),
        "handoffs": [_handoff_row(handoff, words) for handoff in handoffs(contract)],
    }


def edges(contract: Contract) -> Iterator[Edge]:
    """Every value that a Module reads, then every final output, in the contract's order."""
    for module in contract.modules:
        yield from (Edge(wire.name, wire.module, module.id) for wire in module.inputs)
    yield from (Edge(wire.name, wire.module, FINAL) for wire in contract.final_outputs)


def handoffs(contract: Contract) -> list[Handoff]:
    """Every crossing between cube and vector, with the record that its reader or its producer has of it, if any."""
    sections = {module.id: module.section for module in contract.modules}
    records = {(plain(r.get("value")), module.id): r for module in contract.modules for r in module.handoff}
    found = []
    for wire, reader in crossings(contract):
        name, edge = plain(wire.name), Edge(wire.name, wire.module, reader.id)
        record = records.get((name, reader.id)) or records.get((name, wire.module)) or {}
        found.append(Handoff(edge, f"{sections[wire.module]}_to_{reader.section}", record))
    return found


def chart(contract: Contract, words: Words) -> str:
    """The flow as the source text of a Mermaid flowchart."""
    return "\n".join(["flowchart TD", *_nodes(contract, words), *_arrows(contract, words), *_CLASSES])


def listing(contract: Contract, words: Words) -> str:
    """The flow as plain text: per Module what it reads and from whom, what it writes and for whom."""
    readers = _readers(contract)
    lines = [f"{plain(words.say('primary'))}:"]
    lines += [f"  {_arrow(value, PRIMARY, readers, words)}" for value in contract.primary_inputs]
    for module in contract.modules:
        lines += _paragraph(module, readers, words)
    lines += [f"{plain(words.say('final'))}:"]
    lines += [f"  {plain(wire.name)} <- {_place(wire.module, words)}" for wire in contract.final_outputs]
    return "\n".join(lines)


# Colours that keep enough contrast on white and on black pages, because GitHub shows the same chart on both.
_CLASSES = (
    "  classDef cube fill:#b35900,stroke:#b35900,color:#ffffff",
    "  classDef vector fill:#1f5fa8,stroke:#1f5fa8,color:#ffffff",
    "  classDef value fill:none,stroke:#808080",
)


def _nodes(contract: Contract, words: Words) -> Iterator[str]:
    for index, value in enumerate(contract.primary_inputs):
        yield f'  in{index}(["{_label(value)}"]):::value'
    for module in contract.modules:
        kind = f":::{module.section}" if module.section in SECTIONS else ""
        lines = [mermaid(words.say("module", id=module.id)), mermaid(module.name), mermaid(module.section)]
        yield f'  m{_number(module.id)}["{"<br>".join(filter(None, lines))}"]{kind}'
    for index, value in enumerate(declared(contract)):
        yield f'  out{index}(["{_label(value)}"]):::value'


def _arrows(contract: Contract, words: Words) -> Iterator[str]:
    inputs = {value.name: f"in{index}" for index, value in enumerate(contract.primary_inputs)}
    crossing = {(h.edge.producer, h.edge.consumer): h for h in handoffs(contract)}
    for module in contract.modules:
        for wire in module.inputs:
            if wire.module == PRIMARY and wire.name in inputs:
                yield f"  {inputs[wire.name]} --> m{_number(module.id)}"
        for source, names in _by_producer(module).items():
            handoff = crossing.get((source, module.id))
            line, notes = ("==>", _note(handoff, words)) if handoff else ("-->", [])
            label = "<br>".join([mermaid(", ".join(names)), *notes])
            yield f'  m{_number(source)} {line}|"{label}"| m{_number(module.id)}'
    for index, wire in enumerate(contract.final_outputs):
        yield f"  m{_number(wire.module)} --> out{index}"


def _by_producer(module: Module) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for wire in module.inputs:
        if wire.module != PRIMARY:
            found.setdefault(wire.module, []).append(wire.name)
    return found


def _note(handoff: Handoff, words: Words) -> list[str]:
    route = " / ".join(filter(None, (plain(pick(handoff.record, key)) for key in ("written_to", "read_from"))))
    return [mermaid(part) for part in (_direction(handoff, words), route) if part]


def _label(value: Tensor) -> str:
    return mermaid(" ".join(filter(None, value)))


def _number(module: int) -> str:
    """A Module's number inside an identifier of the chart, which has no minus sign."""
    return str(module).replace("-", "n")


def _readers(contract: Contract) -> dict[tuple[str, int], list[int]]:
    readers: dict[tuple[str, int], list[int]] = {}
    for edge in edges(contract):
        readers.setdefault((edge.value, edge.producer), []).append(edge.consumer)
    return readers


def _paragraph(module: Module, readers: dict[tuple[str, int], list[int]], words: Words) -> list[str]:
    head = " ".join(filter(None, (_place(module.id, words), plain(module.name))))
    lines = [f"{head} ({plain(module.section) or words.say('not_recorded')}):"]
    lines += [f"  {plain(wire.name)} <- {_place(wire.module, words)}" for wire in module.inputs]
    return lines + [f"  {_arrow(value, module.id, readers, words)}" for value in module.outputs]


def _arrow(value: Tensor, source: int, readers: dict[tuple[str, int], list[int]], words: Words) -> str:
    places = [_place(reader, words) for reader in readers.get((value.name, source), [])]
    text = " ".join(filter(None, map(plain, value)))
    return f"{text} -> {', '.join(places) or plain(words.say('dataflow.unused'))}"


def _place(module: int, words: Words) -> str:
    if module in (PRIMARY, FINAL):
        return str(words.say("primary" if module == PRIMARY else "final"))
    return str(words.say("module", id=module))


def _direction(handoff: Handoff, words: Words) -> str:
    recorded = plain(pick(handoff.record, "direction")) or handoff.direction
    key = f"dataflow.direction.{recorded}"
    return str(words.say(key)) if words.known(key) else recorded  # not escaped yet


def _handoff_row(handoff: Handoff, words: Words) -> Cells:
    record, edge = handoff.record, handoff.edge
    source, target = (words.say("module", id=end) for end in (edge.producer, edge.consumer))
    ends = words.say("dataflow.ends", source=source, target=target)
    written, read, path, sync = (words.code(pick(record, key)) for key in ("written_to", "read_from", "path", "sync"))
    more = rest(record, *_KEYS)
    note = Markdown(f"{sync}; {more}") if more else sync
    return (code(edge.value), ends, prose(_direction(handoff, words)), written, read, path, note)


def _fenced(text: str) -> str:
    """`text` as a code block whose fence is longer than any run of backticks in it."""
    longest = max((len(run) for run in _backtick_runs(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _backtick_runs(text: str) -> Iterable[Sequence[str]]:
    return (run for run in "".join(char if char == "`" else " " for char in text).split())
