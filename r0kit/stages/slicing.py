"""One Module of a contract -> the Steps that compute its outputs from its inputs, by name.

The contract decides where a Module begins and ends, the Program only how its values are computed: a Module that a
person merged, split or rewired is sliced as it stands, provided that every value it needs can be reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from r0kit.contract.model import PRIMARY, Contract, Module, Wire
from r0kit.finding import Fault
from r0kit.golden.program import Kind, Program, Step
from r0kit.stages.extents import readings, symbols_of

# A Step of these kinds walks over whole axes, or gives another value each time: another Module's is read, not redone.
HEAVY = frozenset(
    {Kind.REDUCTION, Kind.CONTRACTION, Kind.ORDERING, Kind.SCAN, Kind.RANDOM, Kind.LOOP, Kind.OPAQUE},
)


@dataclass(frozen=True, slots=True)
class Slice:
    """What a Module computes.

    inputs, results: for each declared input and output, the value of `program` that it is (None: it has no such value).
    steps: what computes the results from the inputs, in the order of the Program.
    unused: positions of inputs that no Step reads.
    """

    module: Module
    program: Program
    inputs: tuple[str | None, ...]
    results: tuple[str, ...]
    steps: tuple[Step, ...]
    unused: tuple[int, ...] = ()


class SliceError(Exception):
    """A Module that cannot be sliced; the faults say which value is missing, at paths into the contract.

    unknown: how many of its outputs are no values of the golden.
    """

    def __init__(self, faults: Iterable[Fault], unknown: int = 0) -> None:
        self.faults, self.unknown = tuple(faults), unknown
        super().__init__("; ".join(fault.message for fault in self.faults))


def slice_module(contract: Contract, index: int, programs: Sequence[Program]) -> Slice:
    """The slice of the Module at position `index`, from the first of `programs` that has all it needs.

    A golden has several Programs where a strategy rewrites it; the first one is that of the contract's own strategy.
    SliceError, with what the first Program lacks, where none of them will do.
    """
    faults = list(wiring_faults(contract, index))
    if faults:
        raise SliceError(faults)
    errors: list[SliceError] = []
    for program in programs:
        try:
            return _slice(contract, index, program)
        except SliceError as error:
            errors.append(error)
    raise min(errors, key=lambda error: error.unknown)  # the first one, unless another knows more of the names


def value_of(program: Program, name: str) -> str | None:
    """The Step or input of `program` that a contract calls `name`, or None.

    That is the target or input of that name, else the return value, else the variable of the golden.
    """
    if any(value.name == name for value in program.inputs) or program.step(name):
        return name
    returned = {output.name: output.value for output in program.outputs}
    variables = {step.name: step.target for step in program.steps if step.name}
    return returned.get(name) or variables.get(name)


def wiring_faults(contract: Contract, index: int) -> Iterator[Fault]:
    """Inputs of a Module that come from nowhere, or from a Module that has not run yet."""
    written = {module.id: {output.name for output in module.outputs} for module in contract.modules[:index]}
    written[PRIMARY] = {tensor.name for tensor in contract.primary_inputs}
    module = contract.modules[index]
    for position, wire in enumerate(module.inputs):
        if wire.name not in written.get(wire.module, ()):
            what = f"{label(module)} reads {wire.name} from {wire.source}, which no earlier part of the contract writes"
            yield Fault(("modules", index, "inputs", position), what, _writers(contract, wire))


def label(module: Module) -> str:
    """How messages call a Module."""
    return f"Module {module.id} ({module.name})" if module.name else f"Module {module.id}"


def _writers(contract: Contract, wire: Wire) -> str:
    found = [f"module_{module.id}" for module in contract.modules for o in module.outputs if o.name == wire.name]
    found += ["primary" for tensor in contract.primary_inputs if tensor.name == wire.name]
    return f"{wire.name} comes from {' or '.join(found)}" if found else "name a value that an earlier Module writes"


def _slice(contract: Contract, index: int, program: Program) -> Slice:
    module = contract.modules[index]
    inputs = tuple(value_of(program, wire.name) for wire in module.inputs)
    found = [(position, value_of(program, output.name)) for position, output in enumerate(module.outputs)]
    unknown = [_unknown(program, contract, index, position) for position, value in found if value is None]
    if unknown:
        raise SliceError(unknown, len(unknown))
    results = tuple(value for _, value in found if value is not None)
    search = _Search(contract, index, program, {value for value in inputs if value is not None})
    steps = search.steps(results)
    if search.missing:
        raise SliceError(map(search.fault, search.missing))
    unused = tuple(position for position, value in enumerate(inputs) if value not in search.read)
    return Slice(module, program, inputs, results, steps, unused)


def _unknown(program: Program, contract: Contract, index: int, position: int) -> Fault:
    module = contract.modules[index]
    name = module.outputs[position].name
    known = [*(step.target for step in program.steps), *(step.name for step in program.steps)]
    close = get_close_matches(name, [value for value in known if value.isidentifier()], 1)
    hint = f"did you mean {close[0]}?" if close else f"`r0kit steps {program.path}` lists the golden's values"
    what = f"{label(module)} writes {name}, which is no value of the golden"
    return Fault(("modules", index, "outputs", position, "name"), what, hint)


def closure(program: Program, results: Sequence[str]) -> tuple[Step, ...]:
    """The Steps that compute `results` from the inputs of the Program, whatever Modules there are."""
    search = _Search(Contract("", 0, (), (), ()), -1, program, {value.name for value in program.inputs})
    return search.steps(results)


class _Search:
    """Backwards from the results of a Module to its inputs; what cannot be had is collected in `missing`."""

    def __init__(self, contract: Contract, index: int, program: Program, leaves: set[str]) -> None:
        self.contract, self.index, self.program, self.leaves = contract, index, program, leaves
        self.producers = {step.target: step for step in program.steps}
        self.elsewhere = _elsewhere(contract, index, program)
        self.readings = readings(program)
        self.shown = {dim.symbol for leaf in leaves for dim in program.shape_of(leaf)}
        self.read: set[str] = set()
        self.missing: list[tuple[str, str]] = []  # (the value that is missing, the value that needs it)

    def steps(self, results: Sequence[str]) -> tuple[Step, ...]:
        """The Steps that lead to `results`, in the order of the Program."""
        wanted = [(result, result) for result in reversed(results)]
        readers: dict[str, str] = {}  # value -> the value that it was first needed for
        own = set(results)
        while wanted:
            value, reader = wanted.pop()
            if value in readers:
                continue
            readers[value] = reader
            if value in self.leaves:
                self.read.add(value)
            elif self._at_hand(value, own):
                wanted += [(name, value) for name in reversed(self._reads(self.producers[value]))]
            else:
                missing = self._crossing(value, readers, own)
                if missing not in self.missing:
                    self.missing.append(missing)
        return tuple(step for step in self.program.steps if step.target in readers and step.target not in self.leaves)

    def _crossing(self, value: str, readers: Mapping[str, str], own: set[str]) -> tuple[str, str]:
        """What to ask for where `value` cannot be had, and what it is for.

        Where something between `value` and the results is written by another Module, that is what was forgotten.
        """
        found, name = value, value
        while readers[name] != name and readers[name] not in own:
            name = readers[name]
            if name in self.elsewhere:
                found = name
        return found, readers[found]

    def _at_hand(self, value: str, own: set[str]) -> bool:
        """Whether the Module may compute `value` itself."""
        step = self.producers.get(value)
        return step is not None and not (step.kind in HEAVY and value in self.elsewhere and value not in own)

    def _reads(self, step: Step) -> tuple[str, ...]:
        """Its tensor operands, and the tensors that hold extents of it which no input shows in its shape."""
        numbers = {name for name in symbols_of(step) if name in self.readings and name not in self.shown}
        return (*step.tensors, *sorted(self.readings[name] for name in numbers))

    def fault(self, missing: tuple[str, str]) -> Fault:
        value, reader = missing
        module = self.contract.modules[self.index]
        writer = self.elsewhere.get(value)
        for_what = f" to compute {reader}" if reader != value else ""
        if writer is None:
            what = f"{label(module)} needs the primary input {value}{for_what}, and does not declare it"
            hint = f"add {{name: {value}, source: primary}} to its inputs"
        else:
            name, source = writer
            what = (
                f"{label(module)} needs {name}{for_what}: module_{source} writes it, and this Module does not read it"
            )
            hint = f"add {{name: {name}, source: module_{source}}} to its inputs"
        return Fault(("modules", self.index, "inputs"), what, hint)


def _elsewhere(contract: Contract, index: int, program: Program) -> Mapping[str, tuple[str, int]]:
    """Values that other Modules write -> what the contract calls them, and the first Module that does."""
    found: dict[str, tuple[str, int]] = {}
    for position, module in enumerate(contract.modules):
        for output in module.outputs:
            value = value_of(program, output.name)
            if position != index and value is not None:
                found.setdefault(value, (output.name, module.id))
    return found
