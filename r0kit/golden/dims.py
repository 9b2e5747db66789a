"""Symbolic extents: exact integer polynomials over symbols and floor divisions.

Why not a library: the contract's shapes know only names, integers and `+ - * //`; sympy takes a third of a second to
import, spends most of a large golden's time in assumptions we do not need, and does not decide `H * W // W == H`
without them. Here every operation keeps a canonical form, so that equality is equality of values and hashing works.

Symbols stand for extents, hence integers of at least 1; a floor division is that of Python.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Union

Atom = Union[str, "Quotient"]
Monomial = tuple[tuple[Atom, int], ...]  # (atom, power), sorted by name; () is the constant monomial
Terms = dict[Monomial, int]


@dataclass(frozen=True, slots=True)
class Quotient:
    """The atom `numerator // denominator` of a division that does not come out even."""

    numerator: Dim
    denominator: Dim

    def __str__(self) -> str:
        return f"{_factor(self.numerator)} // {_factor(self.denominator)}"


@dataclass(frozen=True, slots=True)
class Dim:
    """An extent as a canonical sum of terms: sorted ((atom, power)..., coefficient) pairs, none with coefficient 0."""

    terms: tuple[tuple[Monomial, int], ...]

    @staticmethod
    def of(value: int | str | Dim) -> Dim:
        """The extent of an integer, a symbol, or itself."""
        if isinstance(value, Dim):
            return value
        if isinstance(value, str):
            return Dim(((((value, 1),), 1),))
        return _constant(int(value))

    @property
    def const(self) -> int | None:
        """The integer it is, or None where a symbol takes part."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and self.terms[0][0] == () else None

    @property
    def symbol(self) -> str | None:
        """The name it is, where it is one plain symbol."""
        if len(self.terms) == 1 and self.terms[0][1] == 1 and len(self.terms[0][0]) == 1:
            atom, power = self.terms[0][0][0]
            return atom if power == 1 and isinstance(atom, str) else None
        return None

    @property
    def symbols(self) -> frozenset[str]:
        return frozenset(name for monomial, _ in self.terms for atom, _ in monomial for name in _names(atom))

    def __add__(self, other: int | Dim) -> Dim:
        return _build([*self.terms, *Dim.of(other).terms])

    def __neg__(self) -> Dim:
        return Dim(tuple((monomial, -factor) for monomial, factor in self.terms))

    def __sub__(self, other: int | Dim) -> Dim:
        return self + (-Dim.of(other))

    def __rsub__(self, other: int | Dim) -> Dim:
        return Dim.of(other) - self

    def __mul__(self, other: int | Dim) -> Dim:
        """OverflowError where the product is larger than any extent of a golden."""
        factor = Dim.of(other)
        if len(self.terms) * len(factor.terms) > _MOST_TERMS or self._degree + factor._degree > _MOST_DEGREE:
            raise OverflowError("an extent with too many terms")
        return _build((_times(m, n), a * b) for m, a in self.terms for n, b in factor.terms)

    @property
    def _degree(self) -> int:
        """Highest sum of powers in a term; the terms are in order of it."""
        return sum(power for _, power in self.terms[0][0]) if self.terms else 0

    __radd__ = __add__
    __rmul__ = __mul__

    def __floordiv__(self, other: int | Dim) -> Dim:
        return _floor_divide(self, Dim.of(other))

    def __rfloordiv__(self, other: int | Dim) -> Dim:
        return _floor_divide(Dim.of(other), self)

    def __mod__(self, other: int | Dim) -> Dim:
        """The remainder, as `a - b * (a // b)`."""
        return self - Dim.of(other) * (self // other)

    def ceil_div(self, other: int | Dim) -> Dim:
        """`(a + b - 1) // b` for a positive b."""
        return (self + other - 1) // other

    def evaluate(self, bindings: Mapping[str, int]) -> int:
        """Its value under `bindings`; KeyError names a symbol that is not bound, ZeroDivisionError as in Python."""
        return sum(factor * _value(monomial, bindings) for monomial, factor in self.terms)

    def substitute(self, replacements: Mapping[str, Dim]) -> Dim:
        """The same extent with symbols replaced."""
        total = _constant(0)
        for monomial, factor in self.terms:
            product = _constant(factor)
            for atom, power in monomial:
                replaced = _replace(atom, replacements)
                for _ in range(power):
                    product = product * replaced
            total = total + product
        return total

    def affine(self, symbol: str) -> tuple[Dim, Dim] | None:
        """(a, b) with `self == a * symbol + b`, both free of it; None where it is not of that form."""
        slope: list[tuple[Monomial, int]] = []
        rest: list[tuple[Monomial, int]] = []
        for monomial, factor in self.terms:
            others = tuple(pair for pair in monomial if pair[0] != symbol)
            if any(symbol in _names(atom) for atom, _ in others) or (symbol, 1) not in monomial != others:
                return None
            (rest if others == monomial else slope).append((others, factor))
        return _build(slope), _build(rest)

    def assuming(self, exact: Iterable[tuple[Dim, Dim]]) -> Dim:
        """The same extent where each (a, b) divides evenly, so that `b * (a // b)` is `a`."""
        result = self
        for numerator, denominator in exact:
            result = _cancel(result, numerator, denominator)
        return result

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        text = ""
        for monomial, factor in self.terms:
            body = _product_text(monomial, abs(factor))
            sign = "-" if factor < 0 else "+"
            negated = f"-({body})" if _is_quotient(monomial, factor) else f"-{body}"
            text = f"{text} {sign} {body}" if text else body if factor > 0 else negated
        return text

    def __repr__(self) -> str:
        return f"Dim({self})"


_MOST_TERMS, _MOST_DEGREE = 1024, 32
Shape = tuple[Dim, ...]


def shape_of(*extents: int | str | Dim) -> Shape:
    return tuple(Dim.of(extent) for extent in extents)


def shape_text(shape: Iterable[Dim]) -> str:
    """As the contract writes it: "[M, N]"."""
    return f"[{', '.join(map(str, shape))}]"


def product(extents: Iterable[Dim]) -> Dim:
    total = _constant(1)
    for extent in extents:
        total = total * extent
    return total


def lowest_terms(top: Dim, bottom: Dim) -> tuple[Dim, Dim]:
    """The same quotient with common symbols and integer factors taken out: `E*T // (4*T)` is `E // 4`."""
    terms = [*top.terms, *bottom.terms]
    if not top.terms or not bottom.terms:
        return top, bottom
    scale = math.gcd(*(factor for _, factor in terms))
    powers = [{atom: power for atom, power in monomial if isinstance(atom, str)} for monomial, _ in terms]
    common = {atom: min(each.get(atom, 0) for each in powers) for atom in powers[0]}
    shared: Monomial = tuple(sorted((atom, power) for atom, power in common.items() if power))
    return _without(top, shared, scale), _without(bottom, shared, scale)


def parse_dim(text: str | int) -> Dim:
    """The extent that a contract or SPEC writes as names, integers and `+ - * //`. ValueError where it is not one."""
    if isinstance(text, int):
        return _constant(text)
    try:
        return _from_ast(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, RecursionError, ZeroDivisionError) as error:
        raise ValueError(f"not an extent: {text!r}") from error


_BINARY: dict[type[ast.operator], Callable[[Dim, Dim], Dim]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
}


def _from_ast(node: ast.expr) -> Dim:
    if isinstance(node, ast.Name):
        return Dim.of(node.id)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return _constant(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        operand = _from_ast(node.operand)
        return -operand if isinstance(node.op, ast.USub) else operand
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _from_ast(node.left), _from_ast(node.right)
        return _BINARY[type(node.op)](left, right)
    raise ValueError(f"not an extent: {ast.unparse(node)!r}")


@lru_cache(maxsize=4096)
def _constant(value: int) -> Dim:
    return Dim((((), value),) if value else ())


def _build(pairs: Iterable[tuple[Monomial, int]]) -> Dim:
    terms: Terms = {}
    for monomial, factor in pairs:
        terms[monomial] = terms.get(monomial, 0) + factor
    kept = [(monomial, factor) for monomial, factor in terms.items() if factor]
    return Dim(tuple(sorted(kept, key=_order)))


def _order(term: tuple[Monomial, int]) -> tuple[int, list[str]]:
    """Higher degree first, then by name; the constant comes last: `H*W + 2*H - 1`."""
    monomial, _ = term
    return -sum(power for _, power in monomial), [str(atom) for atom, power in monomial for _ in range(power)]


def _times(left: Monomial, right: Monomial) -> Monomial:
    powers: dict[Atom, int] = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(((atom, power) for atom, power in powers.items() if power), key=lambda item: str(item[0])))


def _over(left: Monomial, right: Monomial) -> Monomial | None:
    """left / right where it comes out even."""
    powers = dict(left)
    for atom, power in right:
        if powers.get(atom, 0) < power:
            return None
        powers[atom] -= power
    return tuple((atom, power) for atom, power in powers.items() if power)


def _floor_divide(top: Dim, bottom: Dim) -> Dim:
    if bottom.const == 0:
        raise ZeroDivisionError(f"{top} // 0")
    top, bottom = lowest_terms(top, bottom)
    even, rest = _divide(top, bottom)
    if not rest.terms:
        return even
    if rest.const is not None and bottom.const is not None:
        return even + rest.const // bottom.const
    return even + _remainder_quotient(rest, bottom)


def _remainder_quotient(rest: Dim, bottom: Dim) -> Dim:
    """`rest // bottom` as an atom; `(a // b) // c` is `a // (b * c)` for positive b and c."""
    if len(rest.terms) == 1 and rest.terms[0][1] == 1 and len(rest.terms[0][0]) == 1:
        atom, power = rest.terms[0][0][0]
        if power == 1 and isinstance(atom, Quotient) and _positive(atom.denominator) and _positive(bottom):
            return _floor_divide(atom.numerator, atom.denominator * bottom)
    return Dim(((((Quotient(rest, bottom), 1),), 1),))


def _without(dim: Dim, shared: Monomial, scale: int) -> Dim:
    """Every term divided by a monomial and an integer that divide all of them."""
    return _build((_sorted(_over(monomial, shared) or ()), factor // scale) for monomial, factor in dim.terms)


def _sorted(monomial: Monomial) -> Monomial:
    return tuple(sorted(monomial, key=lambda item: str(item[0])))


def _positive(dim: Dim) -> bool:
    """Whether it is at least 1 by its form alone, symbols being at least 1."""
    plain = all(isinstance(atom, str) for monomial, _ in dim.terms for atom, _ in monomial)
    return bool(dim.terms) and plain and all(factor > 0 for _, factor in dim.terms)


def _divide(top: Dim, bottom: Dim) -> tuple[Dim, Dim]:
    """(q, r) with `top == q * bottom + r`, q as large as division of leading terms makes it."""
    lead, factor = bottom.terms[0]
    quotient, rest = _constant(0), top
    if len(bottom.terms) > 1:
        return _long_divide(top, bottom)
    for monomial, amount in top.terms:
        reduced = _over(monomial, lead)
        if reduced is not None and amount % factor == 0:
            piece = _build([(_sorted(reduced), amount // factor)])
            quotient, rest = quotient + piece, rest - piece * bottom
    return quotient, rest


def _long_divide(top: Dim, bottom: Dim) -> tuple[Dim, Dim]:
    lead, factor = bottom.terms[0]
    quotient, rest = _constant(0), top
    for _ in range(32):
        if not rest.terms:
            return quotient, rest
        monomial, amount = rest.terms[0]
        reduced = _over(monomial, lead)
        if reduced is None or amount % factor:
            break
        piece = _build([(_sorted(reduced), amount // factor)])
        quotient, rest = quotient + piece, rest - piece * bottom
    return _constant(0), top


def _cancel(dim: Dim, numerator: Dim, denominator: Dim) -> Dim:
    """Every monomial that holds the quotient atom and its (monomial) denominator, with the two replaced."""
    quotient = numerator // denominator
    if len(quotient.terms) != 1 or len(denominator.terms) != 1:
        return dim
    (atoms, _), (divisor, scale) = quotient.terms[0], denominator.terms[0]
    pattern = _times(atoms, divisor)
    total = _constant(0)
    for monomial, factor in dim.terms:
        reduced = _over(monomial, pattern)
        if reduced is None or factor % scale:
            total = total + _build([(monomial, factor)])
        else:
            ordered = _sorted(reduced)
            total = total + _build([(ordered, factor // scale)]) * numerator
    return total


def _names(atom: Atom) -> frozenset[str]:
    return frozenset({atom}) if isinstance(atom, str) else atom.numerator.symbols | atom.denominator.symbols


def _replace(atom: Atom, replacements: Mapping[str, Dim]) -> Dim:
    if isinstance(atom, str):
        return replacements.get(atom, Dim.of(atom))
    return atom.numerator.substitute(replacements) // atom.denominator.substitute(replacements)


def _value(monomial: Monomial, bindings: Mapping[str, int]) -> int:
    total = 1
    for atom, power in monomial:
        if isinstance(atom, str):
            total *= bindings[atom] ** power
        else:
            total *= (atom.numerator.evaluate(bindings) // atom.denominator.evaluate(bindings)) ** power
    return total


def _product_text(monomial: Monomial, factor: int) -> str:
    if _is_quotient(monomial, factor):
        return str(monomial[0][0])
    names = [atom if isinstance(atom, str) else f"({atom})" for atom, power in monomial for _ in range(power)]
    return "*".join(([str(factor)] if factor != 1 or not names else []) + names)


def _is_quotient(monomial: Monomial, factor: int) -> bool:
    return abs(factor) == 1 and len(monomial) == 1 and monomial[0][1] == 1 and isinstance(monomial[0][0], Quotient)


def _factor(dim: Dim) -> str:
    return str(dim) if dim.symbol or (dim.const is not None and dim.const >= 0) else f"({dim})"
