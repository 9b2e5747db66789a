"""Contract -> the plain data of its file: what `typed.contract_of` reads, in the order in which it is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from r0kit.contract.model import Contract, Module, Tensor, Verification, Wire


def plain(contract: Contract) -> dict[str, Any]:
    """The contract as mappings, lists and scalars. Optional records that are empty are left out."""
    data = {
        "schema_version": contract.schema_version,
        "op": contract.op,
        "module_count": contract.module_count,
        "has_cross_core": contract.has_cross_core,
        "is_fusion": contract.is_fusion,
        "primary_inputs": _tensors(contract.primary_inputs),
        "modules": [_module(module) for module in contract.modules],
        "final_outputs": _wires(contract.final_outputs),
        "composition_verification": _verification(contract.verification),
    }
    optional = {
        "reduction": list(contract.reduction),
        "params": dict(contract.params),
        "symbols": list(contract.symbols),
        "dimensions": list(contract.dimensions),
        "wrapper": list(contract.wrapper),
    }
    return {**data, **_given(optional), **contract.extra}


def _module(module: Module) -> dict[str, Any]:
    data = {
        "id": module.id,
        "name": module.name,
        "description": module.description,
        "section": module.section,
        "golden_steps": list(module.golden_steps),
        "inputs": _wires(module.inputs),
        "outputs": _tensors(module.outputs),
        "golden_stage_fn": module.golden_stage_fn,
    }
    optional = {
        "boundary": list(module.boundary),
        "traversal": dict(module.traversal or {}),
        "handoff": list(module.handoff),
        "api": list(module.api),
        "source_lines": list(module.source_lines),
    }
    return {**data, **_given(optional), **module.extra}


def _verification(record: Verification) -> dict[str, Any]:
    found = {"policy": record.policy or None, "atol": record.atol, "rtol": record.rtol}
    stated = {key: value for key, value in found.items() if value is not None}
    return {**stated, "seeds": list(record.seeds), "shapes": [dict(shape) for shape in record.shapes]}


def _tensors(tensors: Iterable[Tensor]) -> list[dict[str, str]]:
    return [{key: value for key, value in tensor._asdict().items() if value} for tensor in tensors]


def _wires(wires: Iterable[Wire]) -> list[dict[str, str]]:
    return [{"name": wire.name, "source": wire.source} for wire in wires]


def _given(optional: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in optional.items() if value}
