"""A loop whose body is read once for all trips: the symbols that stand for the trip and the tile, and what they decide."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain

from r0kit.golden.builder import Builder
from r0kit.golden.dims import Dim
from r0kit.golden.scalars import Constant, Extent, Parameter, Scalar, extents_of, fold, text
from r0kit.golden.values import ScalarValue, Value, extent


class Position(Enum):
    """Which trip the body is read for: the only one of a loop with one trip, or one of several."""

    ONLY = "only"
    FIRST = "first"
    MIDDLE = "middle"
    LAST = "last"


class Reach(Enum):
    """Which numbers of the body that are the tile's extent mean the tile.

    INNER: all of them, in loops in each other that share an extent the innermost loop's tile; OUTER: the outermost's;
    TURNS: those of one line the outermost's and then the next ones', as in `zeros(16, 16)`;
    BOUNDS: only those beside the number of a trip (`start + 64`), and the names that the loop itself counts with.
    """

    INNER = "inner"
    OUTER = "outer"
    TURNS = "turns"
    BOUNDS = "bounds"


_TRIPS = 5  # of a loop with any number of trips, where a condition is about the trip
_MOST_TRIPS = 1_000_000
_ENDS = 32  # trips at each end of a long loop for which a condition is looked at


@dataclass(slots=True)
class Trial:
    """trip: symbol of the trip, counted from 0; count: number of trips; position: the trip that conditions are about.

    tile, tile_symbol: an extent that the body uses, and the symbol that stands for it, so that the body can be read for
    a tile of any extent; None and "" without one. names: that the loop counts with; reach: what else means the tile;
    loose: how often a number was taken for the tile because it is as large; shared: whether one was for that of another
    loop too; turns: per line the columns of such numbers.
    asked: whether a condition depended on the trip; undecided: whether one holds in some trips at this position only;
    bounds: (chosen, other) pairs of `min(start + T, N)`, where the
    chosen one holds for every full tile.
    """

    builder: Builder
    trip: str
    count: Dim
    position: Position = Position.MIDDLE
    tile: Dim | None = None
    tile_symbol: str = ""
    names: frozenset[str] = frozenset()
    reach: Reach = Reach.INNER
    loose: int = 0
    shared: bool = False
    turns: dict[int, list[int]] = field(default_factory=dict)
    asked: bool = False
    undecided: bool = False
    bounds: list[tuple[Dim, Dim]] = field(default_factory=list)
    looked: set[int] = field(default_factory=set)

    @property
    def symbols(self) -> frozenset[str]:
        """Symbols that mean nothing outside of the loop."""
        return frozenset({self.trip, self.tile_symbol} - {""})

    def is_tile(self, value: Value) -> bool:
        """Whether a value is the tile's extent."""
        if self.tile is None or not isinstance(value, ScalarValue) or value.type is not int:
            return False
        return self._plain(value.scalar) == self.tile

    def _plain(self, scalar: Scalar) -> Dim | None:
        """An integer that is written, a parameter or an extent as a Dim; nothing is folded by asking."""
        if isinstance(scalar, Parameter):
            known = self.builder.parameters.get(scalar.name)
            return Dim.of(known) if type(known) is int else None
        return extent_of(scalar)

    def decide(self, scalar: Scalar) -> bool | None:
        """What a condition on the trip is at this position; None where it depends on no trip, or on more than that."""
        if self.trip not in extents_of(scalar):
            return None
        self.asked = True
        bindings = chain(self._bindings(), self._of_many_trips(scalar))
        answers = {self._at(scalar, numbers) for numbers in bindings}
        self.undecided |= answers not in ({True}, {False})
        return answers.pop() if len(answers) == 1 else None

    def bound(self, name: str, left: ScalarValue, right: ScalarValue) -> Value | None:
        """`min` or `max` of a tile's end and a bound: the one that holds for full tiles. None where no trip takes part."""
        a, b = (self.builder.dim_of(value.scalar) for value in (left, right))
        if a is None or b is None or self.trip not in a.symbols | b.symbols:
            return None
        numbers = dict.fromkeys(a.symbols | b.symbols, 1000) | {self.trip: 1}
        for symbol in self._tile_symbols():
            numbers[symbol] = 4
        smaller = a.evaluate(numbers) <= b.evaluate(numbers)
        chosen, other = (a, b) if smaller is (name == "min") else (b, a)
        self.bounds.append((chosen, other))
        return extent(chosen)

    def _tile_symbols(self) -> frozenset[str]:
        known = self.tile.symbols if self.tile is not None else frozenset[str]()
        return known | ({self.tile_symbol} if self.tile_symbol else set())

    def _bindings(self) -> Iterator[Mapping[str, int]]:
        """Numbers for every symbol, one mapping for each trip of this position."""
        size = (self.builder.known(self.tile) if self.tile is not None else None) or 1
        count = self.count.const
        trips = 1 if self.position is Position.ONLY else count or _TRIPS
        if count is not None and trips == 1:
            size *= count
        for place in self._places(trips):
            numbers = {**self.builder.case, self.trip: place}
            if self.tile_symbol:
                numbers[self.tile_symbol] = size
            yield numbers | self._whole(numbers, trips, size)

    def _of_many_trips(self, scalar: Scalar) -> Iterator[Mapping[str, int]]:
        """The same for as many trips as the first p0 case has; where none says it, for more than `scalar` counts to."""
        known = self.builder.known(self.count)
        if self.position not in (Position.MIDDLE, Position.LAST) or (known is not None and known < 3):
            return
        trips = known or min(max(_numbers_in(scalar), default=0) + _TRIPS, _MOST_TRIPS)
        whole = {} if known else self._whole(self.builder.case, trips, 1)
        if not known and not whole:
            return
        size = {self.tile_symbol: self.builder.known(self.tile) or 1} if self.tile is not None else {}
        numbers = self.builder.case | size | whole
        for place in _telling(
            self._places(trips), _numbers_in(scalar) | {numbers.get(name, 0) for name in extents_of(scalar)}
        ):
            yield numbers | {self.trip: place}

    def _places(self, trips: int) -> Sequence[int]:
        """The trips of this position, of so many in all."""
        if self.position is Position.MIDDLE:
            return range(1, max(trips - 1, 2))
        return (trips - 1,) if self.position is Position.LAST else (0,)

    def _whole(self, numbers: Mapping[str, int], trips: int, size: int) -> dict[str, int]:
        """The extent that gives the loop so many trips of tiles of `size`."""
        for symbol in self.count.symbols - self.symbols:
            for value in (trips * size, trips):
                if _evaluated(self.count, {**numbers, symbol: value}) == trips:
                    return {symbol: value}
        return {}

    def _at(self, scalar: Scalar, bindings: Mapping[str, int]) -> bool | None:
        try:
            return bool(fold(scalar, self.builder.parameters, bindings))
        except (KeyError, ArithmeticError, TypeError, ValueError):
            return None


def _numbers_in(scalar: Scalar) -> set[int]:
    """Integers that a condition is written with."""
    return {int(number) for number in re.findall(r"\d{1,9}", text(scalar))}


def _telling(places: Sequence[int], numbers: Collection[int]) -> Iterable[int]:
    """All places where they are few; of many the first, the last, and those that a condition may tell apart."""
    if len(places) <= 2 * _ENDS:
        return places
    pairs = [(a, b) for a in numbers for b in numbers]
    turns = {turn for a, b in pairs for turn in (a, a + b, a - b, a // b if b else a)}
    near = {turn + off for turn in turns for off in (-1, 0, 1)}
    return [*places[:_ENDS], *sorted(place for place in near if place in places), *places[-_ENDS:]]


def extent_of(scalar: Scalar) -> Dim | None:
    """An extent or a constant integer as a Dim."""
    if isinstance(scalar, Extent):
        return scalar.dim
    return Dim.of(scalar.value) if isinstance(scalar, Constant) and type(scalar.value) is int else None


def _evaluated(dim: Dim, numbers: Mapping[str, int]) -> int | None:
    try:
        return dim.evaluate(numbers)
    except (KeyError, ZeroDivisionError):
        return None


def of_value(trials: Sequence[Trial], node: ast.expr, value: Value) -> Value:
    """The symbol of a tile for a number of its extent, which stands at `node`."""
    matches = [trial for trial in reversed(trials) if trial.reach is not Reach.BOUNDS and trial.is_tile(value)]
    if not matches:
        return value
    for trial in matches:
        trial.loose += 1
        trial.shared |= len(matches) > 1
    return extent(matches[_chosen(matches, node)].tile_symbol)


def _chosen(matches: Sequence[Trial], node: ast.expr) -> int:
    """Which of the loops, the innermost first, whose tile has the extent of the number at `node`."""
    reach = matches[0].reach
    if reach is not Reach.TURNS:
        return -1 if reach is Reach.OUTER else 0
    line = matches[0].turns.setdefault(node.lineno, [])
    if node.col_offset not in line:
        line.append(node.col_offset)
    return max(len(matches) - 1 - line.index(node.col_offset), 0)


def of_name(trials: Sequence[Trial], node: ast.Name, value: Value) -> Value:
    """The symbol of a tile for a name of its extent: that of the loop that counts with this name, else of any."""
    for trial in reversed(trials):
        if node.id in trial.names and trial.is_tile(value):
            return extent(trial.tile_symbol)
    return of_value(trials, node, value)


def beside(trials: Sequence[Trial], value: Value, other: Value) -> Value | None:
    """The symbol of the tile of that loop whose trip is in `other`, where `value` is the tile's extent; else None.

    The number itself where nobody knows yet how large the tile of that loop is: reading this is to tell.
    """
    if not isinstance(other, ScalarValue):
        return None
    symbols = extents_of(other.scalar)
    owners = [trial for trial in reversed(trials) if trial.trip in symbols]
    known = next((extent(trial.tile_symbol) for trial in owners if trial.is_tile(value)), None)
    return value if known is None and any(trial.tile is None for trial in owners) else known


def decide(trials: Sequence[Trial], scalar: Scalar) -> bool | None:
    """What a condition on the trip of one of the loops around is there."""
    answers = (trial.decide(scalar) for trial in reversed(trials))
    return next((answer for answer in answers if answer is not None), None)


def bound(trials: Sequence[Trial], name: str, left: ScalarValue, right: ScalarValue) -> Value | None:
    """`min` or `max` where one side is the end of a tile of one of the loops around."""
    answers = (trial.bound(name, left, right) for trial in reversed(trials))
    return next((answer for answer in answers if answer is not None), None)
