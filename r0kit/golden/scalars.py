"""Scalar expressions of a golden: constants, parameters, extents, and what is computed from them.

A scalar stays symbolic (`1 / sqrt(D)`, `eps`), so that stage functions can be written from it; it folds to a number only
where the golden's structure needs one.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from r0kit.golden.dims import Dim


@dataclass(frozen=True, slots=True)
class Constant:
    """A Python number, truth value, string or None written in the golden, or folded from it."""

    value: Any


@dataclass(frozen=True, slots=True)
class Parameter:
    """A scalar parameter of the golden, by name."""

    name: str


@dataclass(frozen=True, slots=True)
class Extent:
    """An extent of a tensor, used as a number."""

    dim: Dim


@dataclass(frozen=True, slots=True)
class Reading:
    """The one number that a tensor holds (`.item()`, `float(t)`): known only at run time."""

    tensor: str


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of `FUNCTIONS` over scalars."""

    function: str
    arguments: tuple[Scalar, ...]


Scalar = Constant | Parameter | Extent | Reading | Apply

MOST_BITS = 1 << 16  # of an integer that is computed: no extent is as long, and beyond it one operator takes minutes


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int):
        _hold(base.bit_length() * max(exponent, 0))
    return base**exponent


def _shifted(number: int, by: int) -> int:
    _hold(number.bit_length() + max(by, 0))
    return number << by


def _product(left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        _hold(left.bit_length() + right.bit_length())
    return left * right


def _hold(bits: int) -> None:
    if bits > MOST_BITS:
        raise ValueError("the result is too large")


# Name -> (what it does, how it is written in Python; None: as a call of its own name).
FUNCTIONS: dict[str, tuple[Callable[..., Any], str | None]] = {
    "+": (operator.add, "({} + {})"),
    "-": (operator.sub, "({} - {})"),
    "*": (_product, "({} * {})"),
    "/": (operator.truediv, "({} / {})"),
    "//": (operator.floordiv, "({} // {})"),
    "%": (operator.mod, "({} % {})"),
    "**": (_power, "({} ** {})"),
    "neg": (operator.neg, "(-{})"),
    "<": (operator.lt, "({} < {})"),
    "<=": (operator.le, "({} <= {})"),
    ">": (operator.gt, "({} > {})"),
    ">=": (operator.ge, "({} >= {})"),
    "==": (operator.eq, "({} == {})"),
    "!=": (operator.ne, "({} != {})"),
    "not": (operator.not_, "(not {})"),
    "<<": (_shifted, "({} << {})"),
    ">>": (operator.rshift, "({} >> {})"),
    "&": (operator.and_, "({} & {})"),
    "|": (operator.or_, "({} | {})"),
    "^": (operator.xor, "({} ^ {})"),
    "abs": (abs, None),
    "min": (min, None),
    "max": (max, None),
    "round": (round, None),
    "int": (int, None),
    "float": (float, None),
    "bool": (bool, None),
    **{
        f"math.{name}": (getattr(math, name), None)
        for name in (
            "sqrt",
            "exp",
            "log",
            "log2",
            "log10",
            "log1p",
            "ceil",
            "floor",
            "pow",
            "sin",
            "cos",
            "tanh",
            "gcd",
        )
    },
}


def apply(function: str, *arguments: Scalar) -> Scalar:
    """`function` of `arguments`, folded where all are constants, kept as an Extent where it is extent arithmetic.

    Raises ArithmeticError, TypeError or ValueError where Python would on the constants.
    """
    if all(isinstance(argument, Constant) for argument in arguments):
        values = [argument.value for argument in arguments if isinstance(argument, Constant)]
        return Constant(FUNCTIONS[function][0](*values))
    extent = _extent_arithmetic(function, arguments)
    return Extent(extent) if extent is not None else Apply(function, arguments)


def fold(scalar: Scalar, parameters: Mapping[str, Any], symbols: Mapping[str, int]) -> Any:
    """Its number under `parameters` and `symbols`. KeyError names what is not known (a tensor's reading never is)."""
    match scalar:
        case Constant(value):
            return value
        case Parameter(name):
            return parameters[name]
        case Extent(dim):
            return dim.evaluate(symbols)
        case Reading(tensor):
            raise KeyError(tensor)
        case Apply(function, arguments):
            return FUNCTIONS[function][0](*(fold(argument, parameters, symbols) for argument in arguments))


def text(scalar: Scalar, extent: Callable[[Dim], str] = str, reading: Callable[[str], str] = "{}.item()".format) -> str:
    """As Python writes it; `extent` and `reading` say how extents and tensors' numbers are spelled where it will stand."""
    match scalar:
        case Constant(value):
            return _constant_text(value)
        case Parameter(name):
            return name
        case Extent(dim):
            return extent(dim)
        case Reading(tensor):
            return reading(tensor)
        case Apply(function, arguments):
            written = [text(argument, extent, reading) for argument in arguments]
            pattern = FUNCTIONS[function][1]
            return pattern.format(*written) if pattern else f"{function}({', '.join(written)})"


def substituted(scalar: Scalar, replacements: Mapping[str, Dim]) -> Scalar:
    """The same scalar with symbols of extents replaced."""
    match scalar:
        case Extent(dim):
            replaced = dim.substitute(replacements)
            return Extent(replaced) if replaced.const is None else Constant(replaced.const)
        case Apply(function, arguments):
            return apply(function, *(substituted(argument, replacements) for argument in arguments))
    return scalar


def parameters_of(scalar: Scalar) -> frozenset[str]:
    """Names of the parameters it needs."""
    if isinstance(scalar, Parameter):
        return frozenset({scalar.name})
    return frozenset().union(*map(parameters_of, scalar.arguments)) if isinstance(scalar, Apply) else frozenset()


def extents_of(scalar: Scalar) -> frozenset[str]:
    """Symbols of the extents it needs."""
    if isinstance(scalar, Extent):
        return scalar.dim.symbols
    return frozenset().union(*map(extents_of, scalar.arguments)) if isinstance(scalar, Apply) else frozenset()


def readings_of(scalar: Scalar) -> frozenset[str]:
    """Tensors whose number it needs."""
    if isinstance(scalar, Reading):
        return frozenset({scalar.tensor})
    return frozenset().union(*map(readings_of, scalar.arguments)) if isinstance(scalar, Apply) else frozenset()


_EXTENT_ARITHMETIC = {"+", "-", "*", "//", "%", "neg"}


def _extent_arithmetic(function: str, arguments: tuple[Scalar, ...]) -> Dim | None:
    extents = [_as_dim(argument) for argument in arguments]
    if function not in _EXTENT_ARITHMETIC or any(extent is None for extent in extents):
        return None
    combined = FUNCTIONS[function][0](*extents)
    return combined if isinstance(combined, Dim) else None


def _as_dim(scalar: Scalar) -> Dim | None:
    if isinstance(scalar, Extent):
        return scalar.dim
    if isinstance(scalar, Constant) and type(scalar.value) is int:
        return Dim.of(scalar.value)
    return None


def _constant_text(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)
