"""Shapes of a drawing, in pixels from its upper left corner. Texts are as the contract has them."""

from typing import NamedTuple


class Lane(NamedTuple):
    """A band from top to bottom with a title, centred at `middle`."""

    x: int
    y: int
    width: int
    height: int
    kind: str
    title: str
    middle: int


class Box(NamedTuple):
    """A Module. position: its place in the contract."""

    x: int
    y: int
    width: int
    height: int
    kind: str
    position: int


class Pill(NamedTuple):
    """A value outside the Modules; kind: input or output."""

    x: int
    y: int
    width: int
    height: int
    kind: str


class Line(NamedTuple):
    """A path. kind: value, handoff, or loose (a value that nobody gives or reads)."""

    path: str
    kind: str
    arrow: bool


class Text(NamedTuple):
    """A line of text whose base line begins, ends, or has its middle at the point. whole: what it was cut from."""

    x: int
    y: int
    anchor: str
    style: str
    text: str
    whole: str


class Drawing(NamedTuple):
    """All of it; later shapes lie above earlier ones."""

    width: int
    height: int
    lanes: tuple[Lane, ...]
    boxes: tuple[Box, ...]
    pills: tuple[Pill, ...]
    lines: tuple[Line, ...]
    dots: tuple[tuple[int, int, str], ...]
    texts: tuple[Text, ...]
