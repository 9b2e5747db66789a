"""Program -> Partition: which Steps share a Module, and why not (design.md section 6).

Policy and algorithm are apart: `policy` says why two Steps may not share a Module, `levels` and `modules` draw Modules
from those answers, `crossing` chooses what crosses, `strategy` decides each reduction axis, `recurrences` and `rewrite`
hold what an expert knows about statistics and moves beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from r0kit.finding import Finding, Location, Severity
from r0kit.golden.program import Program
from r0kit.partition.assemble import parts
from r0kit.partition.crossing import Module, Sizes, crossings, floor, traffic
from r0kit.partition.model import Partition, Strategy
from r0kit.partition.modules import draw
from r0kit.partition.overflow import split
from r0kit.partition.pins import IMPOSSIBLE, NO_PINS, Pins, check_pins
from r0kit.partition.rewrite import prepare
from r0kit.partition.strategy import Choice, Circumstances, choose
from r0kit.partition.weighing import better, beyond_one_tile, weighed
from r0kit.platform import Platform, load
from r0kit.spec import Spec

__all__ = ["Partition", "Pins", "Strategy", "partition"]


def partition(
    program: Program,
    spec: Spec | None = None,
    strategy: Strategy = Strategy.AUTO,
    platform: Platform | None = None,
    pins: Pins = NO_PINS,
) -> Partition:
    """The Modules of a Program. With `auto` the bytes through GM are at most those of `conventional`, under the same pins."""
    said = circumstances(spec, strategy, platform or load(), pins)
    prepared = prepare(program)
    choice = choose(prepared, said)
    given = beyond_one_tile(choice.decisions, said)
    result = _partition(choice, given, said.extents)
    if strategy is not Strategy.AUTO:
        return result
    plain = replace(given, strategy=Strategy.CONVENTIONAL)
    return better(result, _partition(choose(prepared, plain), plain, said.extents))


def circumstances(spec: Spec | None, strategy: Strategy, platform: Platform, pins: Pins) -> Circumstances:
    """What SPEC says about extents: upper bounds, and the first p0 case where a symbol has none."""
    bounds = {name: high for name, (_, high) in spec.dynamic_axes_ranges.items()} if spec else {}
    case = spec.bindings(spec.p0_cases[0]) if spec and spec.p0_cases else {}
    return Circumstances(strategy, platform, bounds, {**case, **bounds}, pins)


def _partition(choice: Choice, given: Circumstances, said: Mapping[str, int]) -> Partition:
    flow = choice.policy.flow
    sizes = Sizes(choice.program, given.extents)
    fitted = split(choice.policy, draw(choice.policy), given)
    modules = crossings(choice.policy, fitted.groups, sizes)
    return Partition(
        choice.program,
        given.strategy,
        given.platform.name,
        parts(choice.policy, modules, choice.occurrences, fitted.forced),
        tuple(flow.axes.described(given.bounds)),
        choice.decisions,
        given.extents,
        traffic(flow, modules, sizes),
        floor(choice.program, sizes),
        (*fitted.findings, *_pin_findings(choice, modules, given)),
        weighed(choice.program, given, said),
    )


def _pin_findings(choice: Choice, modules: Sequence[Module], given: Circumstances) -> Iterator[Finding]:
    """Pins that name nothing, and pins that could not be followed."""
    flow = choice.policy.flow
    axes = frozenset(axis.name for axis in flow.axes.described(given.bounds))
    yield from check_pins(given.pins, choice.program, axes, choice.golden)
    for group in given.pins.keep_together:
        known = [name for name in group if name in flow.steps]
        if known and not any(set(known) <= set(module.steps) for module in modules):
            sections = {flow.section(name).value for name in known}
            why = "they belong to different sections" if len(sections) > 1 else "another Module lies between them"
            message = f"keep_together {', '.join(known)} cannot be followed: {why}"
            step = flow.steps[known[0]]
            place = Location(choice.program.path, step.span.line, step.span.column)
            yield Finding(IMPOSSIBLE, Severity.WARNING, message, place, "pin less, or change the golden")
