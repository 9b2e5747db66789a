"""The optional records of a Module against its wiring, and the slips in them: parts of rule13 and rule18.

None of these records must be there, and people keep keys and words of their own in them. So a contract that has none is
right, and only a key or a word that is nearly a known one is taken for it.
"""

from collections.abc import Iterator, Mapping
from re import compile as pattern
from typing import Any

from r0kit.contract.meant import nearly
from r0kit.contract.path import KEY, Path
from r0kit.contract.wire import producer
from r0kit.contract.wording import shown, spell
from r0kit.finding import Fault
from r0kit.validate.subject import Entry, Module, Subject

_SIDES = ("cube", "vector")
_WORD = pattern(r"[^-_\s]+")

# The keys of each record, and the words that some of them have.
KEYS = {
    "boundary": ("kind", "from", "value", "axis", "tells", "line"),
    "traversal": ("axes", "reduces", "algorithm", "state"),
    "state": ("name", "dtype", "initial", "update", "tail_mask"),
    "handoff": ("value", "direction", "platform", "written_to", "read_from", "path", "sync"),
    "reduction": (
        *("axis", "extent", "bound", "may_exceed_tile", "scheme", "why", "traversals", "single_tile_limit", "buffers"),
    ),
    "pass": ("module", "range", "algorithm", "state"),
    "buffer": ("value", "bytes"),
    "dimension": ("name", "shape", "kernel", "mapping", "output"),
}
WORDS = {
    ("boundary", "kind"): ("data_dependence", "section", "independent_stage", "capacity", "pinned"),
    ("traversal", "algorithm"): ("single", "online", "resident"),
    ("pass", "algorithm"): ("single", "online", "resident"),
    ("handoff", "direction"): ("cube_to_vector", "vector_to_cube"),
    ("reduction", "scheme"): ("conventional", "online", "single_tile"),
}


def records_agree(subject: Subject) -> Iterator[Fault]:
    """What boundaries, traversals and handoffs say otherwise than the wiring."""
    handed_over = any(module.data.get("handoff") for module in subject.modules)
    for module in subject.modules:
        yield from _boundaries(subject, module)
        yield from _reduced(subject, module)
        if handed_over:
            yield from _handoffs(subject, module)


def _boundaries(subject: Subject, module: Module) -> Iterator[Fault]:
    for entry in module.entries("boundary"):
        source, value = entry.data.get("from"), entry.text("value")
        number = producer(source)
        if isinstance(source, str) and (number is None or number >= module.number):
            what = "a later Module" if number is not None and number > module.number else "no earlier Module"
            message = f"{module}, boundary: {shown(source)} is {what}"
            yield Fault(entry.at("from"), message, "write the module_<j> whose value is needed")
        elif value is not None and number and value not in subject.made.get(number, (value,)):
            message = f"{module}, boundary: Module {number} has no output {shown(value)}"
            yield Fault(entry.at("value"), message, subject.suggestion(value, subject.made[number]))


def _reduced(subject: Subject, module: Module) -> Iterator[Fault]:
    traversal = module.data.get("traversal")
    axes, reduces = (traversal.get(key) if isinstance(traversal, dict) else None for key in ("axes", "reduces"))
    if isinstance(axes, list) and isinstance(reduces, list):
        for index, axis in enumerate(reduces):
            if axis not in axes:
                message = f"{module} reduces {shown(axis)}, which is none of the axes that it traverses"
                hint = subject.suggestion(axis, axes) if isinstance(axis, str) else ""
                yield Fault(module.at("traversal", "reduces", index), message, hint or "add it to axes")


def _handoffs(subject: Subject, module: Module) -> Iterator[Fault]:
    """Each value that comes from the other section has a handoff, in its direction, and no other value has."""
    section = module.data.get("section")
    if section not in _SIDES:
        return
    crossing = dict(_crossing(subject, module))
    entries = {value: entry for entry in module.entries("handoff") if (value := entry.text("value")) is not None}
    missing = [name for name, side in crossing.items() if side and name not in entries]
    stray = [value for value in entries if value not in crossing]
    only = missing[0] if len(missing) == len(stray) == 1 else None
    for value, entry in entries.items():
        if crossing.get(value, "") is not None:
            yield from _handoff(subject, entry, module, crossing, only)
    for name in missing if only is None else ():
        message = f"{module}: no handoff tells how {shown(name)} passes from {crossing[name]} to {section}"
        hint = f"add {{value: {name}, direction: {crossing[name]}_to_{section}}}, and the path that it takes"
        yield Fault(module.at("handoff", KEY), message, hint)


def _handoff(
    subject: Subject, entry: Entry, module: Module, crossing: Mapping[str | None, str | None], only: str | None
) -> Iterator[Fault]:
    """What is wrong with one of them. only: the one value without a handoff, where this is the one that is no value."""
    value, direction, section = entry.data["value"], entry.text("direction"), module.data["section"]
    side = crossing.get(value)
    if side is None:
        hint = f"did you mean {shown(only)}?" if only else subject.suggestion(value, crossing) or "remove the handoff"
        message = f"{module}, handoff: no input {shown(value)} comes from the other section"
        yield Fault(entry.at("value"), message, hint)
    elif direction is not None and _plain(direction) == f"{section}_to_{side}":
        message = f"{module}, handoff of {shown(value)}: {shown(direction)}, but the value comes from a {side} Module"
        yield Fault(entry.at("direction"), message, f"write {side}_to_{section}")


def _crossing(subject: Subject, module: Module) -> Iterator[tuple[str | None, str | None]]:
    """The inputs from the other section with that section; None for those of which the source is not known."""
    for wire in (each for each in module.inputs if each.data.get("source") != "primary"):
        made = subject.source_of(wire)
        side = subject.root.data["modules"][made.path[1]].get("section") if made is not None else None
        if side != module.data.get("section"):
            yield wire.name, side if side in _SIDES else None


def _plain(direction: str) -> str:
    return "_".join(_WORD.findall(direction.lower().replace("->", " to ")))


def slips_in_records(subject: Subject) -> Iterator[Fault]:
    """Keys and words that are nearly known ones."""
    for path, kind, record in _records(subject):
        known = KEYS[kind]
        for key, value in record.items():
            if key not in known:
                meant = nearly(key, [each for each in known if each not in record]) if isinstance(key, str) else ""
                if meant:
                    message = f"the key {shown(key)} in {spell(path)} means nothing here"
                    yield Fault((*path, key, KEY), message, f"did you mean {shown(meant)}?")
            elif (kind, key) in WORDS and isinstance(value, str):
                words = WORDS[kind, key]
                meant = "" if _plain(value) in words else nearly(_plain(value), words)
                if meant:
                    message = f"{spell((*path, key))}: {shown(value)} is none of the words that are known here"
                    yield Fault((*path, key), message, f"did you mean {shown(meant)}?")


Found = tuple[Path, str, Mapping[Any, Any]]  # a record, where it is, and of which kind


def _records(subject: Subject) -> Iterator[Found]:
    for module in subject.modules:
        for key in ("boundary", "handoff"):
            yield from _listed(module.at(key), key, module.data.get(key))
        yield from _with_inner(module.at("traversal"), "traversal", module.data.get("traversal"))
    for key, kind in (("reduction", "reduction"), ("dimensions", "dimension")):
        yield from _listed((key,), kind, subject.root.data.get(key))


_INNER = {
    "traversal": (("state", "state"),),
    "reduction": (("traversals", "pass"), ("buffers", "buffer")),
}


def _listed(path: Path, kind: str, value: Any) -> Iterator[Found]:
    for index, record in enumerate(value) if isinstance(value, list) else ():
        yield from _with_inner((*path, index), kind, record)


def _with_inner(path: Path, kind: str, record: Any) -> Iterator[Found]:
    """A record, and those in it."""
    if isinstance(record, dict):
        yield path, kind, record
        for key, inner in _INNER.get(kind, ()):
            yield from _listed((*path, key), inner, record.get(key))
