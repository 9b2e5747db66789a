"""The rules that compare a contract with its golden; without a golden they have nothing to say, and import nothing."""

from collections.abc import Iterable

from r0kit.finding import Fault
from r0kit.validate.subject import Subject


def interface(subject: Subject) -> Iterable[Fault]:
    """rule16: primary inputs and final outputs are those of the golden."""
    if subject.golden is None:
        return ()
    from r0kit.validate.interface import interface_faults

    return interface_faults(subject, subject.golden)


def modules(subject: Subject) -> Iterable[Fault]:
    """rule17: a Module stays in its section and traverses no axis again that it has reduced."""
    if subject.golden is None:
        return ()
    from r0kit.validate.slices import module_faults

    return module_faults(subject, subject.golden)
