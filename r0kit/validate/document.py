"""The file as a whole: its structure, what is still to be filled in, its tolerances, its keys: rule0, 11, 14 and 18."""

from collections.abc import Iterator
from math import isfinite
from re import compile as pattern
from typing import Any

from r0kit.contract.structure import structure_faults
from r0kit.contract.wording import described, shown
from r0kit.finding import Fault
from r0kit.validate.subject import Subject

POLICIES = ("pro_scheme_a",)

_VERIFICATION = ("composition_verification",)
_SAMPLES = (  # the lists in it: key, class of an entry, what that must be, and a list as written
    ("seeds", int, "an integer", "[42, 123]"),
    ("shapes", dict, "a mapping of symbols to extents", "[{M: 4, N: 128}]"),
)

# What a YAML text with a placeholder has: without any of it, the values need not be searched one by one.
_SIGNS = ("todo", "fixme", "tbd", "tbc", "xxx", "placeholder", "changeme", "...", "…", "?", "？", "待", "<", "\\")
_BRACES = pattern(r"\{[^{}:,]+\}")


def structure(subject: Subject) -> Iterator[Fault]:
    """rule0: one non-empty mapping with op, module_count and modules; every entry has its shape, every key is text."""
    yield from subject.misspelt("rule0")
    faults = structure_faults(subject.document.data)
    if faults:
        from r0kit.validate.misshapen import misshapen  # most contracts are shaped as they must be

        yield from misshapen(subject, faults)
    if subject.document.odd_keys:
        from r0kit.validate.odd_keys import not_text  # most keys are text

        yield from not_text(subject)


def placeholders(subject: Subject) -> Iterator[Fault]:
    """rule11: nothing is left to be filled in."""
    text = subject.document.text.lower()
    if not any(sign in text for sign in _SIGNS) and not _BRACES.search(text):
        return
    from r0kit.validate.placeholders import left_in  # most contracts have no such sign

    yield from left_in(subject.document.data)


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
    for key, kind, what, example in _SAMPLES:
        yield from _samples(record, key, kind, what, example)


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
        from r0kit.contract.remedies import number_remedy  # most tolerances are numbers

        yield Fault(at, f"{key} must be a number, not {described(value)}", number_remedy(value))
    elif not isfinite(value) or value < 0:
        yield Fault(
            at, f"{key} is {shown(value)}: a tolerance is finite and not negative", "write a number such as 0.001"
        )


def _samples(record: dict[Any, Any], key: str, kind: type, what: str, example: str) -> Iterator[Fault]:
    """The faults of a list of samples, which has one entry at least."""
    values = record.get(key)
    at = (*_VERIFICATION, key)
    if key not in record:
        yield Fault(_VERIFICATION, f"composition_verification has no {key}", f"add {key}, such as {example}")
    elif not isinstance(values, list) or not values:
        what_is = "empty" if values == [] else described(values)
        message = f"{key} must be a list with at least one entry, not {what_is}"
        yield Fault(at, message, f"write a list such as {example}")
    else:
        for index, value in enumerate(values):
            if value.__class__ is not kind:
                from r0kit.contract.remedies import remedy  # most entries are right

                message = f"{key}[{index}] must be {what}, not {described(value)}"
                hint = remedy(what, value)
                yield Fault((*at, index), message, f"{hint}, such as {example[1:-1]}" if what in hint else hint)


def keys(subject: Subject) -> Iterator[Fault]:
    """rule18: every key means something, and stands once."""
    if subject.document.duplicates or "rule18" in subject.unknown:
        from r0kit.validate.odd_keys import duplicates, unknown  # most contracts have none

        yield from duplicates(subject)  # which are errors: that there are too many of the others must not hide them
        yield from unknown(subject)
    if subject.has_records:
        from r0kit.validate.records import slips_in_records  # not every contract has any

        yield from slips_in_records(subject)
