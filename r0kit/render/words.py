"""The wording of section 0 in each language: sentences and labels, kept as data in templates/words/."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

from r0kit import resources
from r0kit.render.escape import MARKDOWN, Ink, Safe
from r0kit.render.phrases import Phrase, load_phrases, said_again


class Lang(str, Enum):
    """A language of section 0: Chinese in the words of the official template, or English."""

    ZH = "zh"
    EN = "en"


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """All labels and sentence patterns of one language, for one kind of document: there is one such object for each."""

    lang: Lang
    table: Mapping[str, Any]
    ink: Ink = MARKDOWN
    phrases: tuple[Phrase, ...] = ()

    def say(self, key: str, **values: Safe | int) -> Safe:
        """The sentence `key` with its places filled. The values are escaped already, which their type says."""
        return Safe(str(self.table[key]).format(**values))

    def columns(self, key: str) -> tuple[Safe, ...]:
        """The column titles `key` of a table."""
        return tuple(Safe(title) for title in self.table[key])

    def known(self, key: str) -> bool:
        """Whether this language has a sentence `key`."""
        return key in self.table

    def code(self, value: object) -> Safe:
        """`value` as inline code, or "not recorded" where there is none."""
        return self.mark(value) or self.say("not_recorded")

    def mark(self, value: object) -> Safe:
        """`value` as inline code; "" where there is none."""
        return self.ink.code(value)

    def prose(self, value: object) -> Safe:
        """`value` as running text; "" where there is none."""
        return self.ink.prose(value)

    def again(self, value: object) -> Safe | None:
        """A sentence that the draft wrote, in this language; None for any other text."""
        return said_again(value, self.phrases, self.mark, str(self.table["clauses"]))

    def listed(self, parts: list[Safe]) -> Safe:
        """Several things of one kind, as this language lists them."""
        return Safe(str(self.table["items"]).join(parts))

    def join(self, parts: list[Safe]) -> Safe:
        """Several names in one sentence, with this language's separator."""
        return Safe(str(self.table["separator"]).join(parts))


@cache
def load(lang: Lang, ink: Ink = MARKDOWN) -> Words:
    """The words of `lang` as a document of the kind `ink` writes them."""
    table = json.loads(resources.text("templates", f"words/{lang.value}.json"))
    phrases = tuple(phrase._replace(form=ink.pattern(phrase.form)) for phrase in load_phrases(lang.value))
    return Words(lang, {key: _inked(value, ink) for key, value in table.items()}, ink, phrases)


def _inked(value: Any, ink: Ink) -> Any:
    return [ink.pattern(title) for title in value] if isinstance(value, list) else ink.pattern(value)
