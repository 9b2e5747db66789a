"""Contract -> Plan: for each Module its phases, their candidates, and the base test cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from r0kit.contract.model import Contract, Module
from r0kit.plan.cases import Axis, base_cases
from r0kit.plan.contraction import Product, counted_product, products_of
from r0kit.plan.cube import cube_phase
from r0kit.plan.expression import UnreadError
from r0kit.plan.extents import ExtentError, Extents, chosen
from r0kit.plan.model import BaseCase, Candidate, ModulePlan, Phase, Plan
from r0kit.plan.reader import work_of
from r0kit.plan.vector import vector_phase
from r0kit.plan.work import Operation, Value, Work
from r0kit.platform import Platform


def plan_of(contract: Contract, platform: Platform, wanted: Extents) -> Plan:
    """The plan of every Module, at the largest shape case of the contract with `wanted` in its place."""
    extents = chosen(contract, wanted)
    modules = tuple(_module(contract, module, extents, platform) for module in contract.modules)
    return Plan(contract.op, platform.name, extents, modules)


def _module(contract: Contract, module: Module, extents: Extents, platform: Platform) -> ModulePlan:
    planned = _cube if module.section == "cube" else _vector
    try:
        return planned(contract, module, extents, platform)
    except UnreadError as error:
        return ModulePlan(module.id, module.name, module.section, (), (), (f"no tiles: {error}",))
    except ExtentError as error:
        return ModulePlan(module.id, module.name, module.section, (), (), (), (str(error),))


# Vector Modules.


def _vector(contract: Contract, module: Module, extents: Extents, platform: Platform) -> ModulePlan:
    work = work_of(contract, module, extents)
    phases = tuple(vector_phase(part, platform) for part in phases_of(work))
    counted = (f"counted, not read: {work.note}; each line is one temporary",) if work.note else ()
    notes = (*counted, *_longer(contract, work))
    best = phases[0].candidates
    cases = tuple(_vector_cases(contract, module, work, best[0], platform)) if best else ()
    failures = tuple(note for phase in phases if not phase.candidates for note in phase.notes)
    return _stated(module, phases, cases, notes, failures)


def phases_of(work: Work) -> tuple[Work, ...]:
    """The Module's own space, then one phase for each reduction over a space that reductions have made smaller."""
    later = [step for step in work.operations if step.kind == "reduction" and step.space != work.space]
    return (work, *(_alone(work, step) for step in _distinct(later)))


def _distinct(steps: list[Operation]) -> list[Operation]:
    return list({step.space: step for step in reversed(steps)}.values())[::-1]


def _alone(work: Work, step: Operation) -> Work:
    values = {name: work.values[name] for name in (str(step.operands[0]), step.target)}
    source: Value = values[str(step.operands[0])]
    return replace(
        work,
        values=values,
        operations=(step,),
        inputs=(source.name,),
        outputs=(step.target,),
        space=step.space,
        axes=source.axes,
        algorithm="",
    )


def _vector_cases(
    contract: Contract, module: Module, work: Work, best: Candidate, platform: Platform
) -> Iterator[BaseCase]:
    axes = [
        _axis(contract, name, best.tile[at], work.space[at], at in work.reduced, at in work.whole)
        for at, name in enumerate(work.axes)
    ]
    axes[-1] = replace(axes[-1], unit=max(1, platform.vector_alignment // work.element))
    return base_cases(axes, work, platform, _states(module))


# Cube Modules.


def _cube(contract: Contract, module: Module, extents: Extents, platform: Platform) -> ModulePlan:
    made, notes = _products(contract, module, extents)
    phases = tuple(cube_phase(one, platform) for one in made)
    failures = tuple(note for phase in phases if not phase.candidates for note in phase.notes)
    cases = tuple(_cube_cases(contract, made[0], phases[0], platform)) if phases[0].candidates else ()
    return _stated(module, phases, cases, notes, failures)


def _products(contract: Contract, module: Module, extents: Extents) -> tuple[tuple[Product, ...], tuple[str, ...]]:
    try:
        return products_of(contract, module, extents), ()
    except UnreadError as error:
        made = counted_product(contract, module, extents)
        return (made,), (f"counted, not read: {error}; M, N and K are those of its output and its traversal",)


def _cube_cases(contract: Contract, made: Product, phase: Phase, platform: Platform) -> Iterator[BaseCase]:
    m0, _, _, k1, n0, _ = phase.candidates[0].tile
    rows: list[tuple[str, int, int, bool]] = [
        (made.axes[0], m0, made.m, False),
        (made.axes[1], k1, made.k, True),
        (made.axes[2], n0, made.n, False),
    ]
    axes = [
        _axis(contract, name or "MKN"[at], tile, extent, reduced, False, composite=not name)
        for at, (name, tile, extent, reduced) in enumerate(rows)
    ]
    return base_cases(axes, None, platform, ("the accumulator in L0C",))


# What both share.


def _axis(
    contract: Contract, name: str, tile: int, extent: int, reduced: bool, whole: bool, composite: bool = False
) -> Axis:
    fixed = composite or not name.isidentifier()
    return Axis(
        name if not fixed or composite else f"{name} ({extent})", tile, _bound(contract, name), reduced, fixed, whole
    )


def _bound(contract: Contract, axis: str) -> int | None:
    for record in contract.reduction:
        bound = record.get("bound")
        if record.get("axis") == axis and isinstance(bound, int) and not isinstance(bound, bool):
            return bound
    return None


def _states(module: Module) -> tuple[str, ...]:
    states = (module.traversal or {}).get("state", ())
    named = states if isinstance(states, list | tuple) else ()
    return tuple(str(state["name"]) for state in named if isinstance(state, dict) and "name" in state)


def _stated(
    module: Module,
    phases: tuple[Phase, ...],
    cases: tuple[BaseCase, ...],
    notes: tuple[str, ...],
    failures: tuple[str, ...],
) -> ModulePlan:
    failures = (*failures, *(f"test case {case.kind!r}: {case.says}" for case in cases if not case.served))
    return ModulePlan(module.id, module.name, module.section, phases, cases, notes, failures)


def _longer(contract: Contract, work: Work) -> Iterator[str]:
    """Axes that SPEC lets be longer than they are planned for."""
    for axis, extent in zip(work.axes, work.space, strict=True):
        bound = _bound(contract, axis)
        if bound is not None and bound > extent:
            yield f"planned at {axis}={extent}; it may be {bound} (--extents {axis}={bound})"
