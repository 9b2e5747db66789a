"""Where values come from: rule1, rule2, rule3 and rule4."""

from collections.abc import Iterator

from r0kit.contract.structure import is_integer
from r0kit.contract.wire import PRIMARY, producer
from r0kit.finding import Fault
from r0kit.validate.subject import Caused, Entry, Module, Subject


def _once(faults: Caused) -> Iterator[Fault]:
    """The faults; of those with one cause the first."""
    told = set()
    for fault, cause in faults:
        if cause is None or cause not in told:
            yield fault
        told.add(cause)


def primary_sources(subject: Subject) -> Iterator[Fault]:
    """rule1: an input with `source: primary` names a primary input."""
    yield from subject.misspelt("rule1")
    yield from _once(_primary_sources(subject))
    if not subject.primary_is_known:
        from r0kit.validate.sources import unlisted  # only where something is wrong, as everything of that module

        yield from unlisted(subject)


def _primary_sources(subject: Subject) -> Caused:
    for module, wire in subject.reads_of_primary():
        if wire.name is not None and wire.name not in subject.given:
            from r0kit.validate.sources import not_primary

            yield from not_primary(subject, module, wire)


def module_sources(subject: Subject) -> Iterator[Fault]:
    """rule2: every other input names an earlier Module and one of its outputs."""
    yield from _once(_module_sources(subject))


def _module_sources(subject: Subject) -> Caused:
    for module in subject.modules:
        for wire in module.inputs:
            number = producer(wire.data.get("source"))
            if number is not None and (number == PRIMARY or _is_made_before(subject, module, wire, number)):
                continue
            from r0kit.validate.sources import wire_faults

            yield from wire_faults(subject, module, wire, number)


def _is_made_before(subject: Subject, module: Module, wire: Entry, number: int) -> bool:
    """Whether an earlier Module `number` makes what an input reads, or nobody can tell what that is."""
    if module.id is not None and number >= module.id:
        return False
    return wire.name is None or wire.name in subject.made.get(number, ())


def final_sources(subject: Subject) -> Iterator[Fault]:
    """rule3: there are final outputs, and each names an output of a Module up to module_count."""
    yield from subject.misspelt("rule3")
    if not subject.modules:
        return  # nothing that a final output could name: rule0 has said so
    finals = subject.root.data.get("final_outputs")
    if "final_outputs" not in subject.root.data:
        yield Fault((), "the contract has no final_outputs", "list each value that the golden returns, with its source")
    elif not finals and isinstance(finals, list | None):
        yield Fault(("final_outputs",), "final_outputs is empty", "list each value that the golden returns")
    count = subject.root.data.get("module_count")
    last = int(count) if is_integer(count) else len(subject.modules)
    yield from _once(each for final in subject.finals for each in _final_faults(subject, final, last))


def _final_faults(subject: Subject, final: Entry, last: int) -> Caused:
    number = producer(final.data.get("source"))
    if not number or number > last or final.name not in subject.made.get(number, ()):
        from r0kit.validate.sources import final_faults

        yield from final_faults(subject, final, last)


def outputs_exist(subject: Subject) -> Iterator[Fault]:
    """rule4: every Module has an output."""
    for module in subject.modules:
        outputs = module.data.get("outputs")
        if not outputs and isinstance(outputs, list | None):
            yield Fault(module.at("outputs"), f"{module} has no outputs: it would compute nothing")
