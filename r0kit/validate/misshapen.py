"""What rule0 says of a contract that is not shaped like one: loaded with the first such fault."""

from collections.abc import Iterable, Iterator
from itertools import chain

from r0kit.contract.path import Path
from r0kit.finding import Fault
from r0kit.validate.subject import Subject


def misshapen(subject: Subject, faults: Iterable[Fault]) -> Iterator[Fault]:
    """The faults of the structure that are no other rule's; with the number, where one must stand."""
    unread = _unread(subject)
    for fault in faults:
        if not any(fault.at[:count] in unread for count in range(1, len(fault.at) + 1)):
            yield fault._replace(hint=_number_of(subject, fault.at) or fault.hint)


def _unread(subject: Subject) -> set[Path]:
    """The keys as they were meant that another rule calls misspelt: nothing below them has a structure yet."""
    others = (slips for rule, slips in subject.unknown.items() if rule != "rule0")
    return {(*slip.path, slip.meant) for slip in chain.from_iterable(others)}


def _number_of(subject: Subject, path: Path) -> str:
    """The hint that says the number, where `path` is module_count or the id of a Module."""
    modules = subject.root.data.get("modules")
    if path == ("module_count",) and isinstance(modules, list) and modules:
        return f"write module_count: {len(modules)}"
    return f"write id: {path[1] + 1}" if path[2:] == ("id",) else ""
