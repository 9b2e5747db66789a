"""The Jinja templates of documents and drawings."""

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from r0kit import resources
from r0kit.render.words import Words


def environment(words: Words | None = None) -> Environment:
    """Templates lay out values that are safe where they stand already, so nothing is escaped here a second time."""
    templates = Environment(
        loader=FileSystemLoader(resources.folder("templates")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    if words is not None:
        templates.globals["say"] = words.say
    return templates
