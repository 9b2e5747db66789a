"""Small shapes that show what p0 cases hide: extents of 1, odd ones, and more than two tiles with a tail.

Derived from SPEC's `dynamic_axes_ranges`, within them, and within what SPEC's constraints and the golden require. Kept
small, because they are run for every operator of a repository.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

ODD = (3, 5, 7, 11, 13, 17, 19, 23)  # distinct, so that swapped axes do not fit by chance; none a multiple of 16
TWO_TILES_AND_A_TAIL = (131, 67, 35)  # 2 * 64 + 3, 2 * 32 + 3, 2 * 16 + 3: the largest that the budget allows
MOST_CASES = 6
MOST_ELEMENTS = 1 << 22  # product of all extents of a case: no value of a golden is much larger
_SEARCHED = 40  # extents tried upwards from the wanted one until the constraints hold

_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}

Range = tuple[int, int]


def derived_bindings(
    ranges: Mapping[str, Range], first: Mapping[str, int], constraints: Sequence[str], params: Mapping[str, Any]
) -> dict[str, dict[str, int]]:
    """Bindings by name. Extents without a range stay as in `first`, the first p0 case; `first` itself is left out."""
    dynamic = {symbol: bounds for symbol, bounds in ranges.items() if symbol in first}
    space = _Space(dynamic, first, constraints, params)
    odd = {symbol: max(ODD[index % len(ODD)], low | 1) for index, (symbol, (low, _)) in enumerate(dynamic.items())}
    targets = {"tail_ones": dict.fromkeys(dynamic, 1), "tail_odd": odd}
    targets |= {f"tail_{symbol}": {**odd, symbol: TWO_TILES_AND_A_TAIL[0]} for symbol in dynamic}
    found: dict[str, dict[str, int]] = {}
    for name, target in targets.items():
        bindings = space.nearest(target)
        if bindings and bindings != dict(first) and bindings not in found.values() and len(found) < MOST_CASES:
            found[name] = bindings
    return found


@dataclass(frozen=True, slots=True)
class _Space:
    """The bindings that are allowed: ranges of the dynamic extents, the others as in `first`, and constraints on all."""

    dynamic: Mapping[str, Range]
    first: Mapping[str, int]
    constraints: Sequence[str]
    params: Mapping[str, Any]

    def nearest(self, target: Mapping[str, int]) -> dict[str, int] | None:
        """The bindings nearest to `target` that are allowed and within the budget; None where none is found."""
        bindings = {
            **self.first,
            **{symbol: _inside(extent, self.dynamic[symbol]) for symbol, extent in target.items()},
        }
        for smaller in TWO_TILES_AND_A_TAIL[1:]:
            for symbol, bounds in self.dynamic.items():
                if _elements(bindings) > MOST_ELEMENTS and bindings[symbol] > smaller:
                    bindings[symbol] = _inside(smaller, bounds)
        for _ in range(3):
            for symbol in self.dynamic:
                bindings[symbol] = self._repaired(symbol, bindings)
        affordable = _elements(bindings) <= max(MOST_ELEMENTS, _elements(self.first))
        return bindings if affordable and not self._violated(bindings) else None

    def _repaired(self, symbol: str, bindings: Mapping[str, int]) -> int:
        """The extent nearest above (else below) the present one with the fewest violated constraints."""
        now, bounds = bindings[symbol], self.dynamic[symbol]
        nearby = [now, *range(now + 1, now + _SEARCHED), *range(now - 1, max(now - _SEARCHED, 0), -1)]
        allowed: list[int] = [e for e in (*nearby, *self._implied(symbol, bindings)) if _inside(e, bounds) == e]
        return min(allowed or [now], key=lambda extent: self._violated({**bindings, symbol: extent}))

    def _implied(self, symbol: str, bindings: Mapping[str, int]) -> Iterator[int]:
        """Extents that an equality `symbol == ...` demands."""
        for constraint in self.constraints:
            left, sign, right = constraint.partition("==")
            for side, other in ((left, right), (right, left)):
                extent = evaluated(other, {**self.params, **bindings}) if sign and side.strip() == symbol else None
                if isinstance(extent, int):
                    yield extent

    def _violated(self, bindings: Mapping[str, int]) -> int:
        values = {**self.params, **bindings}
        return sum(evaluated(constraint, values) is False for constraint in self.constraints)


def evaluated(expression: str, values: Mapping[str, Any]) -> Any:
    """Value of arithmetic or of a constraint such as `K % 32 == 0`; None where it cannot be told."""
    try:
        return _value(ast.parse(expression.strip(), mode="eval").body, values)
    except (SyntaxError, ValueError, KeyError, TypeError, ZeroDivisionError, RecursionError):
        return None


def _inside(extent: int, bounds: Range) -> int:
    """The extent moved into its range; the upper end gives way to an odd number just below it."""
    low, high = bounds
    if extent <= high:
        return max(extent, low)
    return high - 1 if high % 2 == 0 and high - 1 >= low else high


def _elements(bindings: Mapping[str, int]) -> int:
    return prod(max(extent, 1) for extent in bindings.values())


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value) if isinstance(value, (int, float)):
            return value
        case ast.Name(name):
            return values[name]
        case ast.UnaryOp(ast.USub(), operand):
            return -_value(operand, values)
        case ast.BinOp(left, sign, right) if type(sign) in _OPERATORS:
            return _OPERATORS[type(sign)](_value(left, values), _value(right, values))
        case ast.BoolOp(sign, parts):
            outcomes = [bool(_value(part, values)) for part in parts]
            return all(outcomes) if isinstance(sign, ast.And) else any(outcomes)
        case ast.Compare(left, signs, others):
            chain = [_value(part, values) for part in (left, *others)]
            return all(_OPERATORS[type(s)](a, b) for s, a, b in zip(signs, chain, chain[1:], strict=False))
    raise ValueError(ast.dump(node))
