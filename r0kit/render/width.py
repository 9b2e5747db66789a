"""How wide a text is when drawn, from tables: upper estimates of the common fonts, so that what is said to fit does.

Sans: DejaVu Sans, the widest of those that browsers fall back to, per character class in em. Mono: 0.62 em each. Wide
characters (Chinese, full-width forms, most symbols and emoji) take 1 em in both; combining marks take nothing.
"""

from unicodedata import combining, east_asian_width

MONO = 0.62
_SANS = {char: width for chars, width in (
    ("iljI|'.,:;! ", 0.36), ("ftr()[]/\\\"-", 0.46), ("mwMW@%", 1.0), ("—…→←", 1.02)
) for char in chars}  # fmt: skip
_SANS_UPPER, _SANS_LOWER, _BOLD = 0.74, 0.64, 1.1
ELLIPSIS = "…"


def width(text: str, size: float, mono: bool = True, bold: bool = False) -> float:
    """Width of `text` in pixels at a font size of `size` pixels."""
    ems = sum(_em(char, mono) for char in text)
    return ems * size * (_BOLD if bold and not mono else 1)


def fitted(text: str, room: float, size: float, mono: bool = True, bold: bool = False) -> str:
    """`text`, cut with an ellipsis where it is wider than `room` pixels."""
    if width(text, size, mono, bold) <= room:
        return text
    left = room - width(ELLIPSIS, size, mono, bold)
    kept = 0
    for kept, char in enumerate(text):  # noqa: B007
        left -= width(char, size, mono, bold)
        if left < 0:
            break
    return text[:kept].rstrip() + ELLIPSIS


def wrapped(text: str, room: float, size: float, most: int) -> list[str]:
    """`text` in at most `most` lines of `room` pixels of running text; the last one is cut where there is more."""
    lines: list[str] = []
    rest = text
    while rest and len(lines) < most - 1:
        head = _head(rest, room, size)
        lines.append(rest[:head].rstrip())
        rest = rest[head:].lstrip()
    return [*lines, fitted(rest, room, size, mono=False)] if rest else lines


def _head(text: str, room: float, size: float) -> int:
    """How many characters of `text` go into one line: up to a space, or between wide characters, or as many as fit."""
    best = used = 0
    for index, char in enumerate(text):
        room -= width(char, size, mono=False)
        if room < 0:
            return best or used or 1
        used = index + 1
        if char == " " or _is_wide(char) or _is_wide(text[index + 1 : index + 2]):
            best = used
    return len(text)


def _em(char: str, mono: bool) -> float:
    if char.isascii():
        return MONO if mono else _SANS.get(char, _SANS_UPPER if char.isupper() or char in "&~#$=+<>" else _SANS_LOWER)
    if combining(char):
        return 0.0
    if mono and char in "—…→←":
        return 1.02
    return 1.05 if _is_wide(char) else _SANS.get(char, 1.0)


def _is_wide(char: str) -> bool:
    return bool(char) and not char.isascii() and east_asian_width(char) in "WF"
