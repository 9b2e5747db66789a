"""What was meant by a wrong dtype, symbol or test case: loaded with the first such fault."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from re import compile as pattern
from typing import Any

from r0kit.contract.likeness import in_ascii
from r0kit.contract.path import KEY, Path
from r0kit.contract.remedies import remedy
from r0kit.contract.wording import described, shown, spell
from r0kit.finding import Fault
from r0kit.validate.subject import Subject

_NAMED = 5  # symbols that a message lists

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


def meant_dtype(subject: Subject, dtype: Any, known: Sequence[str]) -> str:
    """What to write for something that is no dtype; known: those that there are."""
    if not isinstance(dtype, str):
        return ""
    plain = _PREFIX.sub("", in_ascii(dtype).strip().lower())
    meant = plain if plain in known else _OTHER_DTYPES.get(plain)
    return f"write {meant}" if meant else subject.suggestion(dtype, known)


def symbols_hint(known: Iterable[Any]) -> str:
    """The symbols that there are, for one that is not."""
    symbols = ", ".join(shown(name) for name in islice(known, _NAMED) if isinstance(name, str))
    return f"use the symbols of the primary inputs ({symbols}), or declare this one under symbols or params" * bool(
        symbols
    )


def case_faults(
    subject: Subject, index: int, case: dict[Any, Any], wrong: tuple[list[str], list[Any]], symbols: Collection[str]
) -> Iterator[Fault]:
    """What is wrong with a case of composition_verification that lacks symbols, or has something else than extents.

    wrong: the symbols that it lacks, and the keys whose values are no extents.
    """
    missing, odd = wrong
    at = ("composition_verification", "shapes", index)
    whole = _miswritten(subject, at, case)
    if whole is not None:
        yield whole
        return
    if missing:
        yield _without_extent(subject, at, missing, [key for key in case if key not in symbols])
    for symbol in odd:
        message = f"{spell(at)}: {described(case[symbol])} is no extent of {shown(symbol)}"
        yield Fault((*at, symbol), message, remedy("an integer", case[symbol]))


def _miswritten(subject: Subject, at: Path, case: dict[Any, Any]) -> Fault | None:
    """The fault of a case that is written otherwise as a whole: with `=`, or with the shapes of the inputs."""
    first = next(iter(case), None)
    if isinstance(first, str) and "=" in first and case[first] is None:
        meant = ", ".join(str(key).replace("=", ": ") for key in islice(case, _NAMED))
        return Fault(
            (*at, first, KEY), f"{spell(at)}: {shown(first)} is no symbol with its extent", f"write {{{meant}}}"
        )
    if all(isinstance(shape, list) for shape in case.values()) and any(key in subject.given for key in case):
        extents = ", ".join(f"{symbol}: {extent}" for symbol, extent in islice(_extents(subject, case), _NAMED))
        message = f"{spell(at)} gives the shapes of inputs, not the extents of symbols"
        return Fault(at, message, f"write {{{extents or 'M: 4, N: 128'}}}")
    return None


def _extents(subject: Subject, case: dict[Any, Any]) -> Iterator[tuple[str, int]]:
    """The symbols of the inputs with the extents that a case has in their shapes."""
    told = set()
    for name, shape in case.items():
        for dimension, extent in zip(_dimensions(subject, name), shape, strict=False):
            symbol = str(dimension).strip()
            if symbol.isidentifier() and extent.__class__ is int and symbol not in told:
                told.add(symbol)
                yield symbol, extent


def _dimensions(subject: Subject, name: Any) -> Sequence[Any]:
    """The dimensions of a primary input as they are written; none of what is no input, and none of what is no shape."""
    shape = subject.given[name].data.get("shape") if name in subject.given else None
    if subject.shape(shape).problem:
        return ()
    return shape if isinstance(shape, list) else str(shape).strip()[1:-1].split(",")


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
