"""The data flow between Modules as a Mermaid flowchart."""

from collections.abc import Iterable, Iterator

from r0kit.contract.model import PRIMARY, Contract, Module, Tensor
from r0kit.render.escape import mermaid
from r0kit.render.flow import SECTIONS, Edge, direction, handoffs, route
from r0kit.render.tables import declared
from r0kit.render.words import Words

# Colours that keep enough contrast on white and on black pages, because GitHub shows the same chart on both.
_CLASSES = (
    "  classDef cube fill:#b35900,stroke:#b35900,color:#ffffff",
    "  classDef vector fill:#1f5fa8,stroke:#1f5fa8,color:#ffffff",
    "  classDef value fill:none,stroke:#808080",
)


def chart(contract: Contract, words: Words) -> str:
    """The source text of the chart: inputs, Modules, outputs, and thick arrows where a value changes section."""
    return "\n".join(["flowchart TD", *_nodes(contract, words), *_arrows(contract, words), *_CLASSES])


def _nodes(contract: Contract, words: Words) -> Iterator[str]:
    for index, value in enumerate(contract.primary_inputs):
        yield f'  in{index}(["{_label(value)}"]):::value'
    for module in contract.modules:
        kind = f":::{module.section}" if module.section in SECTIONS else ""
        lines = (words.say("module", id=module.id), module.name, module.section)
        yield f'  {_id(module.id)}["{_lines(lines)}"]{kind}'
    for index, value in enumerate(declared(contract)):
        yield f'  out{index}(["{_label(value)}"]):::value'


def _arrows(contract: Contract, words: Words) -> Iterator[str]:
    inputs = {value.name: f"in{index}" for index, value in enumerate(contract.primary_inputs)}
    crossing = handoffs(contract)
    for module in contract.modules:
        here = _id(module.id)
        yield from (f"  {inputs[w.name]} --> {here}" for w in module.inputs if w.module == PRIMARY and w.name in inputs)
        for source, names in _by_producer(module).items():
            changing = [crossing[edge] for name in names if (edge := Edge(name, source, module.id)) in crossing]
            notes = (note for handoff in changing for note in (direction(handoff, words), route(handoff)))
            label = _lines((", ".join(names), *dict.fromkeys(notes)))
            yield f'  {_id(source)} {"==>" if changing else "-->"}|"{label}"| {here}'
    for index, wire in enumerate(contract.final_outputs):
        source_id = inputs.get(wire.name) if wire.module == PRIMARY else _id(wire.module)
        if source_id:
            yield f"  {source_id} --> out{index}"


def _by_producer(module: Module) -> dict[int, list[str]]:
    """The values that a Module reads from other Modules, by the Module they come from."""
    found: dict[int, list[str]] = {}
    for wire in module.inputs:
        if wire.module != PRIMARY:
            found.setdefault(wire.module, []).append(wire.name)
    return found


def _label(value: Tensor) -> str:
    return mermaid(" ".join(filter(None, value)))


def _lines(texts: Iterable[str]) -> str:
    return "<br>".join(filter(None, map(mermaid, texts)))


def _id(module: int) -> str:
    """A Module's identifier in the chart, where a minus sign would begin an arrow."""
    return f"m{module}".replace("-", "n")
