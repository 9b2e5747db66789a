"""What to write instead of a value of the wrong kind: loaded with the first of them."""

from math import isfinite
from re import compile as pattern
from typing import Any

from r0kit.contract.likeness import full_width, nearest
from r0kit.contract.path import Path
from r0kit.contract.wording import A_FLAG, A_LIST, A_NAME, A_TEXT, AN_INTEGER, described, shown, spell
from r0kit.finding import Fault

_FLAGS = ("true", "false")
_SHORT = 60  # characters of a text that a hint repeats
_WORD = pattern(r"\w+")


def wrong(path: Path, what: str, value: Any, example: str = "") -> Fault:
    """The fault of `value` at `path`, which must be `what`; example: how such an entry is written, @ for its name."""
    named = isinstance(value, str) and example and _WORD.fullmatch(value)
    hint = f"write {example.replace('@', value)}" if named else remedy(what, value)
    return Fault(path, f"{spell(path)} must be {what}, not {described(value)}", hint)


def remedy(what: str, value: Any) -> str:
    """What to write instead of `value`, which must be `what`."""
    if value is None:
        return "give it a value, or remove the key where it is optional"
    if what in (A_TEXT, A_NAME):
        return _text_remedy(what, value)
    if isinstance(value, str):
        return full_width(value) or _typed_remedy(what, value)
    if what == A_LIST and isinstance(value, dict):
        return "write a list: begin its entry with a dash, or put it in brackets: [{...}]"
    if what == A_FLAG and value in (0, 1):
        return f"write {'true' if value else 'false'}"
    return f"write {what}"


def _text_remedy(what: str, value: Any) -> str:
    if isinstance(value, bool):
        return "YAML reads yes, no, on and off as true and false; put the text in quotes"
    if isinstance(value, dict):
        return 'put text that contains ": " or begins with { in quotes'
    return "put it in quotes" if isinstance(value, int | float) else f"write {what}"


def _typed_remedy(what: str, text: str) -> str:
    """The remedy for a text where a number, a flag or a list must stand."""
    if what == AN_INTEGER and text.isdecimal():
        return f"remove the quotes: {text}"
    if what == A_FLAG and text in _FLAGS:
        return f"remove the quotes: {text}"
    if what == A_FLAG:
        return f"write {nearest(text, _FLAGS) or what}"
    text = text.strip()
    if what == A_LIST and len(text) <= _SHORT and text.isprintable() and '"' not in text:
        return f"write a list: [{text}]" if _WORD.fullmatch(text) else f'write a list: ["{text}"]'
    return f"write {what}"


def number_remedy(value: Any) -> str:
    """What to write instead of `value`, which must be a number."""
    text = value.replace(",", ".") if isinstance(value, str) else ""
    try:
        number = float(text)
    except ValueError:
        return "write a number such as 0.001"
    if not isfinite(number):
        return "write 0.001"
    if "," in value:
        return f"write it with a point: {number!r}"
    if "." in value or value.isdecimal():
        return f"remove the quotes: {value}"
    return f"YAML 1.1 reads {shown(value)} as text: write it with a point, {number!r}"
