"""Data flow between Modules: a Mermaid chart, the same in plain text, and every cube / vector handoff."""

import re
from collections.abc import Mapping

from r0kit.contract.model import PRIMARY, Contract, Module, Tensor
from r0kit.render.escape import Safe, plain
from r0kit.render.flow import FINAL, Edge, Handoff, direction, edges, handoffs, route
from r0kit.render.mermaid import chart
from r0kit.render.record import pick, rest
from r0kit.render.tables import Cells, Context
from r0kit.render.words import Words

_KEYS = ("value", "written_to", "read_from", "path", "direction", "sync")
_BACKTICKS = re.compile("`+")


def dataflow(contract: Contract, words: Words) -> Context:
    """Both forms of the flow, and a table of the handoffs between cube and vector."""
    return {
        "mermaid": chart(contract, words),
        "text": _fenced(listing(contract, words)),
        **handoff_table(contract, words),
    }


def handoff_table(contract: Contract, words: Words) -> Context:
    """Every handoff between cube and vector."""
    return {
        "handoff_columns": words.columns("dataflow.handoff_columns"),
        "handoffs": [handoff_row(handoff, words) for handoff in handoffs(contract).values()],
    }


def listing(contract: Contract, words: Words) -> str:
    """The flow as plain text: per Module what it reads, from whom and how, and what it writes, for whom."""
    readers: dict[tuple[str, int], list[int]] = {}
    for edge in edges(contract):
        readers.setdefault((edge.value, edge.producer), []).append(edge.consumer)
    crossing = handoffs(contract)
    lines = [f"{plain(words.say('primary'))}:"]
    lines += [_written(value, PRIMARY, readers, words) for value in contract.primary_inputs]
    for module in contract.modules:
        lines.append(_head(module, words))
        lines += [_read(Edge(wire.name, wire.module, module.id), crossing, words) for wire in module.inputs]
        lines += [_written(value, module.id, readers, words) for value in module.outputs]
    lines.append(f"{plain(words.say('final'))}:")
    return "\n".join(lines + [_read(Edge(w.name, w.module, FINAL), crossing, words) for w in contract.final_outputs])


def _head(module: Module, words: Words) -> str:
    name = " ".join(filter(None, (_place(module.id, words), plain(module.name))))
    return f"{name} ({plain(module.section) or words.say('not_recorded')}):"


def _read(edge: Edge, crossing: Mapping[Edge, Handoff], words: Words) -> str:
    line = f"  {plain(edge.value)} <- {_place(edge.producer, words)}"
    handoff = crossing.get(edge)
    if handoff is None:
        return line
    how = (direction(handoff, words), plain(pick(handoff.record, "path")) or route(handoff))
    return f"{line} [{'; '.join(filter(None, how))}]"


def _written(value: Tensor, source: int, readers: Mapping[tuple[str, int], list[int]], words: Words) -> str:
    places = [_place(reader, words) for reader in readers.get((value.name, source), [])]
    text = " ".join(filter(None, map(plain, value)))
    return f"  {text} -> {', '.join(places) or plain(words.say('dataflow.unused'))}"


def _place(module: int, words: Words) -> Safe:
    if module in (PRIMARY, FINAL):
        return words.say("primary" if module == PRIMARY else "final")
    return words.say("module", id=module)


def handoff_row(handoff: Handoff, words: Words) -> Cells:
    """A handoff: value, ends, direction, spaces, API path, and what must be synchronised."""
    record, edge = handoff.record, handoff.edge
    ends = words.say("dataflow.ends", source=_place(edge.producer, words), target=_place(edge.consumer, words))
    written, read, path, sync = (words.code(pick(record, key)) for key in ("written_to", "read_from", "path", "sync"))
    more = rest(record, words, *_KEYS)
    note = Safe(f"{sync}; {more}") if more else sync
    return (words.mark(edge.value), ends, words.prose(direction(handoff, words)), written, read, path, note)


def _fenced(text: str) -> str:
    """`text` as a code block whose fence is longer than any run of backticks in it."""
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"
