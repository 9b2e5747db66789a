"""Values that come into the operator, leave it, or pass between its Modules."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence

from r0kit.contract.model import Tensor, Wire
from r0kit.diff.model import Change, Path
from r0kit.diff.sides import Sides, renames

NOTHING = "nothing"
LONGEST = 160  # characters of a value that a change repeats


def primary_inputs(both: Sides) -> Iterator[Change]:
    """Changes of the operator's inputs."""
    return tensors(both.old.primary_inputs, both.new.primary_inputs, "primary_input", ("primary_inputs",))


def tensors(before: tuple[Tensor, ...], after: tuple[Tensor, ...], kind: str, at: Path) -> Iterator[Change]:
    """What changed from one list of values to another: names, shapes, dtypes, and their order."""
    same_by = renames(before, after)
    former: dict[str, deque[tuple[int, Tensor]]] = {}
    for index, value in enumerate(before):
        former.setdefault(same_by.get(value.name, value.name), deque()).append((index, value))
    for index, value in enumerate(after):
        if former.get(value.name):
            yield from _tensor(former[value.name].popleft()[1], value, kind, (*at, index))
        else:
            yield Change(f"{kind}_added", value.name, "", described(value), at=(*at, index))
    for index, value in (left for rest in former.values() for left in rest):
        yield Change(f"{kind}_removed", value.name, described(value), "", at=(*at, index), gone=True)
    yield from _order(former, after, kind, at)


def _tensor(old: Tensor, new: Tensor, kind: str, at: Path) -> Iterator[Change]:
    if old.name != new.name:
        yield Change(f"{kind}_renamed", new.name, old.name, new.name, at=at)
    for part in ("shape", "dtype"):
        was, now = getattr(old, part), getattr(new, part)
        if was != now:
            yield Change(f"{kind}_{part}", new.name, was or NOTHING, now or NOTHING, at=at)


def final_outputs(both: Sides) -> Iterator[Change]:
    """Changes of what the operator returns."""
    return wires(both.old.final_outputs, both.new.final_outputs, "final_output", ("final_outputs",), both)


def wires(before: tuple[Wire, ...], after: tuple[Wire, ...], kind: str, at: Path, both: Sides) -> Iterator[Change]:
    """What changed from one list of values that are read to another: which, from which Module, and their order."""
    former: dict[str, deque[tuple[int, Wire]]] = {}
    for index, wire in enumerate(before):
        former.setdefault(both.name(wire), deque()).append((index, wire))
    for index, wire in enumerate(after):
        if not former.get(wire.name):
            yield Change(f"{kind}_added", wire.name, "", both.source(wire), at=(*at, index))
            continue
        old = former[wire.name].popleft()[1]
        if both.number(old.module) != wire.module:
            yield Change(f"{kind}_producer", wire.name, both.former(old), both.source(wire), at=(*at, index))
    for name, (index, wire) in ((name, left) for name, rest in former.items() for left in rest):
        yield Change(f"{kind}_removed", name, both.former(wire), "", at=(*at, index), gone=True)
    yield from _order(former, after, kind, at)


def _order(former: Collection[str], after: Sequence[Tensor | Wire], kind: str, at: Path) -> Iterator[Change]:
    """Whether the values that both have come in another order, by the first place of each name."""
    names = {value.name for value in after}
    was = ", ".join(name for name in former if name in names)
    now = order(value for value in after if value.name in former)
    if was and was != now:
        yield Change(f"{kind}_order", "", cut(was), cut(now), at=at)


def order(values: Iterable[Tensor | Wire]) -> str:
    """Names in their order, each once."""
    return ", ".join(dict.fromkeys(value.name for value in values)) or NOTHING


def cut(text: str) -> str:
    """A text as far as a change repeats it."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def described(value: Tensor) -> str:
    """Shape and dtype, as far as they are known."""
    return " ".join(filter(None, value[1:])) or "shape and dtype not said"
