"""What changed in one Module that both contracts have."""

from collections.abc import Iterator
from typing import Any

from r0kit.contract.model import NOTHING, Module, Record
from r0kit.diff.model import Change, Path
from r0kit.diff.records import by_key, by_name, differ, differing, renumbered, renumbered_self, spelled
from r0kit.diff.sides import Sides
from r0kit.diff.values import tensors, wires

_TEXTS = ("name", "description", "golden_stage_fn", "golden_steps", "source_lines")


def module_changes(source: int, position: int, both: Sides) -> Iterator[Change]:
    """Every change of the Module at position `source` of OLD and `position` of NEW, with its numbers in both."""
    old, new = both.old.modules[source], both.new.modules[position]
    at = ("modules", position)
    if old.section != new.section:
        yield Change("section", "", spelled(old.section), spelled(new.section), old.id, new.id, (*at, "section"))
    for change in (*_values(old, new, at, both), *_records(old, new, at), *_texts(old, new, at, both)):
        place = ("modules", source, *change.at[2:]) if change.gone else change.at
        yield change._replace(old=old.id, new=new.id, at=place)


def _values(old: Module, new: Module, at: Path, both: Sides) -> Iterator[Change]:
    yield from wires(old.inputs, new.inputs, "input", (*at, "inputs"), both)
    for change in tensors(old.outputs, new.outputs, "output", (*at, "outputs")):
        if change.kind == "output_added" and change.value in both.old_makers:
            yield change._replace(kind="output_taken_over", before=both.old_makers[change.value])
        elif change.kind == "output_removed" and change.value in both.new_makers:
            yield change._replace(kind="output_handed_over", after=both.new_makers[change.value])
        else:
            yield change


def _records(old: Module, new: Module, at: Path) -> Iterator[Change]:
    """What later rounds take from the Module beside its values: traversal, states, handoffs, API chains."""
    before, after = old.traversal or NOTHING, new.traversal or NOTHING
    place = (*at, "traversal")
    yield from by_key("traversal", before, after, place, known=("state",))
    yield from _listed("state", _entries(before.get("state")), _entries(after.get("state")), "name", (*place, "state"))
    yield from _listed("handoff", old.handoff, new.handoff, "value", (*at, "handoff"))
    yield from by_name("api", old.api, new.api, "value", (*at, "api"))


def _listed(kind: str, before: tuple[Record, ...], after: tuple[Record, ...], name: str, at: Path) -> Iterator[Change]:
    """Changes of records that can come and go."""
    old, new = (([spelled(record.get(name)) for record in records]) for records in (before, after))
    for change in by_name(kind, before, after, name, at):
        if change.value not in old:
            yield change._replace(kind=f"{kind}_added")
        elif change.value not in new:
            yield change._replace(kind=f"{kind}_removed")
        else:
            yield change


def _texts(old: Module, new: Module, at: Path, both: Sides) -> Iterator[Change]:
    """What people read and later rounds do not build on. A stage function that only got its new number is unchanged."""
    for key in _TEXTS:
        was, now = getattr(old, key), getattr(new, key)
        if differ(was, now) and not (key == "golden_stage_fn" and old.id != new.id):
            yield Change(key, "", spelled(was), spelled(now), at=(*at, key))
    reasons, given = renumbered(old.boundary, both), renumbered_self(new.boundary)
    if differ(reasons, given):
        yield Change("boundary", "", *_apart(reasons, given), at=(*at, "boundary"))
    yield from by_key("other", old.extra, new.extra, at)


def _apart(before: list[Any], after: list[Any]) -> tuple[str, str]:
    """The records that the other list has not."""
    known, kept = ({repr(record) for record in records} for records in (before, after))
    was, now = ([r for r in one if repr(r) not in other] for one, other in ((before, kept), (after, known)))
    if len(was) == len(now) == 1:
        return differing(was[0], now[0])
    return spelled(was), spelled(now)


def _entries(value: object) -> tuple[Record, ...]:
    return tuple(item for item in value if isinstance(item, dict)) if isinstance(value, (list, tuple)) else ()
