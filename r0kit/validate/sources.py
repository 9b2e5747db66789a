"""What is wrong with a source, and where the value that was meant can be read: loaded with the first such fault."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from re import search
from typing import Any

from r0kit.contract.likeness import in_ascii, nearest
from r0kit.contract.wire import PRIMARY, producer, source_of
from r0kit.contract.wording import described, shown, spell
from r0kit.finding import Fault
from r0kit.validate.subject import Caused, Entry, Module, Subject

_NAMED = 5  # values that a hint lists


def unlisted(subject: Subject) -> Iterator[Fault]:
    """The one fault of primary inputs that are missing, or not written as such, however many Modules read them."""
    wanted = dict.fromkeys(
        name
        for module, wire in subject.reads_of_primary()
        if (name := wire.name) is not None and not _where_it_is(subject, name, module)
    )
    if wanted:
        names = ", ".join(map(shown, islice(wanted, _NAMED)))
        absent = "primary_inputs" not in subject.root.data
        said = "the contract has no primary_inputs" if absent else "primary_inputs does not list what is read of it"
        hint = f"list each primary input as {{name: {next(iter(wanted))}, shape: ..., dtype: ...}}"
        yield Fault(("primary_inputs",), f"{said}: Modules read {names}", hint)


def not_primary(subject: Subject, module: Module, wire: Entry) -> Caused:
    """The fault of an input that no primary input is called after."""
    name = wire.data["name"]
    found, meant = _where_it_is(subject, name, module), misnamed(subject, PRIMARY, name)
    if meant is not None and not found:
        message = f"Modules read a primary input {shown(name)}, which there is not, and none reads {shown(meant.name)}"
        yield Fault(meant.at("name"), message, f"did you mean {shown(name)}?"), meant
    elif subject.primary_is_known or found:
        hint = found or subject.suggestion(name, subject.given) or _primary_hint(subject, name)
        yield Fault(wire.at("name"), f"{module}: no primary input is called {shown(name)}", hint), None


def _primary_hint(subject: Subject, name: str) -> str:
    known = ", ".join(map(shown, islice(subject.given, _NAMED)))
    return (
        f"the primary inputs are {known}; add {shown(name)} to them"
        if known
        else f"add {shown(name)} to primary_inputs"
    )


def _where_it_is(subject: Subject, name: str, reader: Module | None) -> str:
    """Where `reader` (None: a final output) can take `name` from: the latest Module before it, or the primary inputs."""
    producers = _before(reader, subject.producers(name))
    if producers:
        return f"Module {producers[-1]} produces it: write `source: module_{producers[-1]}`"
    return "it is a primary input: write `source: primary`" if reader is not None and name in subject.given else ""


def _near_one(subject: Subject, name: str, reader: Module | None) -> str:
    """A name like `name` that `reader` (None: a final output) can take, and where it is: the latest Module's first."""
    numbers = _before(reader, sorted(subject.made))
    near = subject.near(name, (made for number in reversed(numbers) for made in subject.made[number]))
    return f"did you mean {shown(near)}? {_where_it_is(subject, near, reader)}" if near else ""


def _before(reader: Module | None, numbers: list[int]) -> list[int]:
    """Those of the Modules `numbers`, in order, from which `reader` (None: a final output) can take values."""
    return numbers if reader is None or reader.id is None else numbers[: bisect_left(numbers, reader.id)]


def _renumber(module: Module) -> str:
    return f"the id of modules[{module.index}] is wrong: write id: {module.number} there"


def _remedy(subject: Subject, name: str | None, reader: Module | None) -> str:
    """Where the value is that was meant, as far as its name tells."""
    return "" if name is None else _where_it_is(subject, name, reader) or _near_one(subject, name, reader)


def wire_faults(subject: Subject, module: Module, wire: Entry, number: int | None) -> Caused:
    """The fault of an input whose source, of this number, is none, or has no such value."""
    if number is None:
        yield _no_source(subject, wire, module), None
        return
    name, source = wire.name, wire.data["source"]
    label = f"{module}, input {shown(wire.data.get('name'))}"
    if module.id is not None and number >= module.id:
        what = "the Module itself" if number == module.id else "a later Module"
        misnumbered = number < module.number
        hint = f"{_renumber(module)}" if misnumbered else _remedy(subject, name, module)
        fault = Fault(wire.at("source"), f"{label}: the source {shown(source)} is {what}", hint)
        yield fault, module if misnumbered else None
    else:
        yield from _not_an_output(subject, wire, label, number, module)


def _not_an_output(subject: Subject, wire: Entry, label: str, number: int, reader: Module | None) -> Caused:
    """The fault of an entry whose name is no output of Module `number`, read by `reader` (None: a final output)."""
    name, outputs = wire.data["name"], subject.made.get(number)
    if subject.may_make(number, name):
        return
    if not outputs:
        cause, hint = _lost(subject, number)
        message = f"{label}: there is no Module {number} with outputs"
        yield Fault(wire.at("source"), message, hint or _remedy(subject, name, reader)), cause
        return
    found, meant = _where_it_is(subject, name, reader), misnamed(subject, number, name)
    if meant is not None and not found:
        message = (
            f"Module {number} has no output {shown(name)}, which several read, and nobody reads {shown(meant.name)}"
        )
        yield Fault(meant.at("name"), message, f"did you mean {shown(name)}?"), meant
        return
    known = f"it has {', '.join(map(shown, islice(outputs, _NAMED)))}"
    hint = found or subject.suggestion(name, outputs) or known
    yield Fault(wire.at("name"), f"{label}: Module {number} has no output {shown(name)}", hint), None


def _lost(subject: Subject, number: int) -> tuple[Module | None, str]:
    """The Module that is meant by `number`, where its own id or outputs are at fault, and what to do there."""
    module = subject.numbered.get(number)
    if module is None:
        return None, ""
    return module, f"list its outputs in modules[{module.index}]" if module.id == number else _renumber(module)


def _no_source(subject: Subject, wire: Entry, reader: Module | None) -> Fault:
    """The fault of an entry, of `reader` or a final output (None), whose `source` is missing or names nothing."""
    name = shown(wire.data.get("name"))
    label = f"final output {name}" if reader is None else f"{reader}, input {name}"
    expected = "module_<j>" if reader is None else "primary or module_<j>"
    if "source" not in wire.data:
        message = f"{label} has no source: {expected}"
        return Fault(wire.path, message, _remedy(subject, wire.name, reader) or "add `source:`")
    message = f"{label}: {described(wire.data['source'])} is not {expected}"
    return Fault(wire.at("source"), message, _source_hint(subject, wire, reader))


def _source_hint(subject: Subject, wire: Entry, reader: Module | None) -> str:
    """What an odd source stands for, where the value is there; else where the value is."""
    source, name = wire.data["source"], wire.name
    number = _meant_source(subject, source)
    called = f", which is called {shown(source)}" if isinstance(source, str) and source in subject.called else ""
    meant = f"did you mean {source_of(number)}{called}?" if number is not None else ""
    if name in subject.values_of(number):
        return meant
    counted = "Modules are counted from 1: module_1, module_2, ..."
    return _remedy(subject, name, reader) or meant or counted


def _meant_source(subject: Subject, source: Any) -> int | None:
    """The number that an odd source stands for: spelt otherwise, the name of a Module, or its bare number."""
    if not isinstance(source, str | int):
        return None
    text = in_ascii(str(source)).casefold().replace(" ", "").replace("-", "_")
    number = PRIMARY if nearest(text, ("primary",)) else producer(text)
    if number is not None:
        return number
    digits = search("[1-9][0-9]{0,5}", text)
    return subject.called.get(str(source), int(digits[0]) if digits and int(digits[0]) in subject.made else None)


def final_faults(subject: Subject, final: Entry, last: int) -> Caused:
    """What is wrong with a final output that is not one of the outputs of its source."""
    name, source = final.name, final.data.get("source")
    label = f"final output {shown(final.data.get('name'))}"
    number = producer(source)
    if name is None and "source" not in final.data:
        hint = "write {name: y, source: module_2} for an output y of Module 2"
        yield Fault(final.path, f"{spell(final.path)} has no name and no source", hint), None
        return
    if name is None:
        yield Fault(final.path, f"{label} has no name", "name the output of the Module that produces it"), None
    if number is None:
        yield _no_source(subject, final, None), None
    elif number == PRIMARY:
        hint = "let a vector Module copy an input that the golden returns as it is"
        message = f"{label}: a final output comes from a Module, not from the primary inputs"
        yield Fault(final.at("source"), message, hint), None
    elif number > last:
        message = f"{label}: the source {shown(source)} is beyond module_count {last}"
        yield Fault(final.at("source"), message, _remedy(subject, name, None)), None
    elif name is not None:
        yield from _not_an_output(subject, final, label, number, None)


def misnamed(subject: Subject, number: int, name: str) -> Entry | None:
    """The value of the source `number` that nobody reads, where several read `name` instead, which it has not."""
    if subject.misnamed is None:
        subject.misnamed = dict(_names_in_vain(subject))
    return subject.misnamed.get((number, name))


def _names_in_vain(subject: Subject) -> Iterator[tuple[tuple[int | None, str], Entry]]:
    reads: dict[int | None, Counter[str]] = {}
    for wire in subject.wires():
        if wire.name is not None:
            reads.setdefault(producer(wire.data.get("source")), Counter())[wire.name] += 1
    for number, names in reads.items():
        values = subject.values_of(number)
        unread = [name for name in values if name not in names]
        vain = [name for name in names if name not in values]
        for name in vain if unread else ():
            meant = subject.near(name, unread) or (unread[0] if len(unread) == len(vain) == 1 else "")
            if names[name] > 1 and meant:
                yield (number, name), values[meant]
