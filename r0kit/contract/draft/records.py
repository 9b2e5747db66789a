"""The optional records of a contract, from what the Partition decided (design.md section 4 names their keys)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from r0kit.contract.model import Record
from r0kit.golden.dims import Shape, product, shape_text
from r0kit.golden.program import Kind, Program, Section, Step
from r0kit.partition.api import api_chains
from r0kit.partition.handoff import Handoff
from r0kit.partition.model import AxisDecision, Boundary, Part, Partition, State, Strategy, Traversal


def boundary(record: Boundary) -> Record:
    """Why a Module starts where it does."""
    source = f"module_{record.source}" if record.source else "primary"
    found = {"kind": record.kind.value, "from": source, "value": record.value, "axis": record.axis, "line": record.line}
    return _stated({**found, "tells": "extent" if record.told else ""})


def traversal(record: Traversal) -> Record:
    """Axes, algorithm, and the states that it carries over tiles."""
    found: dict[str, Any] = {
        "axes": list(record.axes),
        "reduces": list(record.reduces),
        "algorithm": record.algorithm,
    }
    if record.state:
        found["state"] = [_state(state) for state in record.state]
    return found


def handoff(record: Handoff, platform: str) -> Record:
    """How a value changes section on the platform that the contract was drafted for."""
    return {
        "value": record.value,
        "direction": record.direction,
        "platform": platform,
        "written_to": record.written_to,
        "read_from": record.read_from,
        "path": record.path,
        "sync": record.sync,
    }


def api(part: Part) -> tuple[Record, ...]:
    """Per Step that computes, its API chain on each interface, or "none" with the reason: what R1 starts from."""
    computing = (step for step in part.steps if step.kind not in (Kind.LAYOUT, Kind.CREATION))
    return tuple(_api(step, part.section) for step in computing)


def reduction(decision: AxisDecision, partition: Partition) -> Record:
    """What was decided for one reduction axis: its bound, scheme, traversals, and where one tile stops being enough."""
    bound, limit = decision.axis.bound, decision.limit
    exceeds = decision.scheme is not Strategy.SINGLE_TILE if limit is None else bound is None or bound > limit
    extent = str(decision.axis.extent)
    found = {
        "axis": decision.axis.name,
        "extent": extent if _shared(decision, extent) else "",
        "bound": "unbounded" if bound is None else bound,
        "may_exceed_tile": exceeds,
        "scheme": decision.scheme.value,
        "why": decision.reason,
        "traversals": [_pass(part, decision) for part in _traversing(decision, partition)],
        "single_tile_limit": limit,
        "buffers": [{"value": value, "bytes": size} for value, size in decision.buffers],
    }
    return _stated(found)


def dimensions(program: Program) -> tuple[Record, ...]:
    """The kernel's view of each primary input and final output: as declared, contiguous, the last axis innermost."""
    inputs = [
        {"name": value.name, "shape": shape_text(value.shape), **_layout(value.shape)} for value in program.inputs
    ]
    outputs = [
        {
            "name": output.value,
            **_layout(program.shape_of(output.value)),
            "output": shape_text(program.shape_of(output.value)),
        }
        for output in program.outputs
    ]
    return (*inputs, *outputs)


def symbols(program: Program) -> tuple[Record, ...]:
    """Extents that are known only when the golden runs."""
    return tuple({"name": s.name, "origin": s.origin, "line": s.line} for s in program.symbols)


def wrapper(program: Program) -> tuple[str, ...]:
    """What the host does before the kernel can run."""
    return tuple(f"read {symbol.name} from {symbol.origin} (golden line {symbol.line})" for symbol in program.symbols)


def _api(step: Step, section: Section) -> Record:
    chains = api_chains(step, section)
    found = {name: ", ".join(chain.apis) or f"none: {chain.reason}" for name, chain in chains.items()}
    return {"value": step.target, "op": step.op, **found}


def _stated(found: dict[str, Any]) -> Record:
    """Without the keys that have nothing to say."""
    return {key: value for key, value in found.items() if value not in ("", None, [])}


def _state(state: State) -> Record:
    found = {"name": state.name, "dtype": state.dtype, "initial": state.initial, "update": state.update}
    return _stated({**found, "tail_mask": state.mask})


def _shared(decision: AxisDecision, extent: str) -> bool:
    """Whether the axis is called otherwise than its extent, because another axis has the same."""
    return len(_axes(decision)) == 1 and decision.axis.name != extent


def _axes(decision: AxisDecision) -> set[str]:
    return set(decision.names or (decision.axis.name,))


def _traversing(decision: AxisDecision, partition: Partition) -> Iterator[Part]:
    return (p for p in partition.parts if _axes(decision) <= _spanned(p.traversal))


def _spanned(traversal: Traversal) -> frozenset[str]:
    return traversal.spanned | traversal.reduced or frozenset({*traversal.axes, *traversal.reduces})


def _pass(part: Part, decision: AxisDecision) -> Record:
    """One traversal of the axis. It runs over all of it; what it keeps from tile to tile is its state."""
    reduces = not _axes(decision).isdisjoint(part.traversal.reduced or part.traversal.reduces)
    every = part.traversal.state if reduces else ()
    states = [state.name for state in every if not state.over or state.over & _axes(decision)]
    outputs = list(part.outputs) if reduces and not every and part.traversal.algorithm == "single" else []
    return {
        "module": f"module_{part.id}",
        "range": f"0..{decision.axis.name}",
        "algorithm": part.traversal.algorithm,
        "state": states or outputs,
    }


def _layout(shape: Shape) -> Record:
    if not shape:
        return {"kernel": "one element", "mapping": "no index"}
    strides = [_stride(shape[at + 1 :]) for at in range(len(shape))]
    return {"kernel": shape_text(shape), "mapping": f"row-major, strides [{', '.join(strides)}]"}


def _stride(extents: Shape) -> str:
    """The product of the extents, left as one where it has too many terms to be written out."""
    try:
        return str(product(extents))
    except OverflowError:
        return " * ".join(f"({extent})" for extent in extents)
