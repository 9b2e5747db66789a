"""What the rules look at: the well-formed entries of a contract with their paths, and who produces what.

Rules get the entries that have the right shape and never meet the others, so that one broken entry hides nothing; the
broken ones are rule0's.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from r0kit.contract.path import Path
from r0kit.contract.read import Document
from r0kit.contract.shape import Shape, read_shape
from r0kit.contract.structure import is_integer
from r0kit.contract.wire import PRIMARY, producer
from r0kit.contract.wording import shown
from r0kit.finding import Fault

if TYPE_CHECKING:
    from r0kit.contract.meant import Unknown
    from r0kit.golden.program import Program

_RECORDS = frozenset(("boundary", "traversal", "handoff"))
_SUGGESTIONS = 50  # "did you mean" looked for in one file; beyond that nobody reads them, and each costs time


# Faults, each with what causes it where that is a fault of another entry, else None.
Caused = Iterator[tuple[Fault, Any]]


class Entry:
    """A mapping of the contract and its path."""

    __slots__ = ("data", "path")

    def __init__(self, path: Path, data: dict[Any, Any]) -> None:
        self.path = path
        self.data = data

    @property
    def name(self) -> str | None:
        """Its `name`, where that is text."""
        return self.text("name")

    def text(self, key: str) -> str | None:
        """The value of `key`, where that is text."""
        value = self.data.get(key)
        return value if isinstance(value, str) else None

    def at(self, *steps: Any) -> Path:
        """Path of a part of the entry."""
        return (*self.path, *steps)

    def entries(self, key: str) -> "list[Entry]":
        """The mappings in the list `key`."""
        return entries(self.at(key), self.data.get(key))


class Module(Entry):
    """A Module: its `id` where that is an integer, its position in the file (from 0), its inputs and outputs.

    is_odd: its outputs are not written as a list. bare_outputs: the names that stand where an output must.
    """

    __slots__ = ("bare_outputs", "id", "index", "inputs", "is_odd", "outputs")

    def __init__(self, path: Path, data: dict[Any, Any], index: int) -> None:
        super().__init__(path, data)
        number = data.get("id")
        self.index = index
        self.id = int(number) if is_integer(number) else None
        self.inputs = self.entries("inputs")
        self.outputs = self.entries("outputs")
        outputs = data.get("outputs")
        self.is_odd = outputs is not None and outputs.__class__ is not list
        listed = outputs if outputs.__class__ is list else ()
        self.bare_outputs = frozenset(entry for entry in listed if entry.__class__ is str)

    @property
    def number(self) -> int:
        """The id that it must have: its position in the file, from 1."""
        return self.index + 1

    def __str__(self) -> str:
        """How messages call it."""
        return f"Module {shown(self.id)}" if self.id is not None else f"modules[{self.index}]"


class Golden(NamedTuple):
    """What static reading found out about the golden, and what its SPEC says.

    stated: tensors whose shape and dtype SPEC gives; dtypes: those it supports beside the one read; cases: extents of the
    symbols in each p0 case.
    """

    program: "Program"
    stated: frozenset[str] = frozenset()
    dtypes: frozenset[str] = frozenset()
    cases: tuple[Mapping[str, int], ...] = ()


class Subject:
    """One contract as the rules see it.

    given: the primary inputs by name. made: the outputs by name, by the id of the Module that has them.
    called: the ids of the Modules by their names; None for those without an id.
    golden: what the contract is compared with, where anything is.
    unknown: the keys that mean nothing as they are written, by the rule that says so.
    """

    def __init__(
        self, document: Document, golden: Golden | None = None, unknown: "Mapping[str, list[Unknown]] | None" = None
    ) -> None:
        self.document = document
        self.unknown = unknown or {}
        self.golden = golden
        self.root = Entry((), document.data if isinstance(document.data, dict) else {})
        self.primary = self.root.entries("primary_inputs")
        self.finals = self.root.entries("final_outputs")
        self.modules = _modules(self.root.data.get("modules"))
        self.verification = self.root.data.get("composition_verification")
        self.given = {name: entry for entry in self.primary if (name := entry.name) is not None}
        self.made: dict[int, dict[str, Entry]] = {}
        for module in self.modules:
            if module.id is not None:
                self.made.setdefault(module.id, {}).update((o.name, o) for o in module.outputs if o.name is not None)
        self.called = {name: m.id for m in reversed(self.modules) if (name := m.text("name"))}
        self._shapes: dict[str | int, Shape] = {}
        self._sources: Mapping[Any, Mapping[Any, Entry]] = {**self.made, PRIMARY: self.given}
        self.misnamed: dict[tuple[int | None, str], Entry] | None = None
        self._suggestions = _SUGGESTIONS

    def tensors(self) -> Iterator[Entry]:
        """Every entry that may have a shape and a dtype, in the order of the file."""
        yield from self.primary
        for module in self.modules:
            yield from module.inputs
            yield from module.outputs
        yield from self.finals

    def wires(self) -> Iterator[Entry]:
        """Every entry that names a source: the inputs of the Modules, and the final outputs."""
        for module in self.modules:
            yield from module.inputs
        yield from self.finals

    def bare_names(self) -> Iterator[str]:
        """The names that stand where an input or a final output must."""
        for listed in (*(module.data.get("inputs") for module in self.modules), self.root.data.get("final_outputs")):
            if listed.__class__ is list:
                yield from (entry for entry in listed if entry.__class__ is str)

    def reads_of_primary(self) -> Iterator[tuple[Module, Entry]]:
        """The inputs with `source: primary`, each with its Module."""
        for module in self.modules:
            yield from ((module, wire) for wire in module.inputs if wire.data.get("source") == "primary")

    @property
    def primary_is_known(self) -> bool:
        """Whether the primary inputs are listed as they must be; what no Module reads need not be listed."""
        listed = self.root.data.get("primary_inputs", [])
        missing = "primary_inputs" not in self.root.data and any(self.reads_of_primary())
        return listed.__class__ is list and len(listed) == len(self.primary) and not missing

    @cached_property
    def numbered(self) -> dict[int | None, Module]:
        """The Modules by the ids that sources may mean: those that they have, else those that they must have."""
        must: dict[int | None, Module] = {module.number: module for module in self.modules}
        return must | {module.id: module for module in self.modules}

    def may_make(self, number: int, name: str) -> bool:
        """Whether Module `number` may have an output `name` that is not written as one: its structure is told of."""
        module = self.numbered.get(number)
        return module is not None and (module.is_odd or name in module.bare_outputs)

    @property
    def has_records(self) -> bool:
        """Whether there are optional records with keys of their own."""
        root = self.root.data
        return "reduction" in root or "dimensions" in root or any(not _RECORDS.isdisjoint(m.data) for m in self.modules)

    @property
    def reads_are_known(self) -> bool:
        """Whether every Module lists its inputs."""
        modules = self.root.data.get("modules")
        return modules.__class__ is list and all(
            entry.__class__ is dict and entry.get("inputs").__class__ is list for entry in modules
        )

    @property
    def finals_are_known(self) -> bool:
        """Whether there are final outputs."""
        finals = self.root.data.get("final_outputs")
        return finals.__class__ is list and bool(finals)

    def shape(self, value: Any) -> Shape:
        """The shape that `value`, a part of the document, says; each text and each list is read once."""
        key = value if value.__class__ is str else id(value)
        shape = self._shapes.get(key)
        if shape is None:
            shape = self._shapes[key] = read_shape(value)
        return shape

    def producers(self, name: str) -> list[int]:
        """Ids of the Modules that have an output `name`, in order."""
        return self._producers.get(name, [])

    @cached_property
    def _producers(self) -> dict[str, list[int]]:
        producers: dict[str, list[int]] = {}
        for number in sorted(self.made):
            for name in self.made[number]:
                producers.setdefault(name, []).append(number)
        return producers

    def values_of(self, number: int | None) -> Mapping[Any, Entry]:
        """The values that come from the source `number`, by name; none of what is no source."""
        return self._sources.get(number, {})

    def source_of(self, wire: Entry) -> Entry | None:
        """The primary input or the output that an input or final output names, where it names one."""
        return self.values_of(producer(wire.data.get("source"))).get(wire.name)

    def made_by(self, wire: Entry) -> Entry | None:
        """The output that an input or final output names, where it names one."""
        return None if wire.data.get("source") == "primary" else self.source_of(wire)

    def suggestion(self, name: str, known: Iterable[Any]) -> str:
        """`did you mean 'x'?` for the nearest of the names `known`, "" where none is near."""
        near = self.near(name, known)
        return f"did you mean {shown(near)}?" if near else ""

    def misspelt(self, rule: str) -> Iterator[Fault]:
        """The faults of misspelt keys of which it is up to `rule` to say that they are missing."""
        if rule in self.unknown:
            from r0kit.validate.misspelt import faults_of  # most contracts have none

            yield from faults_of(self.unknown[rule])

    def near(self, name: str, known: Iterable[Any]) -> str | None:
        """The nearest of the names `known`; None where none is near, and after as many questions as anybody reads."""
        self._suggestions -= 1
        from r0kit.contract.likeness import nearest  # as above

        return nearest(name, known) if self._suggestions >= 0 else None


def entries(path: Path, value: Any) -> list[Entry]:
    """The mappings in the list `value`, which is at `path`."""
    if value.__class__ is not list:
        return []
    return [Entry((*path, index), entry) for index, entry in enumerate(value) if entry.__class__ is dict]


def _modules(value: Any) -> list[Module]:
    return [Module(entry.path, entry.data, entry.path[-1]) for entry in entries(("modules",), value)]
