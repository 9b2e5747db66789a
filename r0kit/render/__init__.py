"""Contract -> section 0 of DESIGN.md, in Chinese (the words of the official template) or English."""

from r0kit.contract.model import Contract
from r0kit.render import figure, machine, mermaid, page, section
from r0kit.render.escape import PLAIN
from r0kit.render.merge import update
from r0kit.render.supplement import NOTHING, Supplement
from r0kit.render.tiles import with_plan
from r0kit.render.words import Lang, load

__all__ = ["Lang", "as_json", "chart", "html", "markdown", "new_design", "svg", "update", "with_plan"]


def markdown(contract: Contract, lang: Lang) -> str:
    """Section 0 as Markdown, with the markers by which a DESIGN.md that it is pasted into stays in step."""
    return section.whole(contract, load(lang))


def chart(contract: Contract, lang: Lang) -> str:
    """The data flow between Modules as the source text of a Mermaid flowchart."""
    return mermaid.chart(contract, load(lang)) + "\n"


def new_design(contract: Contract, lang: Lang) -> str:
    """A DESIGN.md that holds a title and section 0."""
    return section.design(contract, load(lang))


def as_json(contract: Contract, lang: Lang) -> str:
    """The contract, its values resolved, and the lists that later rounds take from it, as JSON."""
    return machine.json_text(contract, load(lang, PLAIN))


def svg(contract: Contract, lang: Lang) -> str:
    """The swimlane of the Modules as an SVG file: cube lane, vector lane, and the values between them."""
    return figure.svg(contract, load(lang, PLAIN))


def html(contract: Contract, lang: Lang, supplement: Supplement = NOTHING) -> str:
    """One self-contained HTML page: swimlane, a card per Module, lists for later rounds, and what `supplement` adds."""
    return page.page(contract, lang, supplement)
