"""Which Module of OLD is which of NEW: by what they compute and are called, so that an inserted Module shifts nothing."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence

from r0kit.contract.model import Module

Pairs = dict[int, int]
"""Position in OLD -> position in NEW."""


def match(old: Sequence[Module], new: Sequence[Module]) -> Pairs:
    """The pairs, from the surest sign to the weakest; Modules that share nothing stay alone."""
    pairs: Pairs = {}
    for sign in _SIGNS:
        _pair_equal(old, new, sign, pairs)
    for parts in (_outputs, _steps):
        _pair_most_shared(old, new, parts, pairs)
    return pairs


def moved(pairs: Pairs) -> set[int]:
    """Positions in OLD of the fewest Modules that must have moved for the others to have kept their order."""
    order = sorted(pairs)
    tails: list[int] = []  # NEW positions; tails[k] ends the best increasing run of k + 1
    ends: list[int] = []  # the OLD position behind each of them
    before: dict[int, int | None] = {}
    for position in order:
        place = bisect_left(tails, pairs[position])
        before[position] = ends[place - 1] if place else None
        tails[place : place + 1], ends[place : place + 1] = [pairs[position]], [position]
    kept, last = set(), ends[-1] if ends else None
    while last is not None:
        kept.add(last)
        last = before[last]
    return set(order) - kept


def _outputs(module: Module) -> tuple[str, ...]:
    return tuple(value.name for value in module.outputs)


def _steps(module: Module) -> tuple[str, ...]:
    return module.golden_steps


_SIGNS: tuple[Callable[[Module], Hashable], ...] = (
    lambda module: (module.name, module.section, _outputs(module), module.inputs),
    lambda module: (module.name, module.section, _outputs(module)),
    lambda module: _outputs(module) and (module.section, _outputs(module)),
    lambda module: _outputs(module),
    lambda module: module.name,
)


def _pair_equal(old: Sequence[Module], new: Sequence[Module], sign: Callable[[Module], Hashable], pairs: Pairs) -> None:
    """Add pairs with one sign, in order where several have it. An empty sign is none."""
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for position in reversed(_free(len(new), pairs.values())):
        waiting[sign(new[position])].append(position)
    for position in _free(len(old), pairs):
        mark = sign(old[position])
        if mark and waiting[mark]:
            pairs[position] = waiting[mark].pop()


def _pair_most_shared(
    old: Sequence[Module], new: Sequence[Module], parts: Callable[[Module], tuple[str, ...]], pairs: Pairs
) -> None:
    """Add pairs that share parts: for each Module of OLD in order the free one of NEW that shares most."""
    holders: dict[str, list[int]] = defaultdict(list)
    free = set(_free(len(new), pairs.values()))
    for position in sorted(free):
        for part in dict.fromkeys(parts(new[position])):
            holders[part].append(position)
    for position in _free(len(old), pairs):
        shared = Counter(p for part in dict.fromkeys(parts(old[position])) for p in holders[part][:_FEW] if p in free)
        if shared:
            best = min(shared, key=lambda p: (-shared[p], p))
            pairs[position] = best
            free.remove(best)


_FEW = 50  # Modules with one part in common that are looked at; a part that more have says nothing


def _free(count: int, taken: Iterable[int]) -> list[int]:
    used = set(taken)
    return [position for position in range(count) if position not in used]
