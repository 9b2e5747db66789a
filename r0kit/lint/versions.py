"""Versions of pypto: which API names each one has, and in which of them a pitfall holds."""

import json
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

JUDGED = "0.2.0"  # the version that the tests compile kernels with; taken where none is asked for
BEFORE = "0.1"  # a version in which the pitfalls that JUDGED has left behind still hold
NEWER = "9999"  # whatever comes after it: the public source, as far as it goes beyond JUDGED


class Api(NamedTuple):
    """Names of the graph API by version; aliases: what torch and others call it -> what pypto does."""

    names: dict[str, frozenset[str]]
    methods: frozenset[str]
    newer_methods: frozenset[str]
    aliases: dict[str, str]


@lru_cache(maxsize=1)
def api() -> Api:
    """The table `api.json`, which says where it comes from."""
    data = json.loads(files(__package__).joinpath("api.json").read_text("utf-8"))
    names = {version: frozenset(listed) for version, listed in data["names"].items()}
    return Api(names, frozenset(data["methods"]), frozenset(data["newer_methods"]), data["aliases"])


def names_of(version: str) -> frozenset[str]:
    """The names of the newest known version that is not newer than `version`; of the oldest one before that."""
    known = sorted(api().names, key=number)
    fitting = [name for name in known if number(name) <= number(version)] or known[:1]
    return api().names[fitting[-1]]


def number(version: str) -> tuple[int, ...]:
    """`0.2.0` as (0, 2); ValueError where it is no version. What follows the numbers (`rc1`, `+cpu`) is left out."""
    head = version.strip().removeprefix("v").split("+")[0]
    parts = [part for part in head.split(".") if part.isdecimal() and len(part) < 10]
    if not parts:
        raise ValueError(version)
    numbers = [int(part) for part in parts]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def holds(versions: str, version: str) -> bool:
    """Whether `version` lies in a range such as `>=0.1, <0.2.0`; an empty range is all of them."""
    return all(_fits(part.strip(), number(version)) for part in versions.split(",") if part.strip())


def _fits(bound: str, version: tuple[int, ...]) -> bool:
    return version < number(bound[1:]) if bound.startswith("<") else version >= number(bound.removeprefix(">="))
