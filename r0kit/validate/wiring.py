"""Where values come from and go to: rule1, rule2, rule3, rule4 and rule13."""

from bisect import bisect_left
from collections.abc import Container, Iterator
from itertools import islice
from re import search
from typing import Any

from r0kit.contract.structure import is_integer
from r0kit.contract.wire import PRIMARY, producer, source_of
from r0kit.contract.wording import described, in_ascii, nearest, shown
from r0kit.finding import Fault
from r0kit.validate.subject import Entry, Module, Subject

_NAMED = 5  # values that a hint lists
_LONGEST = 1_000  # characters or dimensions of a shape that are compared


def primary_sources(subject: Subject) -> Iterator[Fault]:
    """rule1: an input with `source: primary` names a primary input."""
    for module in subject.modules:
        for wire in module.inputs:
            name = wire.name
            if name is not None and name not in subject.given and wire.data.get("source") == "primary":
                message = f"{module}: no primary input is called {shown(name)}"
                hint = _where_it_is(subject, name, module) or subject.suggestion(name, subject.given)
                yield Fault(wire.at("name"), message, hint or _primary_hint(subject, name))


def _primary_hint(subject: Subject, name: str) -> str:
    known = ", ".join(map(shown, islice(subject.given, _NAMED)))
    return (
        f"the primary inputs are {known}; add {shown(name)} to them"
        if known
        else f"add {shown(name)} to primary_inputs"
    )


def _where_it_is(subject: Subject, name: str, reader: Module | None) -> str:
    """Where `reader` (None: a final output) can take `name` from: the latest Module before it, or the primary inputs."""
    producers = subject.producers(name)
    before = len(producers) if reader is None or reader.id is None else bisect_left(producers, reader.id)
    if before:
        return f"Module {producers[before - 1]} produces it: write `source: module_{producers[before - 1]}`"
    return "it is a primary input: write `source: primary`" if reader is not None and name in subject.given else ""


def _near_one(subject: Subject, name: str, reader: Module | None) -> str:
    """A name like `name` that `reader` (None: a final output) can take, and where it is: the latest Module's first."""
    near = subject.near(name, _made_before(subject, reader))
    return f"did you mean {shown(near)}? {_where_it_is(subject, near, reader)}" if near else ""


def _made_before(subject: Subject, reader: Module | None) -> Iterator[str]:
    """The outputs that `reader` (None: a final output) can take, the latest Module's first."""
    last = len(subject.modules) + 1 if reader is None or reader.id is None else reader.id
    for number in sorted(subject.made, reverse=True):
        if number < last:
            yield from subject.made[number]


def module_sources(subject: Subject) -> Iterator[Fault]:
    """rule2: every other input names an earlier Module and one of its outputs."""
    for module in subject.modules:
        for wire in module.inputs:
            source = wire.data.get("source")
            number = producer(source)
            if number is None:
                yield _no_source(subject, wire, module)
            elif number != PRIMARY:
                yield from _wire_faults(subject, module, wire, number)


def _wire_faults(subject: Subject, module: Module, wire: Entry, number: int) -> Iterator[Fault]:
    name, source = wire.name, wire.data["source"]
    label = f"{module}, input {shown(wire.data.get('name'))}"
    if module.id is not None and number >= module.id:
        what = "the Module itself" if number == module.id else "a later Module"
        yield Fault(wire.at("source"), f"{label}: the source {shown(source)} is {what}", _remedy(subject, name, module))
    elif name is not None and name not in subject.made.get(number, ()):
        yield _not_an_output(subject, wire, label, number, module)


def _remedy(subject: Subject, name: str | None, reader: Module | None) -> str:
    """Where the value is that was meant, as far as its name tells."""
    return "" if name is None else _where_it_is(subject, name, reader) or _near_one(subject, name, reader)


def _not_an_output(subject: Subject, wire: Entry, label: str, number: int, reader: Module | None) -> Fault:
    """The fault of an entry whose name is no output of Module `number`, read by `reader` (None: a final output)."""
    name, outputs = wire.data["name"], subject.made.get(number)
    if not outputs:
        hint = _remedy(subject, name, reader)
        return Fault(wire.at("source"), f"{label}: there is no Module {number} with outputs", hint)
    hint = (
        _where_it_is(subject, name, reader)
        or subject.suggestion(name, outputs)
        or f"it has {', '.join(map(shown, islice(outputs, _NAMED)))}"
    )
    return Fault(wire.at("name"), f"{label}: Module {number} has no output {shown(name)}", hint)


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
    if number is not None and (name is None or name in _names_of(subject, number)):
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


def _names_of(subject: Subject, number: int) -> Container[str]:
    """The values that come from a source."""
    return subject.given if number == PRIMARY else subject.made.get(number, {})


def final_sources(subject: Subject) -> Iterator[Fault]:
    """rule3: there are final outputs, and each names an output of a Module up to module_count."""
    if not subject.modules:
        return  # nothing that a final output could name: rule0 has said so
    finals = subject.root.data.get("final_outputs")
    if "final_outputs" not in subject.root.data:
        yield Fault((), "the contract has no final_outputs", "list each value that the golden returns, with its source")
    elif not finals and isinstance(finals, list | None):
        yield Fault(("final_outputs",), "final_outputs is empty", "list each value that the golden returns")
    count = subject.root.data.get("module_count")
    last = int(count) if is_integer(count) else len(subject.modules)
    for final in subject.finals:
        yield from _final_faults(subject, final, last)


def _final_faults(subject: Subject, final: Entry, last: int) -> Iterator[Fault]:
    name, source = final.name, final.data.get("source")
    label = f"final output {shown(final.data.get('name'))}"
    number = producer(source)
    if name is None:
        yield Fault(final.path, f"{label} has no name", "name the output of the Module that produces it")
    if number is None:
        yield _no_source(subject, final, None)
    elif number == PRIMARY:
        hint = "let a vector Module copy an input that the golden returns as it is"
        yield Fault(
            final.at("source"), f"{label}: a final output comes from a Module, not from the primary inputs", hint
        )
    elif number > last:
        message = f"{label}: the source {shown(source)} is beyond module_count {last}"
        yield Fault(final.at("source"), message, _remedy(subject, name, None))
    elif name is not None and name not in subject.made.get(number, ()):
        yield _not_an_output(subject, final, label, number, None)


def outputs_exist(subject: Subject) -> Iterator[Fault]:
    """rule4: every Module has an output."""
    for module in subject.modules:
        outputs = module.data.get("outputs")
        if not outputs and isinstance(outputs, list | None):
            yield Fault(module.at("outputs"), f"{module} has no outputs: it would compute nothing")


def agreement(subject: Subject) -> Iterator[Fault]:
    """rule13: consumers see what producers make, and everything that is made or given is used."""
    used: set[tuple[int, Any]] = set()
    for wire in (wire for module in subject.modules for wire in module.inputs):
        number = producer(wire.data.get("source"))
        if number is not None:
            used.add((number, wire.name))
            yield from _disagreements(subject, wire, number)
    for final in subject.finals:
        number = producer(final.data.get("source"))
        if number is not None:
            used.add((number, final.name))
            yield from _disagreements(subject, final, number)
    yield from _unused(subject, used)


def _disagreements(subject: Subject, wire: Entry, number: int) -> Iterator[Fault]:
    if "shape" not in wire.data and "dtype" not in wire.data:
        return
    name = wire.name or ""
    made = subject.given.get(name) if number == PRIMARY else subject.made.get(number, {}).get(name)
    for key in ("shape", "dtype"):
        if made is not None and key in wire.data and key in made.data:
            here, there = _written(wire.data[key]), _written(made.data[key])
            if here != there:
                message = f"{shown(name)} has the {key} {shown(here)} here and {shown(there)} where it is made"
                yield Fault(wire.at(key), message, f"write {shown(there)}, or leave the {key} out")


def _written(value: Any) -> str:
    """A shape or dtype as text without blanks: "[M, 4]" and the list of M and 4 are the same. Cut where it is no shape."""
    text = f"[{','.join(map(str, value[:_LONGEST]))}]" if isinstance(value, list) else str(value)
    return "".join(text[:_LONGEST].split())


def _unused(subject: Subject, used: set[tuple[int, Any]]) -> Iterator[Fault]:
    for entry in subject.primary:
        if entry.name is not None and (PRIMARY, entry.name) not in used:
            yield Fault(entry.at("name"), f"the primary input {shown(entry.name)} is used by no Module")
    for module in subject.modules:
        for output in module.outputs:
            if module.id is not None and output.name is not None and (module.id, output.name) not in used:
                message = f"{module}: the output {shown(output.name)} is neither used nor final"
                yield Fault(output.at("name"), message)
