"""Document -> Contract: the typed form of a contract that has the right structure, for every room but `validate`."""

from collections.abc import Iterable, Iterator
from typing import Any

from r0kit.contract.model import Contract, Module, Record, Tensor, Verification, Wire
from r0kit.contract.path import Path
from r0kit.contract.read import RULE, Document, read
from r0kit.contract.structure import CONTRACT, MODULE, structure_faults
from r0kit.contract.wire import producer
from r0kit.contract.wording import shown, spell
from r0kit.finding import Fault, Finding, InputError, Severity


def read_contract(path: str) -> Contract:
    """The contract in the file `path`. Raises InputError where the file, or the structure of what it says, is wrong."""
    return contract_of(read(path))


def contract_of(document: Document) -> Contract:
    """The contract that `document` says. Raises InputError with a finding for each place where its structure is wrong.

    Structure is what rule0 of the validator checks, and sources that name something. What the other rules refuse is
    taken as it stands where it can be, and left out where it cannot.
    """
    data = document.data
    faults = [(RULE, fault) for fault in structure_faults(data)]
    if not faults:
        faults = list(_source_faults(data))
    if faults:
        places = document.locate(fault.at for _, fault in faults)
        raise InputError(Finding(rule, Severity.ERROR, f.message, places[f.at], f.hint) for rule, f in faults)
    return _contract(data)


def _source_faults(data: Record) -> Iterator[tuple[str, Fault]]:
    for index, module in enumerate(data["modules"]):
        yield from _unknown_sources("rule2", ("modules", index, "inputs"), module["inputs"])
    yield from _unknown_sources("rule3", ("final_outputs",), data.get("final_outputs", ()))


def _unknown_sources(rule: str, path: Path, wires: Iterable[Record]) -> Iterator[tuple[str, Fault]]:
    for index, wire in enumerate(wires):
        if "name" not in wire or producer(wire.get("source")) is None:
            what = f"{spell((*path, index))} has no name, or no source that names a Module: {shown(wire.get('source'))}"
            yield rule, Fault((*path, index, "source"), what, "write `source: module_<j>`")


def _contract(data: Record) -> Contract:
    return Contract(
        op=data["op"],
        module_count=int(data["module_count"]),
        primary_inputs=_tensors(data.get("primary_inputs", ())),
        modules=tuple(map(_module, data["modules"])),
        final_outputs=_wires(data.get("final_outputs", ())),
        verification=_verification(data.get("composition_verification", {})),
        has_cross_core=data.get("has_cross_core", False),
        is_fusion=data.get("is_fusion", False),
        params=data.get("params", {}),
        symbols=tuple(data.get("symbols", ())),
        reduction=tuple(data.get("reduction", ())),
        dimensions=tuple(data.get("dimensions", ())),
        wrapper=tuple(data.get("wrapper", ())),
        extra=_extra(data, CONTRACT.fields),
    )


def _module(data: Record) -> Module:
    return Module(
        id=int(data["id"]),
        name=data.get("name", ""),
        description=data.get("description", ""),
        section=_text(data.get("section")),
        golden_steps=tuple(data.get("golden_steps", ())),
        inputs=_wires(data["inputs"]),
        outputs=_tensors(data["outputs"]),
        golden_stage_fn=data.get("golden_stage_fn", ""),
        boundary=tuple(data.get("boundary", ())),
        traversal=data.get("traversal"),
        handoff=tuple(data.get("handoff", ())),
        api=tuple(data.get("api", ())),
        source_lines=tuple(map(int, data.get("source_lines", ()))),
        extra=_extra(data, MODULE.fields),
    )


def _verification(data: Record) -> Verification:
    seeds, shapes = data.get("seeds"), data.get("shapes")
    return Verification(
        atol=_number(data.get("atol")),
        rtol=_number(data.get("rtol")),
        policy=_text(data.get("policy")),
        seeds=tuple(seed for seed in seeds if seed.__class__ is int) if isinstance(seeds, list) else (),
        shapes=tuple(case for case in shapes if isinstance(case, dict)) if isinstance(shapes, list) else (),
    )


def _tensors(entries: Iterable[Record]) -> tuple[Tensor, ...]:
    return tuple(Tensor(e["name"], _shape(e.get("shape")), _text(e.get("dtype"))) for e in entries)


def _wires(entries: Iterable[Record]) -> tuple[Wire, ...]:
    wires = ((entry["name"], producer(entry["source"])) for entry in entries)
    return tuple(Wire(name, module) for name, module in wires if module is not None)


def _shape(value: Any) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _extra(data: Record, known: Record) -> Record:
    return {key: value for key, value in data.items() if key not in known}
