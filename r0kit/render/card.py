"""One Module as a card of the page."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from r0kit.contract.model import NOTHING, PRIMARY, Contract, Module, Tensor
from r0kit.render import basis, dataflow, reduction
from r0kit.render.escape import Safe, html_source
from r0kit.render.flow import FINAL, SECTIONS
from r0kit.render.page_index import Index
from r0kit.render.record import pick, section
from r0kit.render.supplement import Source, Supplement
from r0kit.render.tables import Cells
from r0kit.render.words import Words

LONGEST = 400  # characters of a golden's line that are shown


class Listed(NamedTuple):
    """A line of the golden, or several that are left out between two others (number 0)."""

    number: int
    text: Safe


def card(position: int, contract: Contract, index: Index, supplement: Supplement, words: Words) -> Mapping[str, Any]:
    """All that the page says of the Module at `position`, counted from 1."""
    module = contract.modules[position - 1]
    return {
        "position": position,
        "kind": module.section if module.section in SECTIONS else "unknown",
        "section": section(module.section, words),
        "number": words.say("module", id=module.id),
        "name": words.prose(module.name),
        "description": words.prose(module.description),
        "reasons": basis.reasons(module, index.sections, words),
        "inputs": [_input(wire.name, wire.module, index, words) for wire in module.inputs],
        "outputs": [_output(value, module, index, words) for value in module.outputs],
        "steps": [words.mark(step) for step in module.golden_steps],
        "lines": list(_listing(module, supplement.golden, words)),
        "golden": words.prose(supplement.golden.name) if supplement.golden else "",
        "facts": list(_facts(module, index, words)),
        "states": [reduction.state_row(module, state.record, words)[1:] for state in index.states.get(module.id, ())],
        "handoffs": [dataflow.handoff_row(handoff, words) for handoff in index.handoffs.get(module.id, ())],
        "failed": _failed(module, supplement, words),
        "tiles": index.tiles.get(module.id, ()),
    }


def _input(name: str, source: int, index: Index, words: Words) -> Cells:
    value = index.made.get((name, source), Tensor(name))
    return words.mark(name), _kind(value, words), _link(source, index, words)


def _output(value: Tensor, module: Module, index: Index, words: Words) -> Cells:
    readers = [_link(reader, index, words) for reader in index.readers.get((value.name, module.id), ())]
    return words.mark(value.name), _kind(value, words), words.join(readers) or words.say("dataflow.unused")


def _kind(value: Tensor, words: Words) -> Safe:
    return Safe(" ".join(filter(None, (words.mark(value.shape), words.prose(value.dtype))))) or words.say(
        "not_recorded"
    )


def _link(number: int, index: Index, words: Words) -> Safe:
    """A Module as a link to its card; primary inputs and the caller have none."""
    if number in (PRIMARY, FINAL):
        return words.say("primary" if number == PRIMARY else "final")
    name, position = words.say("module", id=number), index.positions.get(number)
    return Safe(f'<a href="#module-{position}">{name}</a>') if position else name


def _listing(module: Module, golden: Source | None, words: Words) -> Iterator[Listed]:
    """The golden's lines that the Module computes, with a mark where lines are left out between them."""
    lines = golden.lines if golden else ()
    shown = {n: _cut(lines[n - 1].expandtabs(4)) for n in sorted(set(module.source_lines)) if 0 < n <= len(lines)}
    indent = min((len(line) - len(line.lstrip(" ")) for line in shown.values() if line.strip()), default=0)
    last = 0
    for number, line in shown.items():
        if last and number > last + 1:
            yield Listed(0, words.prose("⋯"))
        yield Listed(number, html_source(line[indent:]))
        last = number


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


def _facts(module: Module, index: Index, words: Words) -> Iterator[tuple[Safe, Safe]]:
    """The traversal, and the capacity of every reduction axis that it runs over."""
    record = module.traversal or NOTHING
    axes, reduces, algorithm = (pick(record, key) for key in ("axes", "reduces", "algorithm"))
    yield words.say("page.axes"), words.code(axes)
    yield words.say("page.reduces"), words.mark(reduces) or words.say("none" if record else "not_recorded")
    if reduces or algorithm:
        yield words.say("page.algorithm"), reduction.algorithm(algorithm, words)
    for found in index.axes.get(module.id, ()):
        yield words.say("page.axis"), found.conclusion["exceeds"]
        if pick(found.axis, "scheme"):
            yield words.say("page.scheme"), found.conclusion["scheme"]
        if pick(found.entry, "range"):
            yield words.say("page.range"), words.code(pick(found.entry, "range"))


def _failed(module: Module, supplement: Supplement, words: Words) -> Safe:
    proof = supplement.proof
    if proof is None or proof.module != module.id:
        return Safe("")
    return words.say("page.first_off", summary=words.prose(proof.summary))
