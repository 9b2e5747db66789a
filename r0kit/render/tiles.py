"""Tiles of the Modules, where a plan (`r0kit plan --json`) has been laid beside the contract."""

from collections.abc import Iterator
from typing import Any

from r0kit.contract.model import Contract, Record
from r0kit.render.escape import Safe
from r0kit.render.record import entries, pick
from r0kit.render.tables import Cells, Context
from r0kit.render.words import Words

PLAN = "plan of tiles"  # among the contract's extras; a key of a file has no such name


def with_plan(contract: Contract, plan: Record) -> Contract:
    """The contract with a plan beside it, which section 0 then shows."""
    return contract._replace(extra={**contract.extra, PLAN: plan})


def attached(contract: Contract) -> bool:
    """Whether there is a plan to show."""
    return bool(entries(contract.extra.get(PLAN)))


def tiles(contract: Contract, words: Words) -> Context:
    """A row per Module and phase: its iteration space, its first candidate, the others; then the base test cases."""
    (plan,) = entries(contract.extra.get(PLAN))[:1]
    modules = entries(pick(plan, "modules"))
    simulator = pick(plan, "simulator")
    return {
        "platform": words.code(pick(plan, "platform")),
        "extents": words.mark(pick(plan, "extents")) or words.say("none"),
        "simulator": words.mark(simulator),
        "columns": words.columns("tiles.columns"),
        "rows": [row for module in modules for row in _rows(module, words)],
        "case_columns": words.columns("tiles.case_columns"),
        "cases": [_case(module, case, words) for module in modules for case in entries(pick(module, "cases"))],
    }


def by_module(contract: Contract, words: Words) -> dict[int, list[Cells]]:
    """The rows of each Module that a plan beside the contract has, by its number and without its name."""
    found: dict[int, list[Cells]] = {}
    for plan in entries(contract.extra.get(PLAN))[:1]:
        for module in entries(pick(plan, "modules")):
            number = pick(module, "id")
            if number.__class__ is int:
                found.setdefault(number, []).extend(row[1:] for row in _rows(module, words))
    return found


def _rows(module: Record, words: Words) -> Iterator[Cells]:
    phases = entries(pick(module, "phases"))
    for phase in phases:
        candidates = entries(pick(phase, "candidates"))
        first = [_measured(candidate, words) for candidate in candidates[:1]]
        others = [_tile(candidate, words) for candidate in candidates[1:]]
        live = [_live(candidate, words) for candidate in candidates[:1]]
        yield (
            _module(module, words),
            words.code(_space(phase)),
            words.join(first) or words.say("none"),
            words.join(live) or words.say("none"),
            words.listed(others) or words.say("none"),
        )
    if not phases:
        notes = [words.prose(note) for note in _texts(module, "notes", "failures")]
        yield (_module(module, words), words.join(notes) or words.say("not_recorded"), *[words.say("none")] * 3)


def _module(module: Record, words: Words) -> Safe:
    return words.join(
        [words.say("tiles.module", id=words.prose(pick(module, "id")), name=words.code(pick(module, "name")))]
    )


def _space(phase: Record) -> str:
    axes, extents = (_list(pick(phase, key)) for key in ("axes", "extents"))
    return ", ".join(f"{axis}={extent}" for axis, extent in zip(axes, extents, strict=False))


def _tile(candidate: Record, words: Words) -> Safe:
    """The tile, with its cycles where it was simulated."""
    tile = words.code(f"({', '.join(map(str, _list(pick(candidate, 'tile'))))})")
    if pick(candidate, "rejected"):
        return words.say("tiles.rejected", tile=tile)
    cycles = pick(candidate, "cycles")
    return tile if cycles is None else words.say("tiles.cycles", tile=tile, cycles=words.prose(cycles))


def _measured(candidate: Record, words: Words) -> Safe:
    count, contiguous = (words.prose(pick(candidate, key)) for key in ("tiles", "contiguous_bytes"))
    return words.say("tiles.measured", tile=_tile(candidate, words), count=count, contiguous=contiguous)


def _live(candidate: Record, words: Words) -> Safe:
    used, size = (entries(pick(candidate, key)) for key in ("live_bytes", "capacity_bytes"))
    pairs = [(name, value, size[0].get(name) if size else None) for name, value in (used[0] if used else {}).items()]
    return words.listed(
        [
            words.say("tiles.live", space=words.prose(name), used=words.prose(value), size=words.prose(total))
            for name, value, total in pairs
        ]
    )


def _case(module: Record, case: Record, words: Words) -> Cells:
    kind = str(pick(case, "kind"))
    key = f"tiles.case.{kind.replace(' ', '_')}"
    extents = entries(pick(case, "extents"))
    bound = ", ".join(f"{name}={extent}" for name, extent in (extents[0] if extents else {}).items())
    served = pick(case, "served") is True
    return (
        _module(module, words),
        words.say(key) if words.known(key) else words.prose(kind),
        words.mark(bound) or words.say("none"),
        words.say("tiles.served") if served and bound else words.prose(pick(case, "says")),
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(record: Record, *keys: str) -> list[str]:
    return [str(text) for key in keys for text in _list(pick(record, key))]
