"""A Plan with simulated cycles: every candidate as a kernel, and where the simulator's order differs from the plan's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from r0kit.contract.model import Contract, Module
from r0kit.plan.contraction import products_of
from r0kit.plan.expression import UnreadError
from r0kit.plan.extents import ExtentError, Shape
from r0kit.plan.model import Candidate, ModulePlan, Phase, Plan
from r0kit.plan.reader import work_of
from r0kit.plan.show import by_cycles
from r0kit.plan.simulate.cube import cube_arguments, cube_body
from r0kit.plan.simulate.session import Outcome, Session
from r0kit.plan.simulate.source import kernel_source
from r0kit.plan.simulate.vector import UnwrittenError, arguments, kernel_body

PLATFORM = "a2a3"  # the only one that the wheel has
Progress = Callable[[int, int, str], None]  # kernels done, kernels in all, the one that begins
Kernels = tuple[str, ...]  # one for each candidate of a phase


def in_silence(done: int, total: int, name: str) -> None:
    """The progress that nobody wants to hear of."""


def simulated(plan: Plan, contract: Contract, session: Session, progress: Progress = in_silence) -> Plan:
    """The plan with cycles, or the compiler's words, at each candidate of a phase that can be written as a kernel."""
    written = [_kernels(plan, contract, at) for at in range(len(plan.modules))]
    total = sum(len(kernels) for phases, _ in written for kernels in phases)
    count = _Count(total, progress)
    modules = tuple(
        _with_cycles(module, phases, note, session, count)
        for module, (phases, note) in zip(plan.modules, written, strict=True)
    )
    progress(total, total, "")
    return replace(plan, modules=modules, simulator=f"pypto {session.version} ({PLATFORM})")


class _Count:
    """How many kernels have been run."""

    def __init__(self, total: int, progress: Progress) -> None:
        self.done, self.total, self.progress = 0, total, progress

    def next(self, name: str) -> None:
        self.progress(self.done, self.total, name)
        self.done += 1


def _kernels(plan: Plan, contract: Contract, at: int) -> tuple[tuple[Kernels, ...], str]:
    """Kernels for each phase of a Module that has its own; and why there are none."""
    module, planned = contract.modules[at], plan.modules[at]
    try:
        if module.section == "cube":
            return tuple(_cube_kernels(plan, contract, module, planned)), ""
        return tuple(_vector_kernels(plan, contract, module, planned)), ""
    except (UnwrittenError, UnreadError, ExtentError) as error:
        return (), f"not simulated: {error}"


def _cube_kernels(plan: Plan, contract: Contract, module: Module, planned: ModulePlan) -> Iterator[Kernels]:
    products = products_of(contract, module, plan.extents)
    for made, phase in zip(products, planned.phases, strict=True):
        given = cube_arguments(made)
        tiles = [candidate.tile for candidate in phase.candidates]
        yield tuple(kernel_source(given, cube_body(made, (a, b, c, d, e, f))) for a, b, c, d, e, f in tiles)


def _vector_kernels(plan: Plan, contract: Contract, module: Module, planned: ModulePlan) -> Iterator[Kernels]:
    """The whole Module for each candidate of its first phase; later phases have their first candidate."""
    work = work_of(contract, module, plan.extents)
    later = tuple((phase.extents, phase.candidates[0].tile) for phase in planned.phases[1:] if phase.candidates)
    tiles: list[Shape] = [candidate.tile for candidate in planned.phases[0].candidates]
    yield tuple(kernel_source(arguments(work), kernel_body(work, ((work.space, tile), *later))) for tile in tiles)


def _with_cycles(
    module: ModulePlan, written: Sequence[Kernels], note: str, session: Session, count: _Count
) -> ModulePlan:
    phases = list(module.phases)
    for at, kernels in enumerate(written):
        outcomes = []
        for number, source in enumerate(kernels):
            count.next(f"Module {module.id}, tile {number + 1} of {len(kernels)}")
            outcomes.append(session.run(source))
        phases[at] = _compared(phases[at], outcomes)
    return replace(module, phases=tuple(phases), notes=(*module.notes, note) if note else module.notes)


def _compared(phase: Phase, outcomes: Sequence[Outcome]) -> Phase:
    candidates = tuple(
        replace(candidate, cycles=outcome.cycles, rejected=outcome.error)
        for candidate, outcome in zip(phase.candidates, outcomes, strict=True)
    )
    return replace(phase, candidates=candidates, notes=(*phase.notes, *_differences(candidates)))


def _differences(candidates: Sequence[Candidate]) -> Iterator[str]:
    """Both orders, and the reasons of either's first where they are not the same tile."""
    order = by_cycles(candidates)
    if not order:
        return
    yield f"in order of simulated cycles: {', '.join(map(str, order))}"
    first, fastest = candidates[0], candidates[order[0] - 1]
    if first.rejected:
        yield f"the compiler rejects the first of the plan, {_tile(first)}"
    elif first.cycles != fastest.cycles:
        own = [reason for reason in fastest.reasons if reason not in first.reasons]
        yield (
            f"the orders differ: the plan begins with {_tile(first)}, {first.cycles} cycles; the simulator with "
            f"{_tile(fastest)}, {fastest.cycles} cycles ({'; '.join(own)})"
        )


def _tile(candidate: Candidate) -> str:
    return f"({', '.join(map(str, candidate.tile))})"
