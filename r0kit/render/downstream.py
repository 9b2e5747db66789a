"""What later rounds take from a contract: API chains (R1), states and their lifetimes (R4), handoffs (R6), and what a
reviewer ticks off (R8). Computed here alone, without language; section 0, the page and JSON only write it down."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from r0kit.contract.model import NOTHING, Contract, Module, Record
from r0kit.contract.shape import read_shape
from r0kit.render.escape import plain
from r0kit.render.flow import FINAL, Handoff, edges, handoffs
from r0kit.render.record import entries, pick, producer

CHAIN_KEYS = ("value", "op", "line", "note")  # every other key of an `api` record names a platform
_NONE = "none"


class Path(NamedTuple):
    """How a Step is computed on one platform: its API calls in order, or the reason why there is no way."""

    apis: tuple[str, ...]
    reason: str = ""


class Chain(NamedTuple):
    """The API chains of one Step, by platform."""

    module: int
    value: str
    op: str
    paths: Mapping[str, Path]


class State(NamedTuple):
    """A value that one tile leaves to the next. module: the one whose traversal declares it, with this record.

    over: the axes along which tiles follow each other; each: those for every index of which it starts anew.
    updated_by: Modules that change it; read_by: Modules that read it afterwards, and FINAL; stored: whether it leaves
    the chip, as an output; last: the last Module that needs it.
    """

    name: str
    module: int
    record: Record
    over: tuple[str, ...]
    each: tuple[str, ...]
    updated_by: tuple[int, ...]
    stored: bool
    read_by: tuple[int, ...]

    @property
    def first(self) -> int:
        return min(self.updated_by)

    @property
    def last(self) -> int:
        return max((*self.updated_by, *self.read_by, self.module))


class Check(NamedTuple):
    """One thing to tick off in review. kind: initialised, persisted, masked, synchronised, or whole_range."""

    kind: str
    subject: str
    modules: tuple[int, ...]
    detail: str


class Downstream(NamedTuple):
    """All four lists."""

    chains: tuple[Chain, ...]
    states: tuple[State, ...]
    handoffs: tuple[Handoff, ...]
    review: tuple[Check, ...]


def downstream(contract: Contract) -> Downstream:
    """The lists of a contract, in its own order."""
    kept, crossing = tuple(_states(contract)), tuple(handoffs(contract).values())
    checks = (*_of_states(kept), *_of_handoffs(crossing), *_of_axes(contract))
    return Downstream(tuple(_chains(contract)), kept, crossing, checks)


def _chains(contract: Contract) -> Iterator[Chain]:
    for module in contract.modules:
        for record in module.api:
            paths = {plain(key): _path(value) for key, value in record.items() if key not in CHAIN_KEYS}
            yield Chain(module.id, plain(record.get("value")), plain(record.get("op")), paths)


def _path(value: object) -> Path:
    """A chain as the contract writes it: names in a list or between commas, or `none: reason`."""
    text = plain(value)
    start, _, reason = text.partition(":")
    if start.strip() == _NONE or not text:
        return Path((), reason.strip())
    names = map(plain, value) if isinstance(value, (list, tuple)) else text.split(",")
    return Path(tuple(filter(None, (name.strip() for name in names))))


def _states(contract: Contract) -> Iterator[State]:
    holders = _holders(contract)
    modules = {module.id: module for module in contract.modules}
    outputs = {(value.name, module.id): value for module in contract.modules for value in module.outputs}
    readers: dict[tuple[str, int], list[int]] = {}
    for edge in edges(contract):
        readers.setdefault((edge.value, edge.producer), []).append(edge.consumer)
    for module in contract.modules:
        for record in entries(pick(module.traversal or NOTHING, "state")):
            name = plain(record.get("name"))
            updated, over = _updates(name, module, holders.get(name, {}))
            stored = {(name, each) for each in (*updated, module.id)} & outputs.keys()
            axes = _kept(modules.get(updated[0], module), [outputs[key].shape for key in stored if outputs[key].shape])
            reads = tuple(reader for key in sorted(stored) for reader in readers.get(key, ()))
            each = tuple(axis for axis in axes if axis not in over)
            yield State(name, module.id, record, over, each, updated, bool(stored), reads)


def _kept(module: Module, shapes: list[str]) -> tuple[str, ...]:
    """The axes of a Module, without those that it has reduced before it comes to a value of one of these shapes."""
    axes, reduced = (_names(pick(module.traversal or NOTHING, key)) for key in ("axes", "reduces"))
    symbols = {name for shape in shapes for name, _ in read_shape(shape).names}
    return tuple(axis for axis in axes if not shapes or axis not in reduced or axis in symbols)


def _holders(contract: Contract) -> dict[str, dict[int, list[str]]]:
    """State -> the Modules that keep it, by the records of the reduction axes, with those axes."""
    found: dict[str, dict[int, list[str]]] = {}
    for record in contract.reduction:
        for entry in entries(pick(record, "traversals")):
            module = producer(entry.get("module"))
            for name in _names(entry.get("state")) if module is not None else ():
                found.setdefault(name, {}).setdefault(module or 0, []).append(plain(record.get("axis")))
    return found


def _updates(name: str, module: Module, holders: Mapping[int, list[str]]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The Modules that change the state that `module` declares, and the axes over which they do.

    The declaring Module, unless the records of the reduction axes say that others keep a state of that name.
    """
    if holders and module.id not in holders:
        return tuple(sorted(holders)), tuple(dict.fromkeys(axis for axes in holders.values() for axis in axes))
    own = holders.get(module.id) or _names(pick(module.traversal or NOTHING, "reduces"))
    return (module.id,), tuple(dict.fromkeys(own))


def _names(value: object) -> tuple[str, ...]:
    """Names as records hold them: a list of them or of mappings with a name, or one alone."""
    items = value if isinstance(value, (list, tuple)) else [value]
    return tuple(filter(None, (plain(i.get("name") if isinstance(i, Mapping) else i) for i in items)))


def _of_states(states: tuple[State, ...]) -> Iterator[Check]:
    for state in states:
        initial, mask = (plain(pick(state.record, key)) for key in ("initial", "tail_mask"))
        yield Check("initialised", state.name, state.updated_by[:1], initial)
        yield Check("persisted", state.name, state.updated_by, ", ".join(state.over))
        yield Check("masked", state.name, state.updated_by, mask)


def _of_handoffs(crossing: tuple[Handoff, ...]) -> Iterator[Check]:
    for handoff in crossing:
        ends = (handoff.edge.producer, handoff.edge.consumer)
        yield Check("synchronised", handoff.edge.value, ends, plain(pick(handoff.record, "sync")))


def _of_axes(contract: Contract) -> Iterator[Check]:
    """Every pass of a Module over an axis that it reduces, as recorded for the axis or else by the Module."""
    passes: dict[tuple[str, int], str] = {}
    for record in contract.reduction:
        for entry in entries(pick(record, "traversals")):
            module = producer(entry.get("module"))
            if module is not None:
                passes[plain(record.get("axis")), module] = plain(entry.get("range"))
    for reader in contract.modules:
        for axis in _names(pick(reader.traversal or NOTHING, "reduces")):
            passes.setdefault((axis, reader.id), "")
    for (axis, module), span in passes.items():
        yield Check("whole_range", axis, (module,), span or f"0..{axis}")


def readers(state: State) -> tuple[int, ...]:
    """The Modules that read the state once it is final, each once, without the caller of the operator."""
    return tuple(dict.fromkeys(module for module in state.read_by if module != FINAL))
