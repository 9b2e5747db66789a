"""At which extents bytes are weighed, and which of two Partitions `auto` takes for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import cycle

from r0kit.golden.dims import Dim
from r0kit.golden.program import Program
from r0kit.partition.crossing import UNBOUNDED
from r0kit.partition.model import AxisDecision, Partition, Strategy
from r0kit.partition.pins import UNFOLLOWED
from r0kit.partition.strategy import Circumstances


def beyond_one_tile(decisions: Iterable[AxisDecision], given: Circumstances) -> Circumstances:
    """The same with reduction axes that SPEC gives no range for at extents that one tile does not hold.

    A p0 case has small numbers to be checked with; at those every axis would fit, and the question would be another one.
    """
    extents = dict(given.extents)
    for decision in decisions:
        extent = decision.axis.extent
        free = sorted(extent.symbols - set(given.bounds))
        if decision.limit and free and decision.scheme is not Strategy.SINGLE_TILE:
            extents |= _stretched(extent, free, decision.limit, extents)
    return replace(given, extents=extents)


def _stretched(extent: Dim, free: list[str], limit: int, extents: Mapping[str, int]) -> dict[str, int]:
    """Symbols of an extent, doubled in turn until it is more than `limit`."""
    known = {name: max(extents.get(name, 1), 1) for name in extent.symbols}
    for name in cycle(free):
        if extent.evaluate(known) > limit or known[name] > limit:
            break
        known[name] *= 2
    return {name: known[name] for name in free}


def weighed(program: Program, given: Circumstances, plain: Mapping[str, int]) -> tuple[str, ...]:
    """The extents of a Program's symbols, by where they come from: `M = 4096, N = 8192 (bounds of SPEC)`.

    plain: those of SPEC alone, without what `beyond_one_tile` has made of them.
    """
    bounds, extents = given.bounds, given.extents
    shapes = [*(value.shape for value in program.inputs), *(step.shape for step in program.steps)]
    symbols = dict.fromkeys(name for shape in shapes for extent in shape for name in sorted(extent.symbols))
    by_source: dict[str, list[str]] = {}
    for name in symbols:
        source = "bounds of SPEC" if name in bounds else _source(name, extents, plain)
        by_source.setdefault(source, []).append(f"{name} = {extents.get(name, UNBOUNDED)}")
    return tuple(f"{', '.join(texts)} ({source})" for source, texts in by_source.items())


def _source(name: str, extents: Mapping[str, int], plain: Mapping[str, int]) -> str:
    if extents.get(name) != plain.get(name):
        return "no range in SPEC, so more than one tile holds"
    return "first p0 case" if name in extents else "assumed"


def better(drawn: Partition, plain: Partition) -> Partition:
    """What `auto` takes: of its own Partition and that with one Module per traversal the one that follows more pins, and
    among equals the one that moves fewer bytes."""
    left, plain_left = _unfollowed(drawn), _unfollowed(plain)
    if (left, drawn.traffic) <= (plain_left, plain.traffic):
        return drawn
    schemes = {decision.axis.name: decision.scheme for decision in drawn.decisions}
    why = _more_pins if plain_left < left else _fewer_bytes
    decisions = (
        replace(decision, reason=why(scheme, plain, drawn)) if scheme is not decision.scheme else decision
        for decision in plain.decisions
        for scheme in [schemes.get(decision.axis.name, decision.scheme)]
    )
    return replace(plain, strategy=drawn.strategy, decisions=tuple(decisions))


def _unfollowed(partition: Partition) -> int:
    return sum(finding.rule in UNFOLLOWED for finding in partition.findings)


def _more_pins(scheme: Strategy, plain: Partition, drawn: Partition) -> str:
    return f"one Module per traversal follows pins that {scheme.value} cannot"


def _fewer_bytes(scheme: Strategy, plain: Partition, drawn: Partition) -> str:
    moved = f"{plain.traffic} bytes against {drawn.traffic}"
    at = "".join(f"; weighed at {extents}" for extents in plain.weighed)
    return f"one Module per traversal moves less through GM than {scheme.value}: {moved}{at}"
