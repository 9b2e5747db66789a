"""Contracts of one Module, written in a line."""

from __future__ import annotations

from r0kit.contract.model import Contract, Module, Tensor, Verification, Wire
from r0kit.plan import Plan, plan_of
from r0kit.platform import load


def tensors(text: str) -> tuple[Tensor, ...]:
    """`x: [M, N]; w: [N] float16`."""
    found = []
    for part in filter(None, text.split("; ")):
        name, _, rest = part.partition(": ")
        shape, _, dtype = rest.partition("] ")
        found.append(Tensor(name, shape if shape.endswith("]") else f"{shape}]", dtype or "float32"))
    return tuple(found)


def contract(
    inputs: str, steps: str, outputs: str, section: str = "vector", algorithm: str = "", **extra: object
) -> Contract:
    """A contract of one Module. steps: its golden_steps with `; ` between them."""
    given, made = tensors(inputs), tensors(outputs)
    wires = tuple(Wire(tensor.name, 0) for tensor in given)
    traversal = {"algorithm": algorithm} if algorithm else None
    module = Module(1, "m", "", section, tuple(steps.split("; ")), wires, made, traversal=traversal)
    finals = tuple(Wire(tensor.name, 1) for tensor in made)
    return Contract("op", 1, given, (module,), finals, Verification())._replace(**extra)


def plan(made: Contract, platform: str, **extents: int) -> Plan:
    """Its plan at these extents."""
    return plan_of(made, load(platform), extents)


def tiles(made: Contract, platform: str, **extents: int) -> list[tuple[int, ...]]:
    """The tiles of the first phase, best first."""
    return [candidate.tile for candidate in plan(made, platform, **extents).modules[0].phases[0].candidates]
