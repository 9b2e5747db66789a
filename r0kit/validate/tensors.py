"""Shapes and dtypes of tensors, and the symbols in them: rule5, rule6 and rule12."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from r0kit.contract.path import Path
from r0kit.contract.shape import Shape
from r0kit.contract.wording import described, shown, spell
from r0kit.finding import Fault
from r0kit.validate.subject import Entry, Subject

DTYPES = (
    *("float32", "float16", "bfloat16", "int64", "int32", "int16", "int8"),
    *("uint64", "uint32", "uint16", "uint8", "bool", "int", "float8"),
)
_KNOWN_DTYPES = frozenset(DTYPES)
_NAMED = 5  # symbols that a message lists
_SCALAR = "[]"  # the shape of an entry that says none: it has no symbols


def shapes_are_expressions(subject: Subject) -> Iterator[Fault]:
    """rule5: every dimension is an expression of names, integers and + - * //."""
    for entry in subject.tensors():
        if "shape" not in entry.data:
            continue
        shape = subject.shape(entry.data["shape"])
        if shape.problem:
            from r0kit.contract.shape_hints import shape_hint  # loaded with the first fault

            hint = shape_hint(entry.data["shape"], shape)
            yield Fault(_dimension(entry, shape.dimension), f"{_label(entry)}: {shape.problem}", hint)


def dtypes_are_known(subject: Subject) -> Iterator[Fault]:
    """rule6: every dtype is in the vocabulary."""
    for entry in subject.tensors():
        dtype = entry.data.get("dtype", "int8")
        if dtype.__class__ is not str or dtype not in _KNOWN_DTYPES:
            from r0kit.validate.tensor_hints import meant_dtype  # as above

            hint = meant_dtype(subject, dtype, DTYPES)
            yield Fault(entry.at("dtype"), f"{_label(entry)}: {described(dtype)} is no dtype", hint)


def symbols_are_bound(subject: Subject) -> Iterator[Fault]:
    """rule12: primary inputs declare every symbol, and every case gives each of them an extent."""
    params = subject.root.data.get("params")
    valued = dict.fromkeys(params if isinstance(params, dict) else ())
    given = dict.fromkeys(name for entry in subject.primary for name, _ in _shape_of(subject, entry).names)
    known = given | valued | dict.fromkeys(entry.name for entry in subject.root.entries("symbols"))
    for entry in subject.tensors() if subject.primary_is_known else ():  # else their symbols are not known either
        yield from _undeclared(subject, entry, known)
    yield from _unbound(subject, dict.fromkeys(sorted(given.keys() - valued.keys())))


def _shape_of(subject: Subject, entry: Entry) -> Shape:
    return subject.shape(entry.data.get("shape", _SCALAR))


def _undeclared(subject: Subject, entry: Entry, known: dict[Any, None]) -> Iterator[Fault]:
    shape = _shape_of(subject, entry)
    if shape.problem:
        return
    for name, dimension in shape.names:
        if name not in known:
            message = f"{_label(entry)}: no primary input has a dimension {shown(name)}"
            from r0kit.validate.tensor_hints import symbols_hint  # as above

            hint = subject.suggestion(name, known) or symbols_hint(known)
            yield Fault(_dimension(entry, dimension), message, hint)


def _unbound(subject: Subject, symbols: dict[str, None]) -> Iterator[Fault]:
    cases = subject.verification.get("shapes") if isinstance(subject.verification, dict) else None
    for index, case in enumerate(cases if isinstance(cases, list) else ()):
        if not isinstance(case, dict):
            continue
        # Some at most: the search then ends after as many steps as the case has values, however many symbols there are.
        missing = list(islice((symbol for symbol in symbols if symbol not in case), _NAMED))
        odd = [symbol for symbol, extent in case.items() if extent.__class__ is not int or extent < 0]
        if missing or odd:
            from r0kit.validate.tensor_hints import case_faults  # loaded with the first fault, as above

            yield from case_faults(subject, index, case, (missing, odd), symbols)


def _dimension(entry: Entry, index: int) -> Path:
    """Path of a dimension; where the shape is one text (-1), nothing is there, and its place is that of the whole."""
    return entry.at("shape", index)


def _label(entry: Entry) -> str:
    name = entry.name
    return spell(entry.path) if name is None else f"{spell(entry.path)} ({shown(name)})"
