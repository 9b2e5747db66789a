"""Questions about extents that indexing asks: is it negative, does it fit, does it divide."""

from __future__ import annotations

from r0kit.finding import Severity
from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, Quotient


def nonnegative(dim: Dim) -> bool | None:
    """Whether it is at least 0 by its form alone, symbols being at least 1; None where the form does not tell."""
    low = _lower_bound(dim)
    if low is not None and low >= 0:
        return True
    high = _lower_bound(-dim)
    return False if high is not None and high >= 1 else None


def _lower_bound(dim: Dim) -> int | None:
    """A bound from below; None where a term with a symbol is subtracted, or divides something that may be negative."""
    total = 0
    for monomial, factor in dim.terms:
        quotients = [atom for atom, _ in monomial if isinstance(atom, Quotient)]
        if (monomial and factor < 0) or not all(map(_not_negative, quotients)):
            return None
        total += 0 if quotients else factor
    return total


def _not_negative(quotient: Quotient) -> bool:
    return bool(nonnegative(quotient.numerator)) and bool(nonnegative(quotient.denominator))


def at_least_zero(builder: Builder, dim: Dim) -> bool:
    """Whether it is at least 0: by form, else in the first p0 case, else taken to be (what a golden's author means)."""
    by_form = nonnegative(dim)
    if by_form is not None:
        return by_form
    value = builder.known(dim)
    return value is None or value >= 0


def from_start(builder: Builder, index: Dim, extent: Dim) -> Dim:
    """A possibly negative index counted from 0. OperationError where trips of a loop count from either end."""
    from_front = at_least_zero(builder, index)
    first = index.substitute(dict.fromkeys(builder.trips & index.symbols, Dim.of(0)))
    if first != index and at_least_zero(builder, first) is not from_front:
        raise OperationError(f"{index} counts from the front in one trip and from the back in others", "use `% n`")
    return index if from_front else extent + index


def clamped(builder: Builder, bound: Dim, extent: Dim) -> Dim:
    """A slice bound within 0..extent, as Python clips it; clipping decided by the first p0 case is reported."""
    bound = from_start(builder, bound, extent)
    if not at_least_zero(builder, bound):
        return Dim.of(0)
    room = extent - bound
    if at_least_zero(builder, room):
        if bound.const is not None and nonnegative(room) is None and builder.known(room) is None:
            _assumed(builder, f"{bound} is taken to lie within {extent}", Severity.NOTE)
        return bound
    if nonnegative(room) is None:
        _assumed(builder, f"{bound} is taken to reach past {extent}, as in the first p0 case", Severity.WARNING)
    return extent


def _assumed(builder: Builder, what: str, severity: Severity) -> None:
    builder.note("golden.assumed", f"the slice bound {what}", "add a p0 case to SPEC.md that decides it", severity)


def evenly(builder: Builder, extent: Dim, parts: Dim, reason: str) -> Dim | None:
    """`extent // parts` where that comes out even, by form, or in the first p0 case, which is then assumed."""
    quotient = extent // parts
    if quotient * parts == extent or (extent, parts) in builder.exact:
        return quotient
    value, divisor = builder.known(extent), builder.known(parts)
    if divisor == 0 or (value is not None and divisor is not None and value % divisor):
        return None
    builder.require(parts * quotient, extent, reason, assumed=True)
    builder.exact.append((extent, parts))
    return quotient


MOST_PIECES = 4096  # that one call may make of a tensor: each is a Step of its own


def spelled_out(count: int, what: str) -> int:
    """`count`, where so many values can be written one by one; OperationError where they are too many."""
    if count > MOST_PIECES:
        hint = "keep them in one tensor and compute along that axis"
        raise OperationError(f"the {what} is {count}, more than the {MOST_PIECES} that are spelled out", hint)
    return count


def count_of(builder: Builder, dim: Dim, what: str) -> int:
    """An extent as a number of values: by form, or as in the first p0 case, which is then assumed.

    OperationError without one, and where it is too large to spell them out.
    """
    if dim.const is not None:
        return spelled_out(dim.const, what)
    value = builder.known(dim)
    if value is None:
        raise OperationError(f"{what} ({dim}) is not known", "give SPEC a p0 case")
    spelled_out(value, what)
    builder.require(dim, Dim.of(value), what, assumed=True)
    return value
