"""The swimlane as SVG: alone in a file, or inside a page whose cards its Modules lead to."""

from r0kit import resources
from r0kit.contract.model import Contract
from r0kit.render.dataflow import listing
from r0kit.render.escape import HTML
from r0kit.render.swimlane import drawing
from r0kit.render.template import environment
from r0kit.render.words import Words


def style() -> str:
    """The rules that colour a swimlane, on light and on dark pages."""
    return resources.text("templates", "figure/swimlane.css")


def svg(contract: Contract, words: Words) -> str:
    """A file of its own. words: plain ones."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + inline(contract, words, linked=False)


def inline(contract: Contract, words: Words, linked: bool) -> str:
    """The element alone. words: plain ones; linked: Modules lead to the cards of a page, whose style it then takes."""
    text = f"{words.say('figure.description')}\n{listing(contract, words)}"
    labels = [words.say("module", id=module.id) + f" {module.name}" for module in contract.modules]
    return (
        environment()
        .get_template("figure/swimlane.svg.j2")
        .render(
            d=drawing(contract, words),
            title=HTML.prose(words.say("figure.title", op=words.prose(contract.op))),
            description="\n".join(map(HTML.prose, text.split("\n"))),
            labels=[HTML.prose(label) for label in labels],
            style="" if linked else style(),
            linked=linked,
            lang=words.lang.value,
            ink=HTML.prose,
        )
    )
