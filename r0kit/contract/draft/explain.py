"""What was decided, in a few lines for the person who drafts: Modules, scheme of each reduction axis, traffic, open points."""

from __future__ import annotations

from collections.abc import Iterator

from r0kit.contract.model import Contract
from r0kit.partition.model import AxisDecision, Partition

UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def explanation(contract: Contract, partition: Partition, undecided: int) -> Iterator[str]:
    """One line each. undecided: how many TODOs the contract has."""
    modules = ", ".join(f"{m.id} {m.name} ({m.section})" for m in contract.modules) or "none"
    count = len(contract.modules)
    how = f"strategy {partition.strategy.value}, platform {partition.platform}"
    yield f"{contract.op}: {count} Module{'' if count == 1 else 's'} ({how}): {modules}"
    yield from map(_axis, partition.decisions)
    yield _traffic(partition)
    if undecided:
        yield f"undecided: {undecided} TODO in the contract; `r0kit validate` names each of them"


def _axis(decision: AxisDecision) -> str:
    bound = "unbounded" if decision.axis.bound is None else f"at most {decision.axis.bound}"
    told = decision.limit is None or str(decision.limit) in decision.reason
    limit = "" if told else f"; one tile holds up to {decision.limit}"
    return f"axis {decision.axis.name} ({bound}): {decision.scheme.value}, {decision.reason}{limit}"


def _traffic(partition: Partition) -> str:
    ratio = f", {partition.traffic / partition.floor:.2f} times" if partition.floor else ""
    once = f"the floor of {size(partition.floor)} (each input and output once)"
    at = f", at {', '.join(partition.weighed)}" if partition.weighed else ""
    return f"through GM: {size(partition.traffic)}{ratio} {once}{at}"


def size(count: int) -> str:
    """A number of bytes as people say it: 512 B, 1.5 KiB, 3.2 GiB."""
    value, unit = float(count), 0
    while value >= 1024 and unit < len(UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{value:.1f} {UNITS[unit]}" if unit else f"{count} B"
