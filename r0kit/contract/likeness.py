"""What was meant by a name, or by the marks of an input method. Loaded with the first fault: `difflib` takes its time."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

_CANDIDATES = 100
_LONGEST_NAME = 80  # so long a name was hardly mistyped

# What an input method for Chinese, or a word processor, writes for the marks of ASCII.
_MARKS = str.maketrans(
    {chr(0xFEE0 + code): chr(code) for code in range(0x21, 0x7F)}
    | dict(zip("\u3000、。【】“”„‘’—\u2013\u2212", ' ,.[]"""\'\'---', strict=True))
)
_TOLD = {chr(mark): plain for mark, plain in _MARKS.items() if plain != " " and not plain.isalnum()}


def nearest(name: str, known: Iterable[Any], likeness: float = 0.6) -> str | None:
    """The name among the first hundred of `known` that `name` most likely stands for; capitals make no difference."""
    if len(name) > _LONGEST_NAME:
        return None
    candidates = [each for each, _ in zip(known, range(_CANDIDATES), strict=False) if isinstance(each, str)]
    folded = {each.casefold(): each for each in reversed(candidates) if len(each) <= _LONGEST_NAME}
    near = get_close_matches(name.casefold(), folded, n=1, cutoff=likeness)
    return folded[near[0]] if near else None


def in_ascii(text: str) -> str:
    """`text` with the ASCII marks and letters for the full-width ones that stand in it."""
    return text.translate(_MARKS)


def full_width(text: str) -> str:
    """The hint about the first full-width mark in `text`; "" where there is none."""
    return next((f"{mark} is a full-width mark: write {_TOLD[mark]}" for mark in text if mark in _TOLD), "")
