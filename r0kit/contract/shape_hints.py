"""What to write instead of a shape that is none: loaded with the first of them."""

from re import compile as pattern
from re import search
from typing import Any

from r0kit.contract.likeness import in_ascii
from r0kit.contract.shape import MAX_LENGTH, Shape, read_dimensions
from r0kit.contract.wording import shown

_BETWEEN_WORDS = pattern(r"(?<=\w)\s+(?=\w)")

# What people write, and what the contract has for it.
_REMEDIES = (
    (r"\*\*", "write the product out: M*M"),
    (r"(?<!/)/(?!/)", "use // for division"),
    (r"\.", "a dimension is an integer: no fraction, attribute or ellipsis"),
    (r"\w\(", "functions are not known here; give the result a name of its own"),
)
_GENERAL = 'write a list such as "[M, N // 2, 8]": names, integers, + - * // and parentheses'
_UNSAID = ("todo", "fixme", "tbd", "tbc", "xxx", "placeholder", "changeme")


def shape_hint(value: Any, shape: Shape) -> str:
    """What to write instead of `value`, whose `shape` has a problem."""
    one = isinstance(value, list)
    whole = value[shape.dimension] if one else value
    if not isinstance(whole, str) or len(whole) > MAX_LENGTH:
        return _GENERAL
    return next((remedy for sign, remedy in _REMEDIES if search(sign, whole)), "") or _repaired(whole, one)


def _repaired(whole: str, one: bool) -> str:
    """The hint how to write what is nearly a shape, or one dimension of it; a general one where that cannot be told."""
    inner = in_ascii(whole).replace(";", ",").strip("[](){}<>, \t")
    for text in (inner, _BETWEEN_WORDS.sub(", ", inner)):
        if text.lower() not in _UNSAID and not read_dimensions(text)[1]:
            separate = f"write an entry each: {text}" if "," in text else f"write {shown(text)}"
            return separate if one else f"write {shown(f'[{text}]')}"
    return _GENERAL
