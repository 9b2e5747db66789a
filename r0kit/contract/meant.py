"""A contract as it was meant: with the keys that are misspelt as they are called.

A key that is misspelt says nothing, and everything that would have followed from it is missing. Whoever judges the rest of
the contract looks at what was meant, so that one slip is one finding.
"""

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Any, NamedTuple

from r0kit.contract.likeness import full_width, in_ascii, nearest
from r0kit.contract.path import Path
from r0kit.contract.structure import CONTRACT, MODULE, Kind, Listing, Record
from r0kit.contract.wording import shown

_ALIKE = 0.8  # how alike a key must be to the one that was meant: `section` and `direction` are not
_MOST = 200  # misspelt keys that are looked for

# What else the values of a contract are called, where it is not nearly the same.
_ALSO = {
    **dict.fromkeys(("from", "src", "producer", "origin"), "source"),
    "data_type": "dtype",
    **dict.fromkeys(("dim", "dims", "dimensions", "size"), "shape"),
    **dict.fromkeys(("result", "results"), "outputs"),
    **dict.fromkeys(("arg", "args", "operands"), "inputs"),
    **dict.fromkeys(("domain", "unit", "core"), "section"),
    **dict.fromkeys(("module", "number", "index", "no"), "id"),
}


# The fields of a record that have parts with keys of their own.
_PARTS = {
    id(CONTRACT): tuple(
        (key, CONTRACT.fields[key])
        for key in ("primary_inputs", "modules", "final_outputs", "composition_verification")
    ),
    id(MODULE): tuple((key, MODULE.fields[key]) for key in ("inputs", "outputs")),
}


class Unknown(NamedTuple):
    """A key that means nothing in a mapping of the kind `record` at `path`; meant: the key that it stands for, or ""."""

    path: Path
    key: str
    record: Record
    meant: str = ""

    @property
    def hint(self) -> str:
        """What to write instead, as far as the spelling tells; "" where it tells nothing."""
        name, colon, rest = in_ascii(self.key).partition(":")
        if colon and name.strip() in self.record.fields:
            return full_width(self.key) or f"write a blank behind the colon: `{name.strip()}: {shown(rest)[1:-1]}`"
        return f"did you mean {shown(self.meant)}?" if self.meant else ""


class Meant(NamedTuple):
    """The data of a contract as it was meant, and the keys that mean nothing as they are written."""

    data: Any
    unknown: tuple[Unknown, ...] = ()

    @property
    def renamed(self) -> dict[Path, str]:
        """The keys as they are written by their paths as they were meant."""
        return {(*slip.path, slip.meant): slip.key for slip in self.unknown if slip.meant}


def as_meant(data: Any) -> Meant:
    """`data` with the misspelt keys renamed; the same object where there are none."""
    unknown: list[Unknown] = []
    return Meant(_meant(CONTRACT, data, (), unknown), tuple(unknown))


def _meant(kind: Kind | None, value: Any, path: Path, unknown: list[Unknown]) -> Any:
    if kind.__class__ is Record and value.__class__ is dict:
        return _meant_record(kind, value, path, unknown)
    if kind.__class__ is Listing and value.__class__ is list:
        entries = [_meant(kind.of, entry, (*path, index), unknown) for index, entry in enumerate(value)]
        return entries if any(map(_is_other, entries, value)) else value
    return value


def _is_other(new: Any, old: Any) -> bool:
    return new is not old


def _meant_record(record: Record, value: dict[Any, Any], path: Path, unknown: list[Unknown]) -> dict[Any, Any]:
    if not value.keys() <= record.fields.keys():
        value = _renamed(record, value, path, unknown)
    changed = {}
    for key, field in _PARTS.get(id(record), ()):
        old = value.get(key)
        new = _meant(field, old, (*path, key), unknown)
        if new is not old:
            changed[key] = new
    return {**value, **changed} if changed else value


def _renamed(record: Record, value: dict[Any, Any], path: Path, unknown: list[Unknown]) -> dict[Any, Any]:
    """`value` with its misspelt keys renamed, all of which are noted with the others that are unknown."""
    value = _with_whole_shape(record, value)
    absent = dict.fromkeys(field for field in record.fields if field not in value)
    renamed: dict[Any, Any] = {}
    for key, child in value.items():
        meant = ""
        if isinstance(key, str) and key not in record.fields:
            meant = _meant_key(key, absent) if len(unknown) < _MOST else ""
            absent.pop(meant, None)
            unknown.append(Unknown(path, key, record, meant))
        renamed[meant or key] = _behind_the_colon(key) if meant and child is None else child
    return renamed


def _with_whole_shape(record: Record, value: dict[Any, Any]) -> dict[Any, Any]:
    """`value` with the dimensions that a shape without quotes has lost: `{shape: M, N}` has a shape M, and a key N."""
    if "shape" not in record.fields or not isinstance(value.get("shape"), str):
        return value
    keys = list(value)
    behind = keys[keys.index("shape") + 1 :]
    lost = list(takewhile(lambda key: value[key] is None and key not in record.fields, behind))
    kept = {key: child for key, child in value.items() if key not in lost}
    return {**kept, "shape": ", ".join((value["shape"], *map(str, lost)))}


def _meant_key(key: str, absent: dict[str, None]) -> str:
    name = in_ascii(key).partition(":")[0].strip()
    also = _ALSO.get(name.casefold(), "")
    return also if also in absent else nearly(name, absent)


def nearly(name: str, known: Iterable[str]) -> str:
    """The one of the names `known` that was hardly anything else before it was mistyped; "" where there is none."""
    known = list(known)
    return nearest(name, known, _ALIKE) or next((each for each in known if _one_slip(name, each)), "")


def _one_slip(name: str, key: str) -> bool:
    """Whether one letter is another, or all of them are there in another order: too much for the likeness of short keys."""
    if len(name) != len(key) or len(key) < 3:
        return False
    return sum(map(str.__ne__, name, key)) == 1 or sorted(name) == sorted(key)


def _behind_the_colon(key: str) -> str | None:
    """The value that stands in a key without a blank behind its colon: `{name:x}`."""
    return in_ascii(key).partition(":")[2].strip() or None


def as_written(path: Path, renamed: dict[Path, str]) -> Iterator[Any]:
    """The steps of `path` with the keys that stand in the text."""
    for count, step in enumerate(path, 1):
        yield renamed.get(path[:count], step)
