"""The order of keys: that in which `r0kit gen` writes a contract and its Modules."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain
from re import compile as pattern
from typing import NamedTuple

from r0kit.contract.blocks import Block, blocks
from r0kit.contract.path import Path
from r0kit.contract.wording import spell

CONTRACT = (
    *("schema_version", "op", "module_count", "has_cross_core", "is_fusion", "params", "symbols", "primary_inputs"),
    *("modules", "final_outputs", "composition_verification", "reduction", "dimensions", "wrapper"),
)
MODULE = (
    *("id", "name", "description", "section", "golden_steps", "inputs", "outputs", "golden_stage_fn", "source_lines"),
    *("boundary", "traversal", "handoff", "api"),
)

_MOST = 200  # mappings that are tried one by one
_LINE_END = pattern("\r\n|[\r\n\x85\u2028\u2029]")  # as YAML has them


def ordered(text: str, holds: Callable[[str], bool]) -> tuple[str, tuple[str, ...]]:
    """`text` with the keys of the contract and of each Module in order, and which mappings have changed, in words.

    holds: whether a changed text still says the same; where it does not, the keys stay as they are.
    """
    told: list[str] = []
    for order in (MODULE, CONTRACT):
        text, paths = _in_order(text, order, holds)
        told = [*(f"order of keys in {spell(path)}" for path in paths), *told]
    return text, tuple(told)


def _in_order(text: str, order: Sequence[str], holds: Callable[[str], bool]) -> tuple[str, list[Path]]:
    """`text` with the mappings of this order arranged: all of them, or else those after which it still says the same."""
    layout = _Layout(text)
    found = [block for block in blocks(layout.plain) if _order_of(block.path) is order]
    moved = {block.path: new for block in found if (new := _arranged(layout, block, order)) is not None}
    whole = layout.with_parts(moved.values())
    if holds(whole):
        return whole, list(moved)
    kept: dict[Path, _Moved] = {}
    for path, new in list(moved.items())[:_MOST]:
        if holds(layout.with_parts((*kept.values(), new))):
            kept[path] = new
    return layout.with_parts(kept.values()), list(kept)


class _Moved(NamedTuple):
    """Lines that stand instead of as many of a text, from its line `first` on."""

    first: int
    new: list[str]


class _Layout:
    """A text as lines and their ends; plain: with line ends of one character; starts: offsets of the lines in it.

    Line ends stay in their places when lines move, so that a last line without one is followed by none either.
    """

    def __init__(self, text: str) -> None:
        self.lines = _LINE_END.split(text)
        self.plain = text.replace("\r\n", "\n")
        self.starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))
        self._ends = [*_LINE_END.findall(text), ""]

    def line_of(self, offset: int) -> int:
        """The line (from 0) of an offset in `plain`."""
        return bisect_right(self.starts, offset) - 1

    def with_parts(self, moved: Iterable[_Moved]) -> str:
        """The text with some of its lines replaced."""
        lines = list(self.lines)
        for each in moved:
            lines[each.first : each.first + len(each.new)] = each.new
        return "".join(chain.from_iterable(zip(lines, self._ends, strict=True)))


def _order_of(path: Path) -> tuple[str, ...]:
    """The order of the keys of the mapping at `path`; none where any order is right."""
    if not path:
        return CONTRACT
    return MODULE if len(path) == 2 and path[0] == "modules" else ()


class _Part(NamedTuple):
    """What belongs to a key: comments above it, and the lines from its own column to the next part."""

    above: list[str]
    body: list[str]


def _arranged(layout: _Layout, block: Block, order: Sequence[str]) -> _Moved | None:
    """The keys of one mapping in order, unknown ones behind those that they follow; None where they stay as they are."""
    names = [name for name, _ in block.keys]
    sequence = _sequence(names, order)
    if len(set(names)) < len(names) or sequence == list(range(len(names))):
        return None
    at = [layout.line_of(offset) for _, offset in block.keys]
    second = layout.lines[at[1]]
    column = len(second) - len(second.lstrip())  # of all the keys; the first may stand behind a dash
    last = layout.line_of(len(layout.plain[: block.end].rstrip())) + 1
    parts = _parts(layout.lines, at, column, last)
    return _Moved(at[0], list(_joined([parts[index] for index in sequence], layout.lines[at[0]][:column])))


def _sequence(names: Sequence[str], order: Sequence[str]) -> list[int]:
    """Positions of `names` in the order of `order`."""
    ranks, rank = [], 0
    for name in names:
        rank = order.index(name) if name in order else rank
        ranks.append(rank)
    return sorted(range(len(names)), key=ranks.__getitem__)


def _parts(lines: Sequence[str], at: Sequence[int], column: int, last: int) -> list[_Part]:
    """What belongs to each of the keys that stand in the lines `at`; `last` is the line behind them all."""
    heads = [*at[:1], *(_head(lines, line, column) for line in at[1:]), last]
    return [
        _Part(list(lines[head:line]), [lines[line][column:], *lines[line + 1 : following]])
        for head, line, following in zip(heads, at, heads[1:], strict=False)
    ]


def _head(lines: Sequence[str], line: int, column: int) -> int:
    """First line of the comments that stand right above the key in `line`, in its column."""
    while lines[line - 1].startswith(f"{' ' * column}#"):
        line -= 1
    return line


def _joined(parts: Iterable[_Part], before: str) -> Iterator[str]:
    """The lines of the parts one below the other, the first key behind what stood before a first key."""
    for index, (above, (key, *others)) in enumerate(parts):
        yield from (*above, f"{' ' * len(before) if index else before}{key}", *others)
