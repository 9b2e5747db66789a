"""What the attributes of a Step hold: extents, scalars and names, in tuples of any depth; per axis the part of a store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from r0kit.golden.dims import Dim

ONE = Dim.of(1)


class Range(NamedTuple):
    """`start:stop:step` of an axis, bounds within its extent and step positive."""

    start: Dim
    stop: Dim
    step: Dim

    @property
    def extent(self) -> Dim:
        return self.stop - self.start if self.step == ONE else (self.stop - self.start).ceil_div(self.step)


class Point(NamedTuple):
    """One place of an axis, counted from 0; the axis disappears."""

    at: Dim


Part = Range | Point
Region = tuple[Part, ...]  # one part per axis of the tensor


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """The attribute with `change` of everything in it that is no tuple; Ranges and Points stay what they are."""
    if not isinstance(value, tuple):
        return change(value)
    items = [mapped(item, change) for item in value]
    return type(value)(*items) if isinstance(value, (Range, Point)) else tuple(items)


def symbols_of(value: Any) -> set[str]:
    """Symbols of every extent in an attribute."""
    if isinstance(value, Dim):
        return set(value.symbols)
    return set().union(*map(symbols_of, value)) if isinstance(value, (tuple, list)) else set()
