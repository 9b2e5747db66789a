"""Section 0 as Markdown: a table of its subsections, each a Jinja template over what the contract says."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jinja2 import Environment

from r0kit.contract.model import Contract
from r0kit.render import basis, dataflow, later, reduction, tables, tiles
from r0kit.render.escape import Safe
from r0kit.render.tables import Context
from r0kit.render.template import environment
from r0kit.render.words import Words


@dataclass(frozen=True, slots=True)
class Block:
    """A subsection that r0kit keeps in step: `id` names its markers, template, and words; `context` fills it."""

    id: str
    context: Callable[[Contract, Words], Context]


# In the order of the official template. A new subsection is one row here, one template, and its words.
BLOCKS = (
    Block("dimensions", tables.dimensions),
    Block("wrapper", tables.wrapper),
    Block("basis", basis.basis),
    Block("modules", tables.modules),
    Block("reduction", reduction.reduction),
    Block("dataflow", dataflow.dataflow),
    Block("verification", tables.verification),
    Block("downstream", later.later),
)


TILES = Block("tiles", tiles.tiles)  # after "reduction", where there is a plan to show


def shown(contract: Contract) -> Iterator[Block]:
    """The subsections of a contract, in order."""
    for block in BLOCKS:
        yield block
        if block.id == "reduction" and tiles.attached(contract):
            yield TILES


def subsections(contract: Contract, words: Words) -> dict[str, Safe]:
    """Each subsection between its markers, by block id, without heading; lines end with \\n but for the last."""
    templates = environment(words)
    return {block.id: _marked(block, contract, words, templates) for block in shown(contract)}


def whole(contract: Contract, words: Words) -> Safe:
    """All of section 0 with its headings, as it stands in a DESIGN.md; ends with a line break."""
    blocks = [{"id": id_, "text": text} for id_, text in subsections(contract, words).items()]
    return _fill(environment(words), "section", {"blocks": blocks})


def design(contract: Contract, words: Words) -> Safe:
    """A new DESIGN.md: a title and section 0."""
    title = words.say("design.title", op=words.prose(contract.op))
    return _fill(environment(words), "design", {"title": title, "section": whole(contract, words)})


def _marked(block: Block, contract: Contract, words: Words, templates: Environment) -> Safe:
    body = _fill(templates, block.id, block.context(contract, words)).strip("\n")
    begin = f"<!-- r0kit:begin {block.id} lang={words.lang.value} ({words.say('generated')}) -->"
    return Safe(f"{begin}\n{body}\n<!-- r0kit:end {block.id} -->")


def _fill(templates: Environment, name: str, context: Context) -> Safe:
    return Safe(templates.get_template(f"section0/{name}.md.j2").render(context))
