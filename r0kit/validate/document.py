"""The file as a whole: its structure, what is still to be filled in, its tolerances, its keys: rule0, 11, 14 and 18."""

from collections.abc import Callable, Iterator
from math import isfinite
from re import compile as pattern
from typing import Any, NamedTuple

from r0kit.contract.path import FIRST, KEY, Path
from r0kit.contract.structure import remedy, structure_faults
from r0kit.contract.wording import described, shown, spell
from r0kit.finding import Fault, Severity
from r0kit.validate.subject import Subject

POLICIES = ("pro_scheme_a",)

_VERIFICATION = ("composition_verification",)

# A word that stands for what is missing, anywhere in a text; or a text that is nothing else.
_PLACEHOLDER = pattern(
    r"(?<![A-Za-z0-9_])(?:TODO|FIXME|TBD|TBC|XXX)(?![A-Za-z0-9_])"
    r"|\A\s*(?:(?i:todo|fixme|tbd|tbc|xxx|placeholder|changeme)|\.\.\.|…|[?？]+|<[^<>]*>|\{[^{}:,]+\}|待定|待填写?|待补充?|待确认)\s*\Z"
)
# What a YAML text with a placeholder has: without any of it, the values need not be searched one by one.
_SIGNS = ("todo", "fixme", "tbd", "tbc", "xxx", "placeholder", "changeme", "...", "…", "?", "？", "待", "<", "\\")
_BRACES = pattern(r"\{[^{}:,]+\}")


def structure(subject: Subject) -> Iterator[Fault]:
    """rule0: one non-empty mapping with op, module_count and modules; every entry has its shape, every key is text."""
    yield from subject.misspelt("rule0")
    unread = _unread(subject) if subject.unknown else ()
    for fault in structure_faults(subject.document.data):
        if not any(fault.at[:count] in unread for count in range(1, len(fault.at) + 1)):
            yield fault._replace(hint=_number_of(subject, fault.at) or fault.hint)
    for path in subject.document.odd_keys:
        message = f"the key {shown(path[-1])} in {spell(path[:-1])} is not text"
        yield Fault((*path, KEY), message, _odd_key_hint(subject, path))


def _unread(subject: Subject) -> set[Path]:
    """The keys as they were meant that another rule calls misspelt: nothing below them has a structure yet."""
    from r0kit.validate.misspelt import owner  # most contracts have no unknown keys

    return {(*slip.path, slip.meant) for slip in subject.unknown if owner(slip) != "rule0"}


def _odd_key_hint(subject: Subject, path: Path) -> str:
    value = subject.document.data
    for step in path:
        if isinstance(value, dict):
            value = value.get(step, "")
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:  # the key stands in a value that a second one of the same key has replaced
            return "put it in quotes"
    if value is None and isinstance(path[-1], int):  # what a comma has made of `atol: 0,001`
        return "write a number with a point, and text that has a comma in quotes"
    return "put it in quotes"


def _number_of(subject: Subject, path: Path) -> str:
    """The hint that says the number, where `path` is module_count or the id of a Module."""
    modules = subject.root.data.get("modules")
    if path == ("module_count",) and isinstance(modules, list) and modules:
        return f"write module_count: {len(modules)}"
    return f"write id: {path[1] + 1}" if path[2:] == ("id",) else ""


def placeholders(subject: Subject) -> Iterator[Fault]:
    """rule11: nothing is left to be filled in."""
    text = subject.document.text.lower()
    if not any(sign in text for sign in _SIGNS) and not _BRACES.search(text):
        return
    pending: list[tuple[Path, Any]] = [((), subject.document.data)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, dict):
            pending += (((*path, key), child) for key, child in value.items())
        elif isinstance(value, list):
            pending += (((*path, index), child) for index, child in enumerate(value))
        elif isinstance(value, str) and _PLACEHOLDER.search(value):
            yield Fault(path, f"{spell(path)} still has to be filled in: {shown(value)}")


def verification(subject: Subject) -> Iterator[Fault]:
    """rule14: composition_verification says how far results may be off, and has a seed and a shape to try."""
    yield from subject.misspelt("rule14")
    record = subject.verification
    if isinstance(subject.document.data, dict) and "composition_verification" not in subject.root.data:
        yield Fault((), "the contract has no composition_verification", "add atol, rtol, seeds and shapes")
    if not isinstance(record, dict):
        return
    yield from _policy(record)
    for key in ("atol", "rtol"):
        if key in record or "policy" not in record:
            yield from _tolerance(record, key)
    yield from _samples(record, _SEEDS)
    yield from _samples(record, _SHAPES)


def _policy(record: dict[Any, Any]) -> Iterator[Fault]:
    policy = record.get("policy", POLICIES[0])
    if policy not in POLICIES:
        yield Fault(
            (*_VERIFICATION, "policy"), f"{described(policy)} is no policy", f"write {POLICIES[0]}, or atol and rtol"
        )


def _tolerance(record: dict[Any, Any], key: str) -> Iterator[Fault]:
    if key not in record:
        yield Fault(_VERIFICATION, f"composition_verification has no {key}", f"add {key}, for example {key}: 0.001")
        return
    value = record[key]
    at = (*_VERIFICATION, key)
    if not isinstance(value, int | float) or isinstance(value, bool):
        yield Fault(at, f"{key} must be a number, not {described(value)}", _number_hint(value))
    elif not isfinite(value) or value < 0:
        yield Fault(
            at, f"{key} is {shown(value)}: a tolerance is finite and not negative", "write a number such as 0.001"
        )


def _number_hint(value: Any) -> str:
    text = value.replace(",", ".") if isinstance(value, str) else ""
    try:
        number = float(text)
    except ValueError:
        return "write a number such as 0.001"
    if not isfinite(number):
        return "write 0.001"
    if "," in value:
        return f"write it with a point: {number!r}"
    if "." in value or value.isdecimal():
        return f"remove the quotes: {value}"
    return f"YAML 1.1 reads {shown(value)} as text: write it with a point, {number!r}"


class _Samples(NamedTuple):
    """A list of composition_verification: its key, what each entry is, whether a value is one, and a list as written."""

    key: str
    what: str
    fits: Callable[[Any], bool]
    example: str


_SEEDS = _Samples("seeds", "an integer", lambda seed: seed.__class__ is int, "[42, 123]")
_SHAPES = _Samples("shapes", "a mapping of symbols to extents", lambda case: isinstance(case, dict), "[{M: 4, N: 128}]")


def _samples(record: dict[Any, Any], samples: _Samples) -> Iterator[Fault]:
    """The faults of a list of samples, which has one entry at least."""
    key, what = samples.key, samples.what
    values = record.get(key)
    at = (*_VERIFICATION, key)
    if key not in record:
        yield Fault(_VERIFICATION, f"composition_verification has no {key}", f"add {key}, such as {samples.example}")
    elif not isinstance(values, list) or not values:
        what_is = "empty" if values == [] else described(values)
        message = f"{key} must be a list with at least one entry, not {what_is}"
        yield Fault(at, message, f"write a list such as {samples.example}")
    else:
        for index, value in enumerate(values):
            if not samples.fits(value):
                message = f"{key}[{index}] must be {what}, not {described(value)}"
                hint = remedy(what, value)
                yield Fault((*at, index), message, f"{hint}, such as {samples.example[1:-1]}" if what in hint else hint)


def keys(subject: Subject) -> Iterator[Fault]:
    """rule18: every key means something, and stands once."""
    yield from _duplicates(subject)  # which are errors: that there are too many of the others must not hide them
    yield from _unknown(subject) if subject.unknown else ()
    if subject.has_records:
        from r0kit.validate.records import slips_in_records  # not every contract has any

        yield from slips_in_records(subject)


def _unknown(subject: Subject) -> Iterator[Fault]:
    from r0kit.validate.misspelt import owner  # as above

    for slip in subject.unknown:
        if owner(slip) == "rule18":
            message = f"the key {shown(slip.key)} in {spell(slip.path)} means nothing here"
            hint = slip.hint or subject.suggestion(slip.key, slip.record.fields)
            yield Fault((*slip.path, slip.key, KEY), message, hint)


def _duplicates(subject: Subject) -> Iterator[Fault]:
    duplicates = subject.document.duplicates
    first = subject.document.locate((*path, FIRST) for path in duplicates) if duplicates else {}
    for path in duplicates:
        line = first[(*path, FIRST)].line
        message = f"the key {shown(path[-1])} occurs twice in {spell(path[:-1])}, first in line {line}"
        yield Fault((*path, KEY), message, "keep one of them: the last one wins", Severity.ERROR)
