"""The part of a contract that follows from the signature of a golden and its SPEC alone; all else is TODO."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from r0kit.contract.path import Path
from r0kit.finding import Finding, Location, Severity
from r0kit.golden.signature import GoldenFunction, Parameter
from r0kit.spec import Case, Spec, TensorSpec
from r0kit.spec.dimension import symbols
from r0kit.spec.dtypes import declared

TODO = "TODO"
SEEDS = (42, 123, 456)

# What belongs where a TODO stands. Paths below `modules` are those of the first one, which stands for all.
HINTS: Mapping[Path, str] = {
    ("module_count",): "number of entries of modules",
    ("has_cross_core",): "true when a cube and a vector Module exchange data",
    ("is_fusion",): "true when both sections occur; then there are at least two Modules",
    (
        "modules",
    ): "one entry for each Module, ids 1, 2, ... in order: split where the section changes, or where an axis\n"
    "that has been reduced whole is traversed again",
    ("modules", 0, "name"): "what it computes, in one word: row_max, qk, normalize",
    ("modules", 0, "description"): "its mathematical goal, in one sentence",
    ("modules", 0, "section"): "cube (contractions) or vector (everything computed on UB)",
    ("modules", 0, "golden_steps"): 'its lines of the golden as mathematics: ["m = amax(x, N)"]',
    ("modules", 0, "inputs"): "what it reads; source: primary, or module_<j> of an earlier Module j",
    (
        "modules",
        0,
        "outputs",
    ): 'what later Modules read or the golden returns: {name: m, shape: "[M, 1]", dtype: float32}',
    ("final_outputs",): "source: module_<j>, the Module that writes the value",
}


class Skeleton(NamedTuple):
    """A contract as plain data with TODO where a person decides, comments that say what belongs there, and findings."""

    data: dict[str, Any]
    comments: dict[Path, str]
    findings: tuple[Finding, ...]


def skeleton(golden: GoldenFunction, spec: Spec | None = None) -> Skeleton:
    """The skeleton for `golden`; without a SPEC, shapes, dtypes and tolerances are TODO as well."""
    stated = spec or Spec(golden.path)
    inputs = [parameter for parameter in golden.tensors if _is_bound(parameter, stated)]
    tensors = [_primary(parameter, stated) for parameter in inputs]
    names = {parameter.name for parameter in inputs}
    shapes, findings = _bindings(stated, [tensor for tensor in stated.inputs if tensor.name in names])
    data = {
        "schema_version": 1,
        "op": golden.op,
        "module_count": TODO,
        "has_cross_core": TODO,
        "is_fusion": TODO,
        "primary_inputs": tensors,
        "modules": [empty_module(golden.op)],
        "final_outputs": [{"name": value.name, "source": TODO} for value in golden.returns] or TODO,
        "composition_verification": {**tolerance(stated), "seeds": list(SEEDS), "shapes": shapes or TODO},
    }
    comments = {**HINTS, **_missing(tensors), **verification_hints(stated, shapes)}
    left_out = [_unbound_note(golden, parameter) for parameter in golden.tensors if parameter not in inputs]
    return Skeleton(data, comments, (*left_out, *findings))


def _is_bound(parameter: Parameter, spec: Spec) -> bool:
    """Whether a call passes it: an optional tensor that SPEC does not list is None."""
    return spec.input(parameter.name) is not None or not parameter.optional


def _primary(parameter: Parameter, spec: Spec) -> dict[str, str]:
    tensor = spec.input(parameter.name) or TensorSpec(parameter.name)
    shape = tensor.shape if tensor.shape is not None else _only_sizes(parameter.name, spec)
    written = f"[{', '.join(map(str, shape))}]" if shape is not None else TODO
    return {"name": parameter.name, "shape": written, "dtype": declared(tensor.dtype) or TODO}


def _only_sizes(name: str, spec: Spec) -> tuple[int, ...] | None:
    """The extents of an input in all p0 cases, where they agree; None where they differ or where there are none."""
    sizes = {case.input_shapes[name] for case in spec.p0_cases if name in case.input_shapes}
    return sizes.pop() if len(sizes) == 1 else None


def empty_module(op: str) -> dict[str, Any]:
    """A Module of which nothing is known yet."""
    return {
        "id": 1,
        "name": TODO,
        "description": TODO,
        "section": TODO,
        "golden_steps": [TODO],
        "inputs": [{"name": TODO, "source": TODO}],
        "outputs": [{"name": TODO, "shape": TODO, "dtype": TODO}],
        "golden_stage_fn": f"{op}_golden_stage1",
    }


def tolerance(spec: Spec) -> dict[str, Any]:
    """SPEC's policy, its atol and rtol, or TODO for what it does not say."""
    stated = spec.tolerance
    if stated.policy and stated.atol is None and stated.rtol is None:
        return {"policy": stated.policy}
    policy = {"policy": stated.policy} if stated.policy else {}
    bounds = {"atol": stated.atol, "rtol": stated.rtol}
    return policy | {key: TODO if value is None else value for key, value in bounds.items()}


def _bindings(spec: Spec, inputs: Iterable[TensorSpec]) -> tuple[list[dict[str, int]], list[Finding]]:
    """One binding of the inputs' symbols per p0 case, each once; cases that leave a symbol open are named instead."""
    needed = dict.fromkeys(name for tensor in inputs for dimension in tensor.shape or () for name in symbols(dimension))
    found: list[dict[str, int]] = []
    findings: list[Finding] = []
    for case in spec.p0_cases:
        bound = spec.bindings(case)
        missing = [name for name in needed if name not in bound]
        binding = {name: bound[name] for name in needed if name in bound}
        if missing:
            findings.append(_left_out(spec, case, missing))
        elif binding not in found:
            found.append(binding)
    return found, findings


# Comments and findings


def _missing(tensors: Iterable[Mapping[str, str]]) -> dict[Path, str]:
    """A comment behind each primary input of which SPEC does not say everything."""
    hints = {"shape": 'the shape, "[M, N]"', "dtype": "the dtype"}
    found: dict[Path, str] = {}
    for index, tensor in enumerate(tensors):
        lacking = [hint for key, hint in hints.items() if tensor[key] == TODO]
        if lacking:
            found["primary_inputs", index] = f"SPEC does not say {' and '.join(lacking)}"
    return found


def verification_hints(spec: Spec, shapes: Sequence[Mapping[str, int]]) -> dict[Path, str]:
    """Comments for what SPEC does not say about the verification."""
    lacking = [name for name in ("atol", "rtol") if getattr(spec.tolerance, name) is None]
    at = "composition_verification"
    found: dict[Path, str] = {}
    if lacking and not spec.tolerance.policy:
        found[at, lacking[-1]] = "SPEC does not say; a tolerance such as 0.001, or `policy: pro_scheme_a` instead"
    if not shapes:
        found[at, "shapes"] = "SPEC has no p0 case that fits; a binding of every symbol, [{M: 4, N: 128}, ...]"
    return found


def _left_out(spec: Spec, case: Case, missing: list[str]) -> Finding:
    place = Location(spec.path, case.place.line, case.place.column)
    message = f"p0 case {case.name} is left out: it does not determine {', '.join(missing)}"
    return Finding("gen.case", Severity.WARNING, message, place, "give a shape to each input in the case")


def _unbound_note(golden: GoldenFunction, parameter: Parameter) -> Finding:
    span = parameter.span
    place = Location(golden.path, span.line, span.column, span.end_line, span.end_column)
    message = f"{parameter.name} is taken as None: it is optional and SPEC does not list it"
    return Finding("gen.optional", Severity.NOTE, message, place, f"list {parameter.name} in SPEC's inputs to bind it")
