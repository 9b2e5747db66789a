"""A contract and its lists for later rounds as JSON, for the scripts of those rounds."""

import json
import math
from collections.abc import Mapping
from typing import Any

from r0kit.contract.model import PRIMARY, Contract, Module, Tensor, Wire
from r0kit.render.downstream import Chain, Check, Downstream, State, downstream, readers
from r0kit.render.flow import FINAL, Handoff
from r0kit.render.record import pick
from r0kit.render.tiles import PLAN, attached
from r0kit.render.words import Words

_KEPT = ("golden_stage_fn", "source_lines", "boundary", "traversal", "handoff", "api", "extra")  # as they are


def json_text(contract: Contract, words: Words) -> str:
    """All that a contract says, with values resolved to shape and dtype, and `downstream`, indented by two."""
    made = {(value.name, PRIMARY): value for value in contract.primary_inputs}
    made |= {(value.name, module.id): value for module in contract.modules for value in module.outputs}
    data = {
        "schema_version": contract.schema_version,
        "op": contract.op,
        "module_count": contract.module_count,
        "has_cross_core": contract.has_cross_core,
        "is_fusion": contract.is_fusion,
        "params": contract.params,
        "primary_inputs": [value._asdict() for value in contract.primary_inputs],
        "modules": [_module(module, made) for module in contract.modules],
        "final_outputs": [_wire(wire, made) for wire in contract.final_outputs],
        "composition_verification": contract.verification._asdict(),
        **{key: getattr(contract, key) for key in ("symbols", "reduction", "dimensions", "wrapper")},
        "extra": {key: value for key, value in contract.extra.items() if key != PLAN},
        **({"plan": contract.extra[PLAN]} if attached(contract) else {}),
        "downstream": _lists(downstream(contract), words),
    }
    return json.dumps(_portable(data), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _module(module: Module, made: Mapping[tuple[str, int], Tensor]) -> dict[str, Any]:
    own = module._asdict()
    return {
        **{key: own[key] for key in ("id", "name", "description", "section", "golden_steps")},
        "inputs": [_wire(wire, made) for wire in module.inputs],
        "outputs": [value._asdict() for value in module.outputs],
        "depends_on": sorted({wire.module for wire in module.inputs if wire.module != PRIMARY}),
        **{key: own[key] for key in _KEPT},
    }


def _wire(wire: Wire, made: Mapping[tuple[str, int], Tensor]) -> dict[str, str]:
    value = made.get((wire.name, wire.module), Tensor(wire.name))
    return {"name": wire.name, "source": wire.source, "shape": value.shape, "dtype": value.dtype}


def _lists(lists: Downstream, words: Words) -> dict[str, Any]:
    return {
        "api_chains": [_chain(chain) for chain in lists.chains],
        "states": [_state(state) for state in lists.states],
        "handoffs": [_handoff(handoff) for handoff in lists.handoffs],
        "review": [_check(check, words) for check in lists.review],
    }


def _chain(chain: Chain) -> dict[str, Any]:
    paths = {name: {"apis": path.apis, "reason": path.reason} for name, path in chain.paths.items()}
    return {"module": chain.module, "value": chain.value, "op": chain.op, "platforms": paths}


def _state(state: State) -> dict[str, Any]:
    return {
        "name": state.name,
        **{key: pick(state.record, key) for key in ("dtype", "initial", "update", "tail_mask")},
        "declared_in": state.module,
        "updated_in": state.updated_by,
        "tiles_along": state.over,
        "starts_anew_for_each": state.each,
        "is_output": state.stored,
        "read_by": readers(state),
        "is_final_output": FINAL in state.read_by,
        "lifetime": {"first_module": state.first, "last_module": state.last},
    }


def _handoff(handoff: Handoff) -> dict[str, Any]:
    edge, record = handoff.edge, handoff.record
    return {
        "value": edge.value,
        "writer": edge.producer,
        "reader": edge.consumer,
        "direction": pick(record, "direction") or handoff.direction,
        **{key: pick(record, key) for key in ("platform", "written_to", "read_from", "path", "sync")},
    }


def _check(check: Check, words: Words) -> dict[str, Any]:
    detail = words.code(check.detail)
    text = words.say(f"later.{check.kind}", subject=words.mark(check.subject), detail=detail)
    return {**check._asdict(), "text": text}


def _portable(value: Any) -> Any:
    """`value` in what every JSON reader takes: text keys, finite numbers, no lone surrogates."""
    if isinstance(value, Mapping):
        return {str(_portable(key)): _portable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_portable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
