"""SPEC.md -> its front matter, its fenced blocks and its prose, each with line numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*([^`]*)$")
_KEY = re.compile(r"[A-Za-z_]\w*[ \t]*:(?:[ \t]|$)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of text; `line` is the number of the first one. info: what follows the opening fence. closed: its end is there."""

    line: int
    text: str
    info: str = ""
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Document:
    """A Markdown file in its parts. prose: the file with everything else blanked out, so that lines keep their numbers.

    unclosed: the file begins like front matter that never ends.
    """

    front_matter: Block | None
    fences: tuple[Block, ...]
    prose: tuple[str, ...]
    unclosed: bool = False


def split(text: str) -> Document:
    """The parts of a Markdown file with "\\n" line ends."""
    lines = text.split("\n")
    front = _front_matter(lines)
    prose = list(lines)
    if front is not None:
        end = front.line + front.text.count("\n") + (1 if front.text else 0)
        prose[:end] = [""] * end
    fences = _fences(prose)
    for block in fences:
        size = block.text.count("\n") + 1 if block.text else 0
        first, last = block.line - 2, block.line - 1 + size
        prose[first : last + 1] = [""] * len(prose[first : last + 1])
    unclosed = front is None and lines[0].rstrip() == "---" and _begins_front_matter(lines)
    return Document(front, fences, tuple(_without_comments(prose)), unclosed)


def _begins_front_matter(lines: list[str]) -> bool:
    """Whether the first line after `---` that says anything is a key with its colon."""
    said = next((line for line in lines[1:] if line.strip()), "")
    return _KEY.match(said) is not None


def _front_matter(lines: list[str]) -> Block | None:
    """Between a first line `---` and the next `---` (or `...`); without the second, no front matter but a rule."""
    if not lines or lines[0].rstrip() != "---":
        return None
    for index, line in enumerate(lines[1:], start=1):
        if line.rstrip() in ("---", "..."):
            return Block(2, "\n".join(lines[1:index]))
    return None


def _fences(lines: list[str]) -> tuple[Block, ...]:
    blocks: list[Block] = []
    opened: tuple[int, str, str] | None = None  # index, fence, info
    for index, line in enumerate(lines):
        match = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if match is None:
            continue
        fence, info = match.groups()
        if opened is None:
            opened = index, fence, info.strip()
        elif fence.startswith(opened[1]) and not info.strip():
            blocks.append(_block(lines, opened, index, closed=True))
            opened = None
    if opened is not None:
        blocks.append(_block(lines, opened, len(lines), closed=False))
    return tuple(blocks)


def _block(lines: list[str], opened: tuple[int, str, str], end: int, closed: bool) -> Block:
    index, _, info = opened
    return Block(index + 2, "\n".join(lines[index + 1 : end]), info, closed)


def _without_comments(lines: list[str]) -> list[str]:
    text = "\n".join(lines)
    if "<!--" not in text:
        return lines
    return _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text).split("\n")
