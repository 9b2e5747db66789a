"""A Plan as data for JSON, and as a table for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from r0kit.plan.model import BaseCase, Candidate, ModulePlan, Phase, Plan

SCHEMA = 1


def as_data(plan: Plan) -> dict[str, Any]:
    """Everything that the plan says, for `json.dumps`."""
    return {
        "schema_version": SCHEMA,
        "op": plan.op,
        "platform": plan.platform,
        "extents": dict(plan.extents),
        "simulator": plan.simulator,
        "modules": [_module_data(module) for module in plan.modules],
    }


def _module_data(module: ModulePlan) -> dict[str, Any]:
    return {
        "id": module.id,
        "name": module.name,
        "section": module.section,
        "phases": [_phase_data(phase) for phase in module.phases],
        "cases": [_case_data(case) for case in module.cases],
        "notes": list(module.notes),
        "failures": list(module.failures),
    }


def _phase_data(phase: Phase) -> dict[str, Any]:
    return {
        "axes": list(phase.axes),
        "extents": list(phase.extents),
        "reduces": list(phase.reduced),
        "candidates": [_candidate_data(candidate) for candidate in phase.candidates],
        "simulated_order": by_cycles(phase.candidates),
        "notes": list(phase.notes),
    }


def by_cycles(candidates: Sequence[Candidate]) -> list[int]:
    """Places of the candidates, counted from 1, in the simulator's order; those without cycles are left out."""
    ran = [(candidate.cycles, place) for place, candidate in enumerate(candidates, 1) if candidate.cycles]
    return [place for _, place in sorted(ran)]


def _candidate_data(candidate: Candidate) -> dict[str, Any]:
    return {
        "tile": list(candidate.tile),
        "tiles": candidate.tiles,
        "contiguous_bytes": candidate.contiguous,
        "live_bytes": {space.name: space.used for space in candidate.live},
        "capacity_bytes": {space.name: space.size for space in candidate.live},
        "estimate": candidate.estimate,
        "cycles": candidate.cycles,
        "rejected": candidate.rejected,
        "reasons": list(candidate.reasons),
    }


def _case_data(case: BaseCase) -> dict[str, Any]:
    return {
        "kind": case.kind,
        "extents": dict(case.extents),
        "tiles": [{"axis": name, "count": count, "last": last} for name, count, last in case.tiles],
        "served": case.served,
        "says": case.says,
    }


def as_text(plan: Plan) -> str:
    """The plan as tables."""
    return "\n".join(_lines(plan)) + "\n"


def _lines(plan: Plan) -> Iterator[str]:
    bound = ", ".join(f"{name}={extent}" for name, extent in plan.extents.items())
    simulated = f"; cycles by {plan.simulator}" if plan.simulator else ""
    yield f"{plan.op} on {plan.platform}, at {bound or 'fixed extents'}{simulated}"
    for module in plan.modules:
        yield ""
        yield f"Module {module.id} {module.name} ({module.section})"
        for number, phase in enumerate(module.phases):
            yield from _phase_lines(phase, number)
        yield from _case_lines(module.cases)
        yield from (f"  note: {note}" for note in module.notes)


def _phase_lines(phase: Phase, number: int) -> Iterator[str]:
    over = ", ".join(
        name if name == str(extent) else f"{name}={extent}"
        for name, extent in zip(phase.axes, phase.extents, strict=True)
    )
    reduces = f", reduces {', '.join(phase.reduced)}" if phase.reduced else ""
    yield f"  {'then ' if number else ''}over [{over}]{reduces}"
    rows = [_row(candidate, place) for place, candidate in enumerate(phase.candidates)]
    if rows:
        yield from _table([_head(phase), *rows])
    yield from (f"  note: {note}" for note in phase.notes)


def _head(phase: Phase) -> list[str]:
    simulated = any(candidate.cycles or candidate.rejected for candidate in phase.candidates)
    return ["", "tile", "tiles", "live bytes", *(["cycles"] if simulated else []), "why"]


def _row(candidate: Candidate, place: int) -> list[str]:
    live = ", ".join(f"{space.name} {space.used} of {space.size}" for space in candidate.live)
    cycles = [str(candidate.cycles)] if candidate.cycles else []
    if candidate.rejected:
        cycles = ["rejected"]
    why = "; ".join(candidate.reasons) + (f"; the compiler: {candidate.rejected}" if candidate.rejected else "")
    return [str(place + 1), _tile(candidate.tile), str(candidate.tiles), live, *cycles, why]


def _tile(tile: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, tile))})"


def _table(rows: list[list[str]]) -> Iterator[str]:
    """Columns aligned, but for the last."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]) - 1)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  " + "  ".join([*cells, row[-1]])


def _case_lines(cases: tuple[BaseCase, ...]) -> Iterator[str]:
    if cases:
        yield "  base test cases"
    for case in cases:
        bound = ", ".join(f"{name}={extent}" for name, extent in case.extents.items())
        yield f"    {case.kind}: {bound + ': ' if bound else ''}{case.says}"
