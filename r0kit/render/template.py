"""The Jinja templates of documents and drawings."""

import re
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from r0kit import resources
from r0kit.render.words import Words

_TAG = re.compile(r"<[^>]*>")


@cache
def environment(words: Words | None = None) -> Environment:
    """Templates lay out values that are safe where they stand already, so nothing is escaped here a second time.

    Each is compiled once in a process.
    """
    templates = Environment(
        loader=FileSystemLoader(resources.folder("templates")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    templates.filters["untagged"] = untagged
    if words is not None:
        templates.globals["say"] = words.say
        templates.globals["say_columns"] = words.columns
    return templates


def untagged(safe: str) -> str:
    """Safe HTML without its elements, for an attribute. Values have no tags, and what is escaped in them stays so."""
    return _TAG.sub("", safe)
