"""Section 0 brought up to date inside a DESIGN.md that people write in.

Only what lies between r0kit's markers, and official placeholders that nobody has filled in, is replaced; what is missing
is added; every other line stays, byte for byte.
"""

import re
from dataclasses import dataclass

from r0kit.contract.model import Contract
from r0kit.finding import Finding, InputError, Location, Severity
from r0kit.render import placeholder, section
from r0kit.render.document import Heading, Outline, Span, bare, outline
from r0kit.render.words import Lang, Words, load

_SECTION_0 = re.compile(r"§\s*0(?!\.?\d).*|(?:0\s*[.、]?\s*)?(?:Module|Phase)\s*(?:划分|partition).*", re.IGNORECASE)
_LATER_SECTION = re.compile(r"§\s*[1-9].*")
_RULER = re.compile(r"(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,}")

# Titles under which older official templates have a subsection, beside those in templates/words/.
_OLDER_TITLES = {
    "wrapper": ("Wrapper 操作清单",),
    "modules": ("Phase 列表",),
    "dataflow": ("Phase 级数据流",),
}


@dataclass(frozen=True, slots=True)
class _Edit:
    """Replace the lines of `span` with `text`; an empty span inserts, set off by blank lines."""

    span: Span
    text: str


def update(text: str, contract: Contract, lang: Lang | None, path: str) -> str:
    """The DESIGN.md `text` with its section 0 as `contract` says; the same text when it says so already.

    `lang` None keeps the language of the markers in `text`. Raises InputError (rule `render.markers` or
    `render.section`) when the place of section 0 cannot be told; `path` is for the finding.
    """
    found = outline(text, path)
    words = load(lang or Lang(found.lang or Lang.ZH))
    if not bare(text):
        return _as_in(found, section.design(contract, words))
    return _apply(found, _edits(found, contract, words, path))


def _edits(found: Outline, contract: Contract, words: Words, path: str) -> list[_Edit]:
    home = _home(found, path)
    if home is None:
        return [_Edit(_place_of_section(found), section.whole(contract, words).rstrip("\n"))]
    texts = section.subsections(contract, words)
    edits = [_Edit(found.blocks[block], texts[block]) for block in found.blocks if block in texts]
    place = _first_place(found, home)
    for block, text in texts.items():
        if block in found.blocks:
            place = _after(found, found.blocks[block], home, place)
            continue
        heading = _subsection(found, home, block)
        if heading is None:
            edits.append(_Edit(place, f"### {words.say(f'{block}.heading')}\n\n{text}"))
        else:
            extent = found.extent(heading)
            edits += _fill(found, extent, text)
            place = _end(found, extent)
    return edits


def _fill(found: Outline, extent: Span, text: str) -> list[_Edit]:
    """Put `text` in the place of the first placeholder and drop the others; with none, add it below what is there."""
    spans = [span for span in placeholder.untouched(found.lines, extent) if not _marked(found, span)]
    if not spans:
        return [_Edit(_end(found, extent), text)]
    return [_Edit(spans[0], text), *(_Edit(span, "") for span in spans[1:])]


def _marked(found: Outline, span: Span) -> bool:
    return any(span.start < block.stop and block.start < span.stop for block in found.blocks.values())


def _home(found: Outline, path: str) -> Span | None:
    """The lines of section 0: below its heading, or around the markers when someone renamed it."""
    candidates = [heading for heading in found.headings if heading.level == 2 and _SECTION_0.fullmatch(heading.title)]
    if found.blocks:
        return _around(found, min(span.start for span in found.blocks.values()))
    if len(candidates) > 1:
        raise InputError([_two_sections(heading, path) for heading in candidates[1:]])
    return found.extent(candidates[0]) if candidates else None


def _around(found: Outline, line: int) -> Span:
    above = [heading for heading in found.headings if heading.line < line and heading.level <= 2]
    return found.extent(above[-1]) if above else Span(0, len(found.lines))


def _subsection(found: Outline, home: Span, block: str) -> Heading | None:
    titles = {str(load(lang).say(f"{block}.heading")) for lang in Lang}.union(_OLDER_TITLES.get(block, ()))
    inside = (heading for heading in found.headings if home.start <= heading.line < home.stop)
    return next((heading for heading in inside if heading.title in titles), None)


def _first_place(found: Outline, home: Span) -> Span:
    """Where a first subsection goes: below the introduction of section 0."""
    inside = [heading.line for heading in found.headings if home.start <= heading.line < home.stop]
    starts = inside + [span.start for span in found.blocks.values() if home.start <= span.start < home.stop]
    return Span(min(starts), min(starts)) if starts else _end(found, home)


def _after(found: Outline, block: Span, home: Span, place: Span) -> Span:
    """Where the next subsection goes: behind the one that holds `block`, or at `place` when someone moved that away."""
    if not home.start <= block.start < home.stop:
        return place
    following = (heading.line for heading in found.headings if block.stop <= heading.line < home.stop)
    return _end(found, Span(block.stop, next(following, home.stop)))


def _end(found: Outline, extent: Span) -> Span:
    """The empty span behind the last line of `extent` that is neither blank nor a horizontal rule."""
    stop = extent.stop
    while stop > extent.start and (not bare(found.lines[stop - 1]) or _RULER.fullmatch(bare(found.lines[stop - 1]))):
        stop -= 1
    return Span(stop, stop)


def _place_of_section(found: Outline) -> Span:
    """Where a whole section 0 goes: before section 1, else before the first section, else at the end."""
    sections = [heading for heading in found.headings if heading.level == 2]
    later = [heading for heading in sections if _LATER_SECTION.fullmatch(heading.title)]
    line = next((heading.line for heading in later + sections), len(found.lines))
    return Span(line, line)


def _apply(found: Outline, edits: list[_Edit]) -> str:
    done: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.stop)):
        done += found.lines[position : edit.span.start]
        position = edit.span.stop
        if edit.span.start == edit.span.stop:
            _insert(done, edit, found)
        elif edit.text:
            last = found.lines[position - 1]
            done.append(_as_in(found, edit.text) + (found.ending if last.endswith("\n") else ""))
        else:
            position = _drop(done, position, found)
    return "".join(done) + "".join(found.lines[position:])


def _insert(done: list[str], edit: _Edit, found: Outline) -> None:
    """Append the text of `edit` to the lines `done`, with a blank line on either side where there is none."""
    if done and not done[-1].endswith("\n"):
        done[-1] += found.ending
    if done and bare(done[-1]):
        done.append(found.ending)
    done.append(_as_in(found, edit.text) + found.ending)
    if edit.span.stop < len(found.lines) and bare(found.lines[edit.span.stop]):
        done.append(found.ending)


def _drop(done: list[str], position: int, found: Outline) -> int:
    """The line to go on with after a dropped span: without the blank lines that would follow another blank line."""
    while done and not bare(done[-1]) and position < len(found.lines) and not bare(found.lines[position]):
        position += 1
    return position


def _as_in(found: Outline, text: str) -> str:
    return text.replace("\n", found.ending)


def _two_sections(heading: Heading, path: str) -> Finding:
    message = f"second section 0, {heading.title!r}; nothing was written"
    hint = "keep one of the two, then run `r0kit render --in-place` again"
    return Finding("render.section", Severity.ERROR, message, Location(path, heading.line + 1, 1), hint)
