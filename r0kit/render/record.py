"""Reading the optional records of a contract, which older files lack and newer ones may extend."""

from collections.abc import Mapping
from typing import Any

from r0kit.contract import wire
from r0kit.contract.model import PRIMARY, Record
from r0kit.render.escape import Safe, plain
from r0kit.render.words import Words


def entries(value: object) -> tuple[Record, ...]:
    """The mappings in `value`: a list of them, or one alone. Anything else has nothing to show."""
    if isinstance(value, Mapping):
        return (value,)
    if isinstance(value, (list, tuple)):
        return tuple(item for item in value if isinstance(item, Mapping))
    return ()


def pick(record: Record, *keys: str) -> Any:
    """The value under the first of `keys` that the record has; None where it has none of them."""
    return next((record[key] for key in keys if record.get(key) is not None), None)


def rest(record: Record, words: Words, *known: str) -> Safe:
    """Everything in the record but the `known` keys, as `key`: `value`, so that nothing recorded goes unseen."""
    shown = (
        f"{words.mark(key)}: {words.mark(value)}" for key, value in record.items() if key not in known and plain(value)
    )
    return Safe("; ".join(shown))


def producer(source: object) -> int | None:
    """The Module that a record names as `module_<j>`, `phase_<j>`, a number, or `primary`; None for anything else."""
    return source if source.__class__ is int else wire.producer(source)


def origin(source: object, words: Words) -> Safe:
    """Where a record says that a value comes from: "Module 2", "primary inputs", or the text it holds."""
    number = producer(source)
    if number is None:
        return words.code(source)
    return words.say("primary") if number == PRIMARY else words.say("module", id=number)


def section(name: str, words: Words) -> Safe:
    """A Module's section as people write it: Cube or Vector, or what the contract says instead."""
    key = f"section.{name}"
    return words.say(key) if words.known(key) else words.code(name)
