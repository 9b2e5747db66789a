"""What later rounds take from a contract: API chains (R1), states and their lifetimes (R4), handoffs (R6), and what a
reviewer ticks off (R8). Computed here alone, without language; section 0, the page and JSON only write it down."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from r0kit.contract.model import NOTHING, Contract, Record
from r0kit.contract.shape import read_shape
from r0kit.render.escape import plain
from r0kit.render.flow import FINAL, Handoff, edges, handoffs
from r0kit.render.record import entries, pick, producer

CHAIN_KEYS = ("value", "op", "line", "note")  # every other key of an `api` record names a platform
_NONE = "none"
_AXES = ("axes", "reduces")


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
    axes, reduces = ({m.id: _names(pick(m.traversal or NOTHING, key)) for m in contract.modules} for key in _AXES)
    outputs = {(value.name, module.id): value for module in contract.modules for value in module.outputs}
    readers: dict[tuple[str, int], list[int]] = {}
    for edge in edges(contract):
        readers.setdefault((edge.value, edge.producer), []).append(edge.consumer)
    for module in contract.modules:
        for record in entries(pick(module.traversal or NOTHING, "state")):
            name = plain(record.get("name"))
            updated, over = _updates(module.id, reduces[module.id], holders.get(name, {}))
            stored = {(name, each) for each in (*updated, module.id)} & outputs.keys()
            first = updated[0] if updated[0] in axes else module.id
            kept = _kept(axes[first], reduces[first], [outputs[key].shape for key in stored if outputs[key].shape])
            reads = tuple(reader for key in sorted(stored) for reader in readers.get(key, ()))
            each = tuple(axis for axis in kept if axis not in over)
            yield State(name, module.id, record, over, each, updated, bool(stored), reads)


def _kept(axes: tuple[str, ...], reduced: tuple[str, ...], shapes: list[str]) -> tuple[str, ...]:
    """The axes of a Module, without those that it has reduced before it comes to a value of one of these shapes."""
    if not shapes:
        return axes
    gone = set(reduced) - {name for shape in shapes for name, _ in read_shape(shape).names}
    return tuple(axis for axis in axes if axis not in gone)


def _holders(contract: Contract) -> dict[str, dict[int, list[str]]]:
    """State -> the Modules that keep it, by the records of the reduction axes, with those axes."""
    found: dict[str, dict[int, list[str]]] = {}
    for record in contract.reduction:
        for entry in entries(pick(record, "traversals")):
            module = producer(entry.get("module"))
            for name in _names(entry.get("state")) if module is not None else ():
                found.setdefault(name, {}).setdefault(module or 0, []).append(plain(record.get("axis")))
    return found


def _updates(
    module: int, reduced: tuple[str, ...], holders: Mapping[int, list[str]]
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The Modules that change the state that `module` declares, and the axes over which they do.

    The declaring Module over the axes that it reduces, unless the records of these axes say that others keep the state.
    """
    if holders and module not in holders:
        return tuple(sorted(holders)), tuple(dict.fromkeys(axis for axes in holders.values() for axis in axes))
    return (module,), tuple(dict.fromkeys(holders.get(module, reduced)))


def _names(value: object) -> tuple[str, ...]:
    """Names as records hold them, each once: a list of them or of mappings with a name, or one alone."""
    items = value if isinstance(value, (list, tuple)) else [value]
    names = (plain(item.get("name") if isinstance(item, Mapping) else item) for item in items)
    return tuple(dict.fromkeys(filter(None, names)))


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
