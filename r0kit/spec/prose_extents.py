"""What the prose of a SPEC says of extents: p0 cases (`- B=2, T=128`) and ranges (`- T: 1..4096`), or tables of them.

Each is read below a heading that speaks of it, and only from lines that say nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from r0kit.spec.model import Place
from r0kit.spec.node import Node
from r0kit.spec.table import Cell

# What headings say above cases, and above ranges.
_CASES = re.compile(r"\bp0\b|\btest (?:cases?|shapes?)\b|(?:测试|典型)(?:用例|形状|规模|shape)", re.I)
_RANGES = re.compile(
    r"\bdynamic ax[ei]s\b|\b(?:axis|axes|dimension|shape|symbol|extent)s? ranges?\b|^[#\s*_]*ranges?[\s*_:]*$"
    r"|动态轴|(?:轴|维度?|形状|shape|符号)的?(?:取值)?范围|^[#\s*_]*(?:取值)?范围[\s*_:：]*$",
    re.I,
)

_NUMBER = r"\d{1,18}"
_VALUE = re.compile(rf"{_NUMBER}|\[[\d\s,]*\]")
_BOUNDS = rf"[\[(]?\s*(?P<low>{_NUMBER})\s*(?:[,，~～…–-]|\.{{2,3}}|to|至|到)\s*(?P<high>{_NUMBER})\s*[\])]?"
_START = r"[\s>]*(?:[-*+]|\d{1,3}[.)、])?\s*"  # of a line: a quotation, an item of a list
_END = r"\s*(?:[(（][^()（）]*[)）])?\s*[.。;；]?\s*"  # a remark
_LABEL = r"(?:[^=:：\[\]]{1,40}[:：]\s*)?"  # `case 1:`
_ENTRY = rf"[^\W\d]\w*\s*[=:：]\s*(?:{_VALUE.pattern})"
_ENTRIES = rf"(?P<pairs>{_ENTRY}(?:\s*[,，;；、\s]\s*{_ENTRY})*)"
_CASE = re.compile(rf"{_START}{_LABEL}[({{（]?\s*{_ENTRIES}\s*[)}}）]?{_END}")
_PAIR = re.compile(rf"(?P<name>[^\W\d]\w*)\s*[=:：]\s*(?P<value>{_VALUE.pattern})")
_SYMBOL = r"(?P<name>[^\W\d]\w*)"
_BETWEEN = re.compile(rf"{_START}{_SYMBOL}\s*(?:[=:：∈]|in\b)\s*{_BOUNDS}{_END}", re.I)
_CHAIN = re.compile(rf"{_START}(?:(?P<low>{_NUMBER})\s*(?:<=|≤)\s*)?{_SYMBOL}\s*(?:<=|≤)\s*(?P<high>{_NUMBER}){_END}")
_RANGE = re.compile(_BOUNDS, re.I)

_NUMBERING = ("case", "no", "id", "index", "用例", "编号", "序号")  # columns that count the cases


def topic_of(heading: str) -> str:
    """What stands below a heading: "cases", "ranges", or something else, ""."""
    return "cases" if _CASES.search(heading) else "ranges" if _RANGES.search(heading) else ""


@dataclass(slots=True)
class Extents:
    """The cases and ranges found so far, as entries of the keys of front matter."""

    cases: list[Node] = field(default_factory=list)
    ranges: dict[str, Node] = field(default_factory=dict)
    unread: list[Place] = field(default_factory=list)  # lines with extents that are no case

    def entries(self) -> dict[str, Node]:
        """`p0_shapes` and `dynamic_axes_ranges`, each where something states it."""
        found = {}
        if self.cases:
            found["p0_shapes"] = Node(self.cases, self.cases[0].place)
        if self.ranges:
            found["dynamic_axes_ranges"] = Node(self.ranges, next(iter(self.ranges.values())).place)
        return found

    def add_line(self, topic: str, line: str, number: int) -> None:
        """What a line (its number from 1) below a heading on `topic` states, if it states just that."""
        plain = line.replace("`", " ").replace("**", "  ")
        if topic == "cases" and (case := _CASE.fullmatch(plain)):
            pairs = {
                m["name"]: _node(m["value"], number, m.start("value"))
                for m in _PAIR.finditer(plain, case.start("pairs"))
            }
            self.cases.append(Node(pairs, Place(number, case.start("pairs") + 1)))
        elif topic == "cases" and (pair := _PAIR.search(plain)):
            self.unread.append(Place(number, pair.start() + 1))
        elif topic == "ranges" and (bounds := _BETWEEN.fullmatch(plain) or _CHAIN.fullmatch(plain)):
            self._add_range(bounds["name"], bounds, Place(number, bounds.start("name") + 1))

    def add_row(self, topic: str, titles: Sequence[str], cells: Sequence[Cell]) -> None:
        """What a row of a table states: numbers below the names of symbols or inputs; or a symbol and its range."""
        written = [cell.text.replace("`", "").strip() for cell in cells]
        if topic == "cases":
            pairs = {
                title: _node(text, cell.place.line, cell.place.column - 1)
                for title, text, cell in zip(titles, written, cells, strict=False)
                if title.isidentifier() and title.lower() not in _NUMBERING and _VALUE.fullmatch(text)
            }
            self.cases += [Node(pairs, cells[0].place)] if pairs else []
        elif topic == "ranges":
            bounds = next(filter(None, map(_RANGE.fullmatch, written)), None)
            if bounds and written[0].isidentifier():
                self._add_range(written[0], bounds, cells[0].place)

    def _add_range(self, name: str, bounds: re.Match[str], place: Place) -> None:
        low, high = (Node(int(bounds[which] or 1), place, bounds[which] or "1") for which in ("low", "high"))
        self.ranges.setdefault(name, Node([low, high], place))


def _node(written: str, line: int, offset: int) -> Node:
    """A number, or a list of them, at this offset (from 0) of a line."""
    place = Place(line, offset + 1)
    if written.startswith("["):
        return Node([_node(part, line, offset) for part in re.findall(r"\d+", written)], place, written)
    return Node(int(written), place, written)
