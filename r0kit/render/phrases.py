"""What the draft says in English inside a contract, said again in the language of section 0.

templates/words/phrases.json holds each sentence as the draft writes it, with its places in braces, and its translations.
A sentence that a person wrote matches none of them and stays as it is.
"""

import json
import re
from collections.abc import Callable
from typing import NamedTuple

from r0kit import resources
from r0kit.render.escape import Safe

_PLACE = re.compile(r"\\\{(\w+)\\\}")
_CLAUSES = "; "
_LONGEST = 1000  # characters: what is longer is no sentence of the draft, and may be made to match slowly

Mark = Callable[[object], Safe]


class Phrase(NamedTuple):
    """A sentence of the draft as a pattern, and its form in one language."""

    pattern: re.Pattern[str]
    form: str


def load_phrases(lang: str) -> tuple[Phrase, ...]:
    """All sentences; in a language that a sentence is not translated into, it keeps its own."""
    table: dict[str, dict[str, str]] = json.loads(resources.text("templates", "words/phrases.json"))
    return tuple(Phrase(_pattern(text), forms.get(lang, text)) for text, forms in table.items())


def said_again(value: object, phrases: tuple[Phrase, ...], mark: Mark, separator: str) -> Safe | None:
    """The text clause by clause in the language of `phrases`; None where any clause is none of them.

    mark: how what stands in the places of a sentence is written.
    """
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    clauses = [_clause(clause, phrases, mark) for clause in value.split(_CLAUSES)]
    known = [clause for clause in clauses if clause is not None]
    return Safe(separator.join(known)) if len(known) == len(clauses) else None


def _clause(text: str, phrases: tuple[Phrase, ...], mark: Mark) -> Safe | None:
    for phrase in phrases:
        found = phrase.pattern.fullmatch(text)
        if found:
            return Safe(phrase.form.format(**{name: mark(value) for name, value in found.groupdict().items()}))
    return None


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(_PLACE.sub(r"(?P<\1>[^;]+?)", re.escape(text)))
