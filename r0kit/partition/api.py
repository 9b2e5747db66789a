"""Steps against the APIs that compute them: the chain that R1 starts from, and Steps whose only API is elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from r0kit.finding import Finding, Location, Severity
from r0kit.golden.program import Kind, Section, Step
from r0kit.partition.model import Part, Partition
from r0kit.platform import Chain, chain, load, names, sections

UNLISTED = frozenset((Kind.OPAQUE, Kind.LOOP))  # no single operation, so no row
FOLDED = UNLISTED | {Kind.CREATION, Kind.LAYOUT}  # constants come from anywhere, and layout goes with its consumer


def api_chain(step: Step, section: Section, interface: str) -> Chain:
    """The API chain of a Step in the section of its Module. A Step that is no single operation has none."""
    if step.kind in UNLISTED:
        return Chain((), f"{step.op}: not a single operation, see golden line {step.span.line}")
    return chain(step.op, section.value, interface, _variant(step))


def api_chains(step: Step, section: Section) -> dict[str, Chain]:
    """The chain on each programming interface, under the name of the first platform that it reaches."""
    first = {load(name).frontend: load(name).name for name in reversed(names())}
    return {platform: api_chain(step, section, interface) for interface, platform in reversed(first.items())}


def api_conflicts(partition: Partition) -> tuple[Finding, ...]:
    """A finding for each Step that has an API path, but in the other section than its Module (design.md section 6.12)."""
    interface = load(partition.platform).frontend
    return tuple(finding for part in partition.parts for finding in _conflicts(part, interface, partition))


def _conflicts(part: Part, interface: str, partition: Partition) -> Iterator[Finding]:
    for step in part.steps:
        possible = frozenset[str]() if step.kind in FOLDED else sections(step.op, interface, _variant(step))
        if possible and part.section.value not in possible:
            yield _conflict(step, part, min(possible), interface, partition)


def _conflict(step: Step, part: Part, elsewhere: str, interface: str, partition: Partition) -> Finding:
    apis = ", ".join(chain(step.op, elsewhere, interface, _variant(step)).apis)
    where = f"in {part.section.value} Module {part.id}"
    message = f"{step.target}: {step.op} is {where}, but has an API for {elsewhere} only ({apis})"
    place = Location(partition.program.path, step.span.line, step.span.column)
    hint = f"leave {step.target} to the {elsewhere} section: a pin may have moved it"
    return Finding("partition.api-section", Severity.WARNING, message, place, hint)


def _variant(step: Step) -> str:
    return str(step.attrs.get("approximate", ""))
