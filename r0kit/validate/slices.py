"""Each Module as the part of the golden that it computes: mixed sections, re-traversed axes, needless splits: rule17.

A Module is the golden's Steps between what it reads and what it writes. One that reads or writes a value that the golden
does not have (a value of a rewritten form, or a name that a person made up) cannot be laid over it, and is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from r0kit.contract.model import PRIMARY
from r0kit.contract.wire import producer
from r0kit.contract.wording import shown
from r0kit.finding import Fault, Severity
from r0kit.golden.axes import Atoms, Axes
from r0kit.golden.program import Kind, Program, Step
from r0kit.validate.subject import Golden, Module, Subject

ON_ACCUMULATOR = frozenset(("add", "mul", "cast"))  # a bias, and a scale on the FIX pipe
COVERED = frozenset(("resident", "single_tile"))  # algorithms that hold the axis whole


class Slice(NamedTuple):
    """A Module with its Steps in the golden's order, the values that its outputs are, and the numbers of its sources."""

    module: Module
    steps: tuple[Step, ...]
    written: Mapping[str | None, str | None]
    sources: frozenset[int | None]


class Again(NamedTuple):
    """A Step that runs over axes once more after `reduction` has needed them whole."""

    step: Step
    reduction: Step
    axes: Atoms


def module_faults(subject: Subject, golden: Golden) -> Iterator[Fault]:
    """What is wrong with the Modules, as far as they can be laid over the golden."""
    program = golden.program
    axes = Axes(program)
    computed = _computed(program)
    slices = [found for module in subject.modules if (found := _slice(module, program))]
    sound: list[Slice] = []
    for found in slices:
        faults = [*_missing(found, program), *_mixed(found, axes, computed), *_retraversed(found, axes, subject)]
        yield from faults
        sound += [] if faults else [found]
    yield from _needless(sound, axes, subject)


def _slice(module: Module, program: Program) -> Slice | None:
    """The Module's part of the golden; None where it reads or writes what the golden does not have."""
    values = {step.target for step in program.steps}
    returned: dict[str | None, str] = {o.name: o.value for o in program.outputs if o.name not in values}
    inputs = {value.name for value in program.inputs}
    numbers = {wire: producer(wire.data.get("source")) for wire in module.inputs}
    read = {wire.name if number == PRIMARY else returned.get(wire.name, wire.name) for wire, number in numbers.items()}
    written = {output.name: returned.get(output.name, output.name) for output in module.outputs}
    if module.id is None or not read <= values | inputs or not values.issuperset(written.values()):
        return None
    wanted = set(written.values())
    own: list[Step] = []
    for step in reversed(program.steps):
        if step.target in wanted and step.target not in read:
            own.append(step)
            wanted.update(step.tensors)
    return Slice(module, tuple(own[::-1]), written, frozenset(numbers.values()))


def _missing(found: Slice, program: Program) -> Iterator[Fault]:
    """Inputs of the golden that the Module needs and does not read."""
    read = {wire.name for wire in found.module.inputs}
    for value in program.inputs:
        step = next((step for step in found.steps if value.name in step.tensors), None)
        if step is not None and value.name not in read:
            what = f"{found.module} needs {shown(value.name)} for {step.target}{_line(step)}, and does not read it"
            yield Fault(found.module.at("inputs"), what, f"add - {{name: {value.name}, source: primary}}")


def _mixed(found: Slice, axes: Axes, computed: frozenset[str]) -> Iterator[Fault]:
    """Steps of the other section."""
    section = found.module.text("section")
    if section not in ("cube", "vector"):
        return
    own = _accumulated(found.steps, axes) if section == "cube" else _not_contracted(found.steps)
    foreign = next((step for step in found.steps if step.target in computed and step.target not in own), None)
    if foreign is not None:
        other = "vector" if section == "cube" else "cube"
        what = f"{found.module} is {section}, but {foreign.target} = {foreign.op}{_line(foreign)} is {other} work"
        yield Fault(found.module.at("section"), what, f"give {foreign.target} to a {other} Module")


def _computed(program: Program) -> frozenset[str]:
    """Values that a Step computes from an input, rather than moves, retypes or creates."""
    dependent = {value.name for value in program.inputs}
    found: set[str] = set()
    for step in program.steps:
        if not dependent.isdisjoint(step.tensors):
            dependent.add(step.target)
            if step.kind is not Kind.LAYOUT and step.op != "cast":
                found.add(step.target)
    return frozenset(found)


def _not_contracted(steps: Sequence[Step]) -> frozenset[str]:
    return frozenset(step.target for step in steps if step.kind is not Kind.CONTRACTION)


def _accumulated(steps: Sequence[Step], axes: Axes) -> frozenset[str]:
    """Results of contractions, and what is done to them while they are in the accumulator."""
    found: set[str] = set()
    for step in steps:
        on_it = step.op in ON_ACCUMULATOR and not found.isdisjoint(step.tensors) and _per_channel(step, axes)
        if step.kind is Kind.CONTRACTION or on_it:
            found.add(step.target)
    return frozenset(found)


def _per_channel(step: Step, axes: Axes) -> bool:
    """Whether all operands but one lie along the last axis alone, or are numbers: what an accumulator takes on its way."""
    whole = [name for name in step.tensors if any(extent.const != 1 for extent in axes.shapes[name][:-1])]
    return len(whole) <= 1


def _retraversed(found: Slice, axes: Axes, subject: Subject) -> Iterator[Fault]:
    """Axes that the Module runs over again after it has reduced them, beyond what its algorithm declares.

    In a cube Module only contractions run over anything: all else that belongs there is done to the accumulator.
    """
    algorithm = _algorithm(found.module)
    again = [] if algorithm in COVERED else list(_again(found.steps, axes))
    if found.module.text("section") == "cube":
        again = [each for each in again if each.step.kind is Kind.CONTRACTION]
    if algorithm == "online":
        exposed = _exposed(found, subject)
        again = [each for each in again if each.step.target in exposed]
    if again:
        step, reduction, names = again[0].step, again[0].reduction, _names(again[0].axes, axes)
        what = f"{found.module} runs over {names} again for {step.target}{_line(step)} after it has reduced {names}"
        what += f" for {reduction.target}{_line(reduction)}"
        hint = f"begin a new Module behind {reduction.target}, or declare traversal.algorithm online or resident"
        yield Fault(found.module.at("golden_steps"), what, hint)


def _again(steps: Sequence[Step], axes: Axes) -> Iterator[Again]:
    carried: dict[str, dict[str, Atoms]] = {}
    known = {step.target: step for step in steps}
    picked = _picked(steps)
    for step in steps:
        behind = {r: a for name in step.tensors for r, a in carried.get(name, {}).items()}
        for reduction, whole in behind.items():
            again = whole & axes.space(step)
            if again and step.target not in picked:
                yield Again(step, known[reduction], again)
        carried[step.target] = {**behind, step.target: axes.whole(step)}


def _picked(steps: Sequence[Step]) -> frozenset[str]:
    """Values that only gathers read, at once or elementwise: those can go first, and no axis is run over for them."""
    readers: dict[str, list[Step]] = {}
    found: set[str] = set()
    for step in reversed(steps):
        mine = readers.get(step.target, [])
        carrying = (Kind.ELEMENTWISE, Kind.LAYOUT)
        if mine and all(r.kind is Kind.GATHER or (r.kind in carrying and r.target in found) for r in mine):
            found.add(step.target)
        for name in step.tensors:
            readers.setdefault(name, []).append(step)
    return frozenset(found)


def _exposed(found: Slice, subject: Subject) -> frozenset[str]:
    """Values that go out without being reduced first, but for those that a cube Module alone takes in tile by tile."""
    written = found.written.items()
    exposed = {value for name, value in written if _sections_reading(found.module, name, subject) != {"cube"}}
    for step in reversed(found.steps):
        if step.target in exposed and step.kind is not Kind.REDUCTION:
            exposed.update(step.tensors)
    return frozenset(s.target for s in found.steps if s.target in exposed and s.kind is not Kind.REDUCTION)


def _sections_reading(module: Module, name: str | None, subject: Subject) -> set[str | None]:
    return {
        reader.text("section")
        for reader in subject.modules
        for wire in reader.inputs
        if wire.name == name and producer(wire.data.get("source")) == module.id
    }


def _needless(slices: Sequence[Slice], axes: Axes, subject: Subject) -> Iterator[Fault]:
    """Pairs of Modules that nothing keeps apart."""
    for later in slices:
        for earlier in slices:
            if earlier.module.id in later.sources and _could_be_one(earlier, later, axes, subject):
                what = f"{earlier.module} and {later.module} could be one: nothing that a rule knows keeps them apart"
                yield Fault(later.module.path, what, "join them, or record why not under boundary", Severity.NOTE)


def _could_be_one(earlier: Slice, later: Slice, axes: Axes, subject: Subject) -> bool:
    if earlier.module.text("section") != later.module.text("section") or _kept_apart(later.module):
        return False
    if _between(earlier.module, later, subject) or any(step.kind is Kind.CONTRACTION for step in later.steps):
        return False
    return not any(_again([*earlier.steps, *later.steps], axes))


def _kept_apart(module: Module) -> bool:
    """Whether a person or capacity decided so, or the Module starts when a value has told how far it goes."""
    records = [entry.data for entry in module.entries("boundary")]
    return any(record.get("kind") in ("capacity", "pinned") or record.get("tells") for record in records)


def _between(earlier: Module, later: Slice, subject: Subject) -> bool:
    """Whether another Module reads, at once or on a detour, from the first and gives to the second."""
    behind = {earlier.id}
    for module in subject.modules:
        if {producer(wire.data.get("source")) for wire in module.inputs} & behind:
            behind.add(module.id)
    return bool(behind & (later.sources - {earlier.id}))


def _algorithm(module: Module) -> str:
    record = module.data.get("traversal")
    return str(record.get("algorithm")) if isinstance(record, dict) else ""


def _names(atoms: Atoms, axes: Axes) -> str:
    return ", ".join(axes.name(atom) for atom in sorted(atoms))


def _line(step: Step) -> str:
    return f" (golden line {step.span.line})"
