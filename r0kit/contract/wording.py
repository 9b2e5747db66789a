"""How findings call the parts and values of a contract. A value is named, never printed at length."""

from collections.abc import Iterable
from typing import Any

from r0kit.contract.path import Path

_LONGEST = 60  # characters of a text that a message repeats
_DEEPEST = 150  # characters of a path
_CANDIDATES = 100
_LONGEST_NAME = 80  # so long a name was hardly mistyped

# What an input method for Chinese, or a word processor, writes for the marks of ASCII.
_MARKS = str.maketrans(
    {chr(0xFEE0 + code): chr(code) for code in range(0x21, 0x7F)}
    | dict(zip("\u3000、。【】“”„‘’—\u2013\u2212", ' ,.[]"""\'\'---', strict=True))
)
_TOLD = {chr(mark): plain for mark, plain in _MARKS.items() if plain != " " and not plain.isalnum()}


def spell(path: Path) -> str:
    """`modules[1].inputs[0].source` for ("modules", 1, "inputs", 0, "source"); "the contract" for the root."""
    spelled = "".join(
        f".{step}" if isinstance(step, str) and step.isidentifier() else f"[{shown(step)}]" for step in path
    )
    spelled = spelled.removeprefix(".") or "the contract"
    return spelled if len(spelled) <= _DEEPEST else f"...{spelled[3 - _DEEPEST :]}"


def shown(value: Any) -> str:
    """A value as it can stand in a message: text in quotes, cut where it is long; collections by their kind alone."""
    if isinstance(value, str):
        return repr(_cut(value))
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a mapping"
    if value is None:
        return "empty"
    return str(value).lower() if isinstance(value, bool) else _cut(str(value))


def described(value: Any) -> str:
    """`shown`, with the kind of value: "the text 'no'", "the number 1.5", "a list"."""
    if isinstance(value, str):
        return f"the text {shown(value)}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"the number {shown(value)}"
    return shown(value)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def nearest(name: str, known: Iterable[Any], likeness: float = 0.6) -> str | None:
    """The name among the first hundred of `known` that `name` most likely stands for; capitals make no difference."""
    from difflib import get_close_matches  # costs more than a whole run without findings may

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
