"""Shapes and dtypes of tensors, and the symbols in them: rule5, rule6 and rule12."""

from collections.abc import Iterable, Iterator
from itertools import islice
from re import compile as pattern
from typing import Any

from r0kit.contract.path import KEY, Path
from r0kit.contract.shape import Shape
from r0kit.contract.structure import remedy
from r0kit.contract.wording import described, in_ascii, shown, spell
from r0kit.finding import Fault
from r0kit.validate.subject import Entry, Subject

DTYPES = (
    *("float32", "float16", "bfloat16", "int64", "int32", "int16", "int8"),
    *("uint64", "uint32", "uint16", "uint8", "bool", "int", "float8"),
)
_KNOWN_DTYPES = frozenset(DTYPES)
_NAMED = 5  # symbols that a message lists
_SCALAR = "[]"  # the shape of an entry that says none: it has no symbols

# What frameworks and kernel languages call them: after these prefixes, and by these names.
_PREFIX = pattern(r"\A(?:(?:torch|np|numpy|jnp|tl|pypto|pl)\.)?(?:dt_)?")
_OTHER_DTYPES = {
    **dict.fromkeys(("fp32", "f32", "float", "single", "fp64", "f64", "float64", "double"), "float32"),
    **dict.fromkeys(("fp16", "f16", "half"), "float16"),
    **dict.fromkeys(("bf16", "bfp16", "brain"), "bfloat16"),
    **dict.fromkeys(("fp8", "f8", "float8_e4m3", "float8_e4m3fn", "float8_e5m2"), "float8"),
    **dict.fromkeys(("fp8e4m3", "fp8e5m2", "fp8_e4m3", "fp8_e5m2", "hf8"), "float8"),
    **{f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
    "long": "int64",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "integer": "int",
    "boolean": "bool",
}


def shapes_are_expressions(subject: Subject) -> Iterator[Fault]:
    """rule5: every dimension is an expression of names, integers and + - * //."""
    for entry in subject.tensors():
        if "shape" not in entry.data:
            continue
        shape = subject.shape(entry.data["shape"])
        if shape.problem:
            yield Fault(_dimension(entry, shape.dimension), f"{_label(entry)}: {shape.problem}", shape.hint)


def dtypes_are_known(subject: Subject) -> Iterator[Fault]:
    """rule6: every dtype is in the vocabulary."""
    for entry in subject.tensors():
        dtype = entry.data.get("dtype", "int8")
        if dtype.__class__ is not str or dtype not in _KNOWN_DTYPES:
            yield Fault(
                entry.at("dtype"), f"{_label(entry)}: {described(dtype)} is no dtype", _meant_dtype(subject, dtype)
            )


def _meant_dtype(subject: Subject, dtype: Any) -> str:
    if not isinstance(dtype, str):
        return ""
    plain = _PREFIX.sub("", in_ascii(dtype).strip().lower())
    meant = plain if plain in _KNOWN_DTYPES else _OTHER_DTYPES.get(plain)
    return f"write {meant}" if meant else subject.suggestion(dtype, DTYPES)


def symbols_are_bound(subject: Subject) -> Iterator[Fault]:
    """rule12: primary inputs declare every symbol, and every case gives each of them an extent."""
    params = subject.root.data.get("params")
    valued = dict.fromkeys(params if isinstance(params, dict) else ())
    given = dict.fromkeys(name for entry in subject.primary for name, _ in _shape_of(subject, entry).names)
    known = given | valued | dict.fromkeys(entry.name for entry in subject.root.entries("symbols"))
    is_known = subject.primary_is_known  # else their symbols are not either
    for entry in subject.tensors() if is_known else ():
        yield from _undeclared(subject, entry, known)
    yield from _unbound(subject, sorted(given.keys() - valued.keys()) if is_known else [])


def _shape_of(subject: Subject, entry: Entry) -> Shape:
    return subject.shape(entry.data.get("shape", _SCALAR))


def _undeclared(subject: Subject, entry: Entry, known: dict[Any, None]) -> Iterator[Fault]:
    shape = _shape_of(subject, entry)
    if shape.problem:
        return
    for name, dimension in shape.names:
        if name not in known:
            message = f"{_label(entry)}: no primary input has a dimension {shown(name)}"
            hint = subject.suggestion(name, known) or _symbols_hint(known)
            yield Fault(_dimension(entry, dimension), message, hint)


def _symbols_hint(known: Iterable[Any]) -> str:
    symbols = ", ".join(shown(name) for name in islice(known, _NAMED) if isinstance(name, str))
    return f"use the symbols of the primary inputs ({symbols}), or declare this one under symbols or params" * bool(
        symbols
    )


def _unbound(subject: Subject, symbols: list[str]) -> Iterator[Fault]:
    cases = subject.verification.get("shapes") if isinstance(subject.verification, dict) else None
    for index, case in enumerate(cases if isinstance(cases, list) else ()):
        if not isinstance(case, dict):
            continue
        at = ("composition_verification", "shapes", index)
        whole = _miswritten(subject, at, case)
        if whole is not None:
            yield whole
            continue
        # Some at most: the search then ends after as many steps as the case has values, however many symbols there are.
        missing = list(islice((symbol for symbol in symbols if symbol not in case), _NAMED))
        if missing:
            yield _without_extent(subject, at, missing, [key for key in case if key not in symbols])
        for symbol, extent in case.items():
            if extent.__class__ is not int or extent < 0:
                message = f"{spell(at)}: {described(extent)} is no extent of {shown(symbol)}"
                yield Fault((*at, symbol), message, remedy("an integer", extent))


def _miswritten(subject: Subject, at: Path, case: dict[Any, Any]) -> Fault | None:
    """The fault of a case that is written otherwise as a whole: with `=`, or with the shapes of the inputs."""
    first = next(iter(case), None)
    if isinstance(first, str) and "=" in first and case[first] is None:
        meant = ", ".join(str(key).replace("=", ": ") for key in islice(case, _NAMED))
        return Fault(
            (*at, first, KEY), f"{spell(at)}: {shown(first)} is no symbol with its extent", f"write {{{meant}}}"
        )
    if case and all(isinstance(shape, list) for shape in case.values()) and any(key in subject.given for key in case):
        extents = ", ".join(f"{symbol}: {extent}" for symbol, extent in islice(_extents(subject, case), _NAMED))
        message = f"{spell(at)} gives the shapes of inputs, not the extents of symbols"
        return Fault(at, message, f"write {{{extents or 'M: 4, N: 128'}}}")
    return None


def _extents(subject: Subject, case: dict[Any, Any]) -> Iterator[tuple[str, int]]:
    """The symbols of the inputs with the extents that a case has in their shapes."""
    told = set()
    for name, shape in case.items():
        written = subject.given[name].data.get("shape") if name in subject.given else None
        parts = written if isinstance(written, list) else str(written).strip("[] ").split(",")
        for part, extent in zip(parts, shape, strict=False):
            symbol = str(part).strip()
            if symbol.isidentifier() and extent.__class__ is int and symbol not in told:
                told.add(symbol)
                yield symbol, extent


def _without_extent(subject: Subject, at: Path, missing: list[str], others: list[Any]) -> Fault:
    """The fault of a case that lacks symbols; at the key that may stand for the only one, where there is such a key."""
    meant = subject.near(missing[0], others) if len(missing) == 1 else None
    if meant is not None:
        message = f"{spell(at)} gives an extent to {shown(meant)}, and none to {shown(missing[0])}"
        return Fault((*at, meant, KEY), message, f"did you mean {shown(missing[0])}?")
    names = ", ".join(map(shown, missing))
    folded = {str(other).casefold() for other in others}
    capitals = all(symbol.casefold() in folded for symbol in missing)
    hint = f"did you mean {names}? Capitals count" if capitals else f"add {shown(missing[0])} with its extent"
    return Fault(at, f"{spell(at)} gives no extent to {names}", hint)


def _dimension(entry: Entry, index: int) -> Path:
    """Path of a dimension; where the shape is one text (-1), nothing is there, and its place is that of the whole."""
    return entry.at("shape", index)


def _label(entry: Entry) -> str:
    name = entry.name
    return spell(entry.path) if name is None else f"{spell(entry.path)} ({shown(name)})"
