"""Kernels that somebody is in the middle of editing: whatever stands there, reading and rewriting end with a report."""

import random
import re

import pytest

from r0kit.finding import InputError
from r0kit.lint import PITFALLS, lint_text
from r0kit.lint.fix import fixed_text

_TOKEN = re.compile(r"[A-Za-z_][\w.]*|\d+(?:\.\d+)?|[^\s\w]")
_TEXTS = [text for rule in PITFALLS for text in (rule.good, rule.bad)]
_TOKENS = sorted({token for text in _TEXTS for token in _TOKEN.findall(text)})
_STRANGE = ["", "None", "-1", "()", "[:]", "...", "*x", "lambda: x", "x if x else y", "True", "'x'", "{}", "1e400"]


def mutated(draw: random.Random) -> str:
    """One of the examples with up to three of its tokens replaced, doubled or left out."""
    text = draw.choice(_TEXTS)
    for _ in range(draw.randint(1, 3)):
        start, end = draw.choice([match.span() for match in _TOKEN.finditer(text)] or [(0, 0)])
        new = draw.choice([draw.choice(_TOKENS), draw.choice(_STRANGE), text[start:end] * 2])
        text = text[:start] + new + text[end:]
    return text


@pytest.mark.parametrize("seed", range(4))
def test_nothing_raises_and_places_are_in_the_file(seed: int, long_mode: bool) -> None:
    draw = random.Random(seed)
    for _ in range(10_000 if long_mode else 100):
        text = mutated(draw)
        lines = text.split("\n")
        for finding in lint_text(text, version=draw.choice([None, "0.1", "0.2.0"])).findings:
            place = finding.location
            assert 0 < place.line <= len(lines) and 0 < place.column <= len(lines[place.line - 1]) + 1, text
        try:
            fixed = fixed_text(text)
        except InputError:
            continue
        assert fixed_text(fixed.text).edits == 0, text
