"""What the rules look at: the well-formed entries of a contract with their paths, and who produces what.

Rules get the entries that have the right shape and never meet the others, so that one broken entry hides nothing; the
broken ones are rule0's.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from r0kit.contract.path import Path
from r0kit.contract.read import Document
from r0kit.contract.shape import Shape, read_shape
from r0kit.contract.structure import is_integer
from r0kit.contract.wire import producer
from r0kit.contract.wording import nearest, shown

if TYPE_CHECKING:
    from r0kit.golden.program import Program

_SUGGESTIONS = 50  # "did you mean" looked for in one file; beyond that nobody reads them, and each costs time


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
    """A Module: its `id` where that is an integer, its position in the file (from 0), its inputs and outputs."""

    __slots__ = ("id", "index", "inputs", "outputs")

    def __init__(self, path: Path, data: dict[Any, Any], index: int) -> None:
        super().__init__(path, data)
        number = data.get("id")
        self.index = index
        self.id = int(number) if is_integer(number) else None
        self.inputs = self.entries("inputs")
        self.outputs = self.entries("outputs")

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
    called: the ids of the Modules by their names.
    golden: what the contract is compared with, where anything is.
    """

    def __init__(self, document: Document, golden: Golden | None = None) -> None:
        self.document = document
        self.golden = golden
        self.root = Entry((), document.data if isinstance(document.data, dict) else {})
        self.primary = self.root.entries("primary_inputs")
        self.finals = self.root.entries("final_outputs")
        self.modules = _modules(self.root.data.get("modules"))
        self.verification = self.root.data.get("composition_verification")
        self.given = {name: entry for entry in reversed(self.primary) if (name := entry.name) is not None}
        self.made: dict[int, dict[str, Entry]] = {}
        for module in self.modules:
            if module.id is not None:
                self.made.setdefault(module.id, {}).update((o.name, o) for o in module.outputs if o.name is not None)
        self.called = {name: m.id for m in reversed(self.modules) if m.id is not None and (name := m.text("name"))}
        self._shapes: dict[str | int, Shape] = {}
        self._producers: dict[str, list[int]] | None = None
        self._suggestions = _SUGGESTIONS

    def tensors(self) -> Iterator[Entry]:
        """Every entry that may have a shape and a dtype, in the order of the file."""
        yield from self.primary
        for module in self.modules:
            yield from module.inputs
            yield from module.outputs
        yield from self.finals

    def shape(self, value: Any) -> Shape:
        """The shape that `value`, a part of the document, says; each text and each list is read once."""
        key = value if value.__class__ is str else id(value)
        shape = self._shapes.get(key)
        if shape is None:
            shape = self._shapes[key] = read_shape(value)
        return shape

    def producers(self, name: str) -> list[int]:
        """Ids of the Modules that have an output `name`, in order."""
        if self._producers is None:
            self._producers = {}
            for number in sorted(self.made):
                for made in self.made[number]:
                    self._producers.setdefault(made, []).append(number)
        return self._producers.get(name, [])

    def made_by(self, wire: Entry) -> Entry | None:
        """The output that an input or final output names, where it names one."""
        number = producer(wire.data.get("source"))
        return self.made.get(number, {}).get(wire.name or "") if number is not None else None

    def suggestion(self, name: str, known: Iterable[Any]) -> str:
        """`did you mean 'x'?` for the nearest of the names `known`, "" where none is near."""
        near = self.near(name, known)
        return f"did you mean {shown(near)}?" if near else ""

    def near(self, name: str, known: Iterable[Any]) -> str | None:
        """The nearest of the names `known`; None where none is near, and after as many questions as anybody reads."""
        self._suggestions -= 1
        return nearest(name, known) if self._suggestions >= 0 else None


def entries(path: Path, value: Any) -> list[Entry]:
    """The mappings in the list `value`, which is at `path`."""
    if value.__class__ is not list:
        return []
    return [Entry((*path, index), entry) for index, entry in enumerate(value) if entry.__class__ is dict]


def _modules(value: Any) -> list[Module]:
    return [Module(entry.path, entry.data, entry.path[-1]) for entry in entries(("modules",), value)]
