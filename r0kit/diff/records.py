"""Records of a contract that are as free as YAML: compared as data, and told key by key."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from r0kit.contract import wire
from r0kit.contract.model import NOTHING as EMPTY
from r0kit.contract.model import Record
from r0kit.diff.model import Change, Path
from r0kit.diff.sides import Sides
from r0kit.diff.values import NOTHING, cut

_FIGURES = ("single_tile_limit", "buffers", "why")  # of a reduction axis: they explain a scheme and are none

_MODULES = ("module", "from")  # keys whose value names a Module


def contract_records(both: Sides) -> Iterator[Change]:
    """Changes of the records that belong to the contract as a whole."""
    old, new = both.old, both.new
    yield from by_key("parameter", old.params, new.params, ("params",))
    yield from by_name("symbol", old.symbols, new.symbols, "name", ("symbols",))
    yield from by_name("dimension", old.dimensions, new.dimensions, "name", ("dimensions",))
    yield from _reduction(both)
    if differ(old.wrapper, new.wrapper):
        yield Change("wrapper", "", spelled(old.wrapper), spelled(new.wrapper), at=("wrapper",))
    check = "composition_verification"
    yield from by_key("verification", old.verification._asdict(), new.verification._asdict(), (check,))
    yield from by_key("other", old.extra, new.extra, ())


def by_key(kind: str, before: Record, after: Record, at: Path, known: Iterable[str] = ()) -> Iterator[Change]:
    """One change per key whose value differs, or that one of the two lacks; `known` keys are left out."""
    for key in dict.fromkeys((*before, *after)):
        was, now = before.get(key), after.get(key)
        if differ(was, now) and key not in known:
            gone = key not in after
            yield Change(kind, str(key), spelled(was), spelled(now), at=(*at, key), gone=gone)


def by_name(kind: str, before: Iterable[Record], after: Iterable[Record], name: str, at: Path) -> Iterator[Change]:
    """One change per record that differs, where `name` is the key whose value tells records apart."""
    old, new = _named(before, name), _named(after, name)
    for key in dict.fromkeys((*old, *new)):
        (was, index), (now, position) = old.get(key, (None, 0)), new.get(key, (None, 0))
        if differ(was, now):
            said, says = differing(_without(was, name), _without(now, name))
            yield Change(kind, key, said, says, at=(*at, index if now is None else position), gone=now is None)


def differing(before: Record | None, after: Record | None) -> tuple[str, str]:
    """Both records without what is equal in them."""
    if before is None or after is None:
        return spelled(before), spelled(after)
    keys = [key for key in dict.fromkeys((*before, *after)) if differ(before.get(key), after.get(key))]
    return spelled({k: before[k] for k in keys if k in before}), spelled({k: after[k] for k in keys if k in after})


def differ(before: Any, after: Any) -> bool:
    """Whether two values differ for a reader: NaN is what it was, and what is empty is as good as not there."""
    if before != after and repr(before) != repr(after):
        return spelled(before) != NOTHING or spelled(after) != NOTHING
    return False


def renumbered(value: Any, both: Sides) -> Any:
    """`value` of OLD with Modules under their numbers in NEW."""
    if isinstance(value, Mapping):
        return {
            key: _number(item, both) if key in ("module", "from") else renumbered(item, both)
            for key, item in value.items()
        }
    return [renumbered(item, both) for item in value] if isinstance(value, (list, tuple)) else value


def spelled(value: Any) -> str:
    """A value on one line, cut where it is long."""
    return cut(_spelled(value))


def _reduction(both: Sides) -> Iterator[Change]:
    old = [renumbered(record, both) for record in both.old.reduction]
    new = [renumbered_self(record) for record in both.new.reduction]
    yield from by_name("reduction", map(_scheme, old), map(_scheme, new), "axis", ("reduction",))
    kept = _named(old, "axis").keys() & _named(new, "axis").keys()
    for change in by_name("reduction_figures", map(_figures, old), map(_figures, new), "axis", ("reduction",)):
        if change.value in kept:
            yield change


def renumbered_self(value: Any) -> Any:
    """`value` of NEW, in lists and dicts that compare with what `renumbered` makes of OLD."""
    if isinstance(value, Mapping):
        return {key: _source(item) if key in _MODULES else renumbered_self(item) for key, item in value.items()}
    return [renumbered_self(item) for item in value] if isinstance(value, (list, tuple)) else value


def _scheme(record: Record) -> Record:
    return {key: value for key, value in record.items() if key not in _FIGURES}


def _figures(record: Record) -> Record:
    return {key: value for key, value in record.items() if key in ("axis", *_FIGURES)}


def _number(source: Any, both: Sides) -> Any:
    found = _source(source)
    number = wire.producer(found)
    now = None if number is None else both.number(number)
    return found if now is None else wire.source_of(now)


def _source(source: Any) -> Any:
    """A Module as `module_<j>`, however the record spells it."""
    number = source if source.__class__ is int else wire.producer(source)
    return source if number is None else wire.source_of(number)


def _without(record: Record | None, name: str) -> Record | None:
    return None if record is None else {key: value for key, value in record.items() if key != name}


def _named(records: Iterable[Record], name: str) -> dict[str, tuple[Record, int]]:
    """Records by name, with their position; the second one of a name is `name (2)`."""
    found: dict[str, tuple[Record, int]] = {}
    times: Counter[str] = Counter()
    for index, record in enumerate(records):
        key = spelled(record.get(name, EMPTY))
        times[key] += 1
        found[key if times[key] == 1 else f"{key} ({times[key]})"] = (record, index)
    return found


def _spelled(value: Any) -> str:
    if value is None or (isinstance(value, (list, tuple, Mapping, str)) and not value):
        return NOTHING
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_nested(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_nested, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _nested(value: Any) -> str:
    """A value inside another one, in the brackets that YAML gives it."""
    if isinstance(value, Mapping):
        return f"{{{_spelled(value) if value else ''}}}"
    if isinstance(value, (list, tuple)):
        return f"[{_spelled(value) if value else ''}]"
    return _spelled(value)
