"""Whether producers and consumers agree, and whether everything that is made or given is read: rule13."""

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

from r0kit.contract.wire import PRIMARY, producer
from r0kit.contract.wording import shown
from r0kit.finding import Fault
from r0kit.validate.subject import Entry, Subject

_LONGEST = 1_000  # characters or dimensions of a shape that are compared


def agreement(subject: Subject) -> Iterator[Fault]:
    """rule13: consumers see what producers make, and everything that is made or given is used."""
    uses = _Uses()
    for wire in subject.wires():
        number = producer(wire.data.get("source"))
        uses.note(wire, number, subject.values_of(number))
        yield from _disagreements(subject, wire)
    uses.anywhere.update(subject.bare_names())
    yield from _unused(subject, uses)
    if subject.has_records:
        from r0kit.validate.records import records_agree  # not every contract has any

        yield from records_agree(subject)


class _Uses:
    """What is read: values by the number of their source; names that are read from nobody knows where; and by source the
    names that are read of it in vain, which some value of it was meant by."""

    def __init__(self) -> None:
        self.sure: set[tuple[int | None, str | None]] = set()
        self.anywhere: set[Any] = set()
        self.blind = False  # whether something is read of which neither name nor source is known
        self.vain: dict[int | None, list[str | None]] = {}

    def note(self, wire: Entry, number: int | None, names: Container[str | None]) -> None:
        name = wire.name
        if name in names:
            self.sure.add((number, name))
            return
        self.blind = self.blind or (name is None and number is None)
        self.anywhere.add(name)
        self.vain.setdefault(number, []).append(name)


def _disagreements(subject: Subject, wire: Entry) -> Iterator[Fault]:
    for key in ("shape", "dtype"):
        made = subject.source_of(wire) if key in wire.data else None
        if made is not None and key in made.data:
            here, there = _written(wire.data[key]), _written(made.data[key])
            if here != there:
                message = f"{shown(wire.name)} has the {key} {shown(here)} here and {shown(there)} where it is made"
                yield Fault(wire.at(key), message, f"write {shown(there)}, or leave the {key} out")


def _written(value: Any) -> str:
    """A shape or dtype as text without blanks: "[M, 4]" and the list of M and 4 are the same. Cut where it is no shape."""
    text = f"[{','.join(map(str, value[:_LONGEST]))}]" if isinstance(value, list) else str(value)
    return "".join(text[:_LONGEST].split())


def _unused(subject: Subject, uses: _Uses) -> Iterator[Fault]:
    """What nobody reads, as far as that can be told: where a reader is not known, neither is what it reads."""
    if uses.blind or not subject.reads_are_known:
        return
    for entry in _unread(subject, uses, PRIMARY, subject.primary):
        yield Fault(entry.at("name"), f"the primary input {shown(entry.name)} is used by no Module")
    if not subject.finals_are_known:
        return
    for module in subject.modules:
        for output in _unread(subject, uses, module.id, module.outputs) if module.id is not None else ():
            yield Fault(output.at("name"), f"{module}: the output {shown(output.name)} is neither used nor final")


def _unread(subject: Subject, uses: _Uses, number: int, entries: Sequence[Entry]) -> Iterable[Entry]:
    unread = {
        name: entry
        for entry in entries
        if (name := entry.name) is not None and (number, name) not in uses.sure and name not in uses.anywhere
    }
    for name in uses.vain.get(number, ()):
        if not unread:
            break  # nothing is left that could be meant, and suggestions are counted
        meant = subject.near(name, unread) if name else None
        unread.pop(meant if meant is not None else next(iter(unread)) if len(unread) == 1 else "", None)
    return unread.values()
