"""Extents that stage functions need as numbers: read from the shapes of their tensors, or solved from them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from r0kit.golden.dims import Dim, Quotient, Shape
from r0kit.golden.program import Program, Ref, Step
from r0kit.golden.scalars import extents_of

NOTHING: Mapping[str, str] = MappingProxyType({})
_READING = re.compile(r"(?:int\()?(\w+)\.item\(\)\)?")


class UnboundExtent(Exception):
    """An extent that no tensor at hand determines."""

    def __init__(self, dim: Dim) -> None:
        self.dim = dim
        super().__init__(str(dim))


class Extents:
    """How the extents of one function are written.

    tensors: its tensor arguments and their shapes, in order; taken: names that mean something else in the function;
    numbers: how symbols are written that a tensor holds as its one number; known: symbols that may become parameters.
    """

    def __init__(
        self,
        tensors: Sequence[tuple[str, Shape]],
        taken: Iterable[str] = (),
        numbers: Mapping[str, str] = NOTHING,
        known: Container[str] = (),
    ) -> None:
        self.tensors, self.taken, self.numbers, self.known = tuple(tensors), frozenset(taken), numbers, known
        self.used: dict[str, str] = {}  # symbol -> its name in the function, in order of first use
        self.parameters: dict[str, str] = {}  # the same for those that no tensor shows: parameters of the function
        self._sources = _plain_sources(self.tensors)
        self._local: dict[str, str] = {}

    def computed(self, name: str, shape: Shape) -> bool:
        """From here on the function has the tensor `name`; whether it shows an extent that nothing has shown so far."""
        fresh = {d.symbol: axis for axis, d in enumerate(shape) if d.symbol and not self._shown(d.symbol)}
        self._local |= {symbol: f"{name}.shape[{axis}]" for symbol, axis in fresh.items()}
        return bool(fresh)

    def _shown(self, symbol: str) -> bool:
        known = (self._sources, self._local, self.parameters, self.numbers)
        return any(symbol in names for names in known) or self._solution(symbol) is not None

    def text(self, dim: Dim) -> str:
        """`dim` as Python, in parentheses where it has operators. UnboundExtent where no tensor determines it."""
        if dim.const is not None:
            return str(dim.const)
        whole = self._whole(dim)
        if whole and not all(symbol in self._sources for symbol in dim.symbols):
            return whole
        written = self._written(dim)
        if written is None:
            raise UnboundExtent(dim)
        return written

    def lines(self) -> list[str]:
        """The statements that bind the symbols used so far: `M, N = x.shape`, `H = x.shape[1] // 2`."""
        solved = {symbol: self._solution(symbol) for symbol in tuple(self.used) if symbol not in self._sources}
        waiting = {symbol: name for symbol, name in self.used.items() if symbol in self._sources}
        lines = list(self._unpackings(waiting))
        order = [name for name, _ in self.tensors]
        found = sorted(
            (order.index(tensor), axis, symbol) for symbol in waiting for tensor, axis in [self._sources[symbol]]
        )
        lines += [f"{waiting[symbol]} = {order[tensor]}.shape[{axis}]" for tensor, axis, symbol in found]
        return lines + [f"{self.used[symbol]} = {solution}" for symbol, solution in solved.items()]

    def _unpackings(self, waiting: dict[str, str]) -> Iterator[str]:
        for tensor, shape in self.tensors:
            symbols = [dim.symbol for dim in shape]
            fresh = all(symbol in waiting and self._sources[symbol][0] == tensor for symbol in symbols if symbol)
            if len(shape) > 1 and None not in symbols and len(set(symbols)) == len(symbols) and fresh:
                yield f"{', '.join(waiting.pop(symbol) for symbol in symbols if symbol)} = {tensor}.shape"

    def _whole(self, dim: Dim) -> str | None:
        found = (
            f"{tensor}.shape[{axis}]" for tensor, shape in self.tensors for axis, d in enumerate(shape) if d == dim
        )
        return next(found, None)

    def _written(self, dim: Dim) -> str | None:
        names = {symbol: self._name(symbol) for symbol in sorted(dim.symbols)}
        if not all(names.values()):
            return None
        text = re.sub(r"[^\W\d]\w*", lambda match: names[match.group()] or "", str(dim))
        return text if text.isidentifier() else f"({text})"

    def _name(self, symbol: str) -> str | None:
        """How a symbol is written; it counts as used when a statement at the top binds it."""
        if symbol in self._sources or self._solution(symbol):
            return self.used.setdefault(symbol, self._free(symbol))
        written = self._local.get(symbol) or self.numbers.get(symbol)
        if written is None and symbol in self.known:
            return self.parameters.setdefault(symbol, self._free(symbol))
        return written

    def _free(self, symbol: str) -> str:
        name = symbol
        while name in self.taken or name in self.used.values() or name in self.parameters.values():
            name += "_size" if name == symbol else "_"
        return name

    def _solution(self, symbol: str) -> str | None:
        """The symbol from an extent `a * symbol + b` of an argument whose a and b are known."""
        for tensor, shape in self.tensors:
            for axis, dim in enumerate(shape):
                line = _linear(dim, symbol)
                if line and all(name in self._sources for part in line for name in part.symbols):
                    factor, rest = line
                    value = f"{tensor}.shape[{axis}]"
                    if rest != Dim.of(0):
                        value = f"({value} - {self._written(rest)})"
                    return value if factor == Dim.of(1) else f"{value} // {self._written(factor)}"
        return None


def symbols_of(step: Step) -> frozenset[str]:
    """Symbols whose value a Step may need: those of its scalars and attributes, and of its own shape."""
    found = [extents_of(operand) for operand in step.operands if not isinstance(operand, Ref)]
    return frozenset().union(*found, *(d.symbols for d in step.shape), *_dims(list(step.attrs.values())))


def readings(program: Program) -> dict[str, str]:
    """Extents that only data tell -> the tensor whose one number they are."""
    values = {step.target for step in program.steps} | {value.name for value in program.inputs}
    matches = ((symbol.name, _READING.fullmatch(symbol.origin)) for symbol in program.symbols)
    return {name: match[1] for name, match in matches if match and match[1] in values}


def _plain_sources(tensors: Sequence[tuple[str, Shape]]) -> dict[str, tuple[str, int]]:
    """Symbol -> the first argument and axis that it is the extent of."""
    sources: dict[str, tuple[str, int]] = {}
    for tensor, shape in tensors:
        for axis, dim in enumerate(shape):
            if dim.symbol:
                sources.setdefault(dim.symbol, (tensor, axis))
    return sources


def _linear(dim: Dim, symbol: str) -> tuple[Dim, Dim] | None:
    """(a, b) with `dim == a * symbol + b`, neither of which has the symbol; None where it is not of that form."""
    factor, rest = Dim.of(0), Dim.of(0)
    for monomial, amount in dim.terms:
        powers = dict(monomial)
        power = powers.pop(symbol, 0)
        term = Dim.of(amount)
        for atom, count in powers.items():
            for _ in range(count):
                term = term * (Dim.of(atom) if isinstance(atom, str) else _quotient(atom))
        if power > 1 or symbol in term.symbols:
            return None
        factor, rest = (factor + term, rest) if power else (factor, rest + term)
    return (factor, rest) if factor != Dim.of(0) else None


def _quotient(atom: Quotient) -> Dim:
    return atom.numerator // atom.denominator


def _dims(values: Iterable[Any]) -> Iterator[frozenset[str]]:
    """Symbols of every extent inside attributes, however deep."""
    for value in values:
        if isinstance(value, Dim):
            yield value.symbols
        elif isinstance(value, Mapping):
            yield from _dims(value.values())
        elif isinstance(value, (tuple, list)):
            yield from _dims(value)
