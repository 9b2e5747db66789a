"""The wording of section 0 in each language: sentences and labels, kept as data in templates/words/."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from r0kit import resources
from r0kit.render.escape import Markdown, code


class Lang(str, Enum):
    """A language of section 0: Chinese in the words of the official template, or English."""

    ZH = "zh"
    EN = "en"


@dataclass(frozen=True, slots=True)
class Words:
    """All labels and sentence patterns of one language."""

    lang: Lang
    table: Mapping[str, Any]

    def say(self, key: str, **values: Markdown | int) -> Markdown:
        """The sentence `key` with its places filled. The values are escaped already, which their type says."""
        return Markdown(str(self.table[key]).format(**values))

    def columns(self, key: str) -> tuple[Markdown, ...]:
        """The column titles `key` of a table."""
        return tuple(Markdown(title) for title in self.table[key])

    def known(self, key: str) -> bool:
        """Whether this language has a sentence `key`."""
        return key in self.table

    def code(self, value: object) -> Markdown:
        """`value` as inline code, or "not recorded" where there is none."""
        return code(value) or self.say("not_recorded")

    def join(self, parts: list[Markdown]) -> Markdown:
        """Several names in one sentence, with this language's separator."""
        return Markdown(str(self.table["separator"]).join(parts))


def load(lang: Lang) -> Words:
    """The words of `lang`."""
    return Words(lang, json.loads(resources.text("templates", f"words/{lang.value}.json")))
