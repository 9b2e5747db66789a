"""At which extents bytes are weighed, and which of two Partitions `auto` takes for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from r0kit.golden.program import Program
from r0kit.partition.crossing import UNBOUNDED
from r0kit.partition.model import Partition, Strategy
from r0kit.partition.pins import UNFOLLOWED


def weighed(program: Program, bounds: Mapping[str, int], extents: Mapping[str, int]) -> tuple[str, ...]:
    """The extents of a Program's symbols, by where they come from: `M = 4096, N = 8192 (bounds of SPEC)`."""
    shapes = [*(value.shape for value in program.inputs), *(step.shape for step in program.steps)]
    symbols = dict.fromkeys(name for shape in shapes for extent in shape for name in sorted(extent.symbols))
    by_source: dict[str, list[str]] = {}
    for name in symbols:
        source = "bounds of SPEC" if name in bounds else "first p0 case" if name in extents else "assumed"
        by_source.setdefault(source, []).append(f"{name} = {extents.get(name, UNBOUNDED)}")
    return tuple(f"{', '.join(texts)} ({source})" for source, texts in by_source.items())


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
