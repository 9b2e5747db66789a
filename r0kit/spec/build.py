"""One form of a SPEC, parsed to Nodes -> Spec."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from r0kit.finding import Finding
from r0kit.spec.cases import bare_cases, cases
from r0kit.spec.dimension import readable
from r0kit.spec.dtypes import canonical
from r0kit.spec.model import Dimension, Place, Spec, TensorSpec, Tolerance
from r0kit.spec.node import NOTHING, Node
from r0kit.spec.reader import Reader, parameter, shown

READ: tuple[str, ...] = (
    "op_name",
    "formula",
    "supported_dtypes",
    "inputs",
    "outputs",
    "default_params",
    "tolerance",
    "atol",
    "rtol",
)
READ += ("dynamic_axes", "dynamic_axes_ranges", "shape_constraints", "p0_cases", "p0_shapes")
IGNORED = ("schema_version", "perf_target", "exit_criteria", "dynamic_axis")  # of SPEC templates; nothing for R0
POLICIES = ("pro_scheme_a",)


def build(
    root: Node, path: str, inputs_elsewhere: Node | None = None, lenient: bool = False
) -> tuple[Spec, tuple[Finding, ...]]:
    """The Spec that the mapping `root` states, and what is wrong with its values.

    inputs_elsewhere: the inputs that another form lists, which say how bare shapes are to be read. lenient: see Reader.
    """
    reader = Reader(path, lenient)
    if not isinstance(root.value, dict):
        reader.wrong("the SPEC", root, "a mapping of keys")
        return Spec(path), tuple(reader.findings)
    _unknown_keys(reader, root)
    _repetitions(reader, root)
    inputs, outputs = _tensors(reader, root, "inputs"), _tensors(reader, root, "outputs")
    owners = inputs or _tensors(Reader(path), Node({"inputs": inputs_elsewhere or NOTHING}, root.place), "inputs")
    spec = Spec(
        path=path,
        op_name=reader.text(root, "op_name"),
        formula=reader.text(root, "formula"),
        supported_dtypes=_supported(reader, root),
        inputs=inputs,
        outputs=outputs,
        default_params=_parameters(reader, root),
        tolerance=_tolerance(reader, root),
        dynamic_axes_ranges=_ranges(reader, root),
        shape_constraints=_constraints(reader, root),
        p0_cases=cases(reader, root, inputs, outputs) or bare_cases(reader, root, owners),
    )
    return spec, tuple(reader.findings)


def _unknown_keys(reader: Reader, root: Node) -> None:
    for key, entry in root.value.items():
        close = [] if key in READ + IGNORED else get_close_matches(key, READ, 1, 0.75)
        if close:
            hint = f"did you mean {close[0]!r}?"
            reader.note("key", f"the key {key!r} says nothing to r0kit", entry.place, hint, error=False)


def _repetitions(reader: Reader, node: Node) -> None:
    for key, place in node.repeated:
        reader.note("repeated", f"{key!r} is given again; the first one counts", place, "keep one of them")
    for _, entry in node.items():
        _repetitions(reader, entry)


# Tensors


def _tensors(reader: Reader, root: Node, key: str) -> tuple[TensorSpec, ...]:
    node = root.get(key)
    if node is not None and isinstance(node.value, dict):  # {x: {shape: ...}}
        return tuple(_tensor(reader, entry, name, name) for name, entry in node.value.items())
    entries = enumerate(reader.entries(node, key))
    return tuple(_tensor(reader, entry, "", f"{key}[{index}]") for index, entry in entries)


def _tensor(reader: Reader, node: Node, name: str, where: str) -> TensorSpec:
    if not isinstance(node.value, dict):
        reader.wrong(where, node, "a mapping with name, shape and dtype")
        return TensorSpec(where, place=node.place)
    name = name or reader.text(node, "name")
    if not name:
        reader.note("name", f"{where} has no name", node.place, 'add "name": the parameter of the golden')
    owner, shape, bounds = name or where, node.get("shape"), node.get("value_range")
    return TensorSpec(
        name=owner,
        shape=_shape(reader, shape, owner) if shape else None,
        dtype=_dtype(reader, node, owner),
        value_range=reader.interval(bounds, f"value_range of {owner}", _any_number(reader)) if bounds else None,
        is_list=reader.truth(node, "is_list"),
        any_rank=shape is not None and _is_ellipsis(shape),
        place=node.place,
    )


def _any_number(reader: Reader) -> Any:
    return lambda node, what: reader.number(node, what, special=True)


def _shape(reader: Reader, node: Node, owner: str) -> tuple[Dimension, ...] | None:
    """Dimensions of a list, or of text such as "[M, N]"; None for any rank ("...") and where it cannot be read."""
    if _is_ellipsis(node):
        return None
    if isinstance(node.value, str):
        return _written_shape(reader, node, owner)
    dimensions = [_dimension(reader, entry, owner) for entry in reader.entries(node, f"the shape of {owner}")]
    kept = tuple(dimension for dimension in dimensions if dimension is not None)
    return kept if isinstance(node.value, list) and len(kept) == len(dimensions) else None


def _written_shape(reader: Reader, node: Node, owner: str) -> tuple[Dimension, ...] | None:
    match = re.fullmatch(r"\s*[\[(](.*)[\])]\s*", node.value, re.S)
    if match is None:
        reader.wrong(f"the shape of {owner}", node, 'a list of dimensions such as ["M", "N"]')
        return None
    parts = tuple(_as_dimension(part.strip()) for part in match.group(1).split(",") if part.strip())
    if reader.lenient and not all(map(readable, parts)):
        message = f"the shape of {owner} is {shown(node)}, which is not made of symbols and integers; it is left out"
        reader.note("dimension", message, node.place, "write names, integers and + - * //")
        return None
    return parts


def _dimension(reader: Reader, node: Node, owner: str) -> Dimension | None:
    if isinstance(node.value, str) and node.value.strip():
        return _as_dimension(node.value.strip())
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    reader.wrong(f"a dimension of {owner}", node, "an integer or an expression of symbols")
    return None


def _as_dimension(written: str) -> Dimension:
    return int(written) if written.isascii() and written.isdecimal() and len(written) < 20 else written


def _is_ellipsis(node: Node) -> bool:
    """["..."]: a tensor of any rank."""
    value = [entry.value for entry in node.value] if isinstance(node.value, list) else node.value
    return value in (["..."], "...", "[...]")


def _dtype(reader: Reader, node: Node, owner: str) -> str:
    entry = node.get("dtype")
    if entry is None or not isinstance(entry.value, list):
        return canonical(reader.text(node, "dtype"))
    named = [canonical(option.text) for option in entry.value]
    if len(named) > 1:
        message = f"{owner} has several dtypes; {named[0]} counts"
        reader.note("dtype", message, entry.place, "name one, and the others in p0 cases", error=False)
    return named[0] if named else ""


def _supported(reader: Reader, root: Node) -> tuple[str, ...]:
    node = root.get("supported_dtypes")
    if node is not None and isinstance(node.value, str):
        return tuple(canonical(part) for part in re.split(r"[,/\s]+", node.value) if part)
    entries = reader.entries(node, "supported_dtypes")
    return tuple(canonical(entry.text) for entry in entries if reader.is_text(entry, "a supported dtype"))


# Parameters, tolerances, ranges, constraints


def _parameters(reader: Reader, root: Node) -> Mapping[str, Any]:
    entries = reader.mapping(root.get("default_params"), "default_params", "a mapping of names to values")
    return {name: parameter(entry) for name, entry in entries.items()}


def _tolerance(reader: Reader, root: Node) -> Tolerance:
    node = root.get("tolerance")
    reader.mapping(node, "tolerance", 'a mapping: {"atol": ..., "rtol": ...} or {"policy": "pro_scheme_a"}')
    inside = node if node is not None and isinstance(node.value, dict) else Node({}, root.place)
    policy = reader.text(inside, "policy")
    if policy and policy not in POLICIES:
        message = f"the tolerance policy {policy!r} is unknown"
        reader.note("policy", message, inside.place, f"known: {', '.join(POLICIES)}")
    first = node or root.get("atol") or root.get("rtol")
    atol, rtol = (_bound(reader, inside.get(key) or root.get(key), key) for key in ("atol", "rtol"))
    return Tolerance(atol, rtol, policy, first.place if first else Place())


def _bound(reader: Reader, entry: Node | None, key: str) -> float | None:
    if entry is None or reader.is_placeholder(entry):
        return None
    value = reader.number(entry, key)
    if value is not None and value < 0:
        reader.note("tolerance", f"{key} is {entry.text}, which is negative", entry.place, "write a number >= 0")
        return None
    return value


def _ranges(reader: Reader, root: Node) -> Mapping[str, tuple[int, int]]:
    node = root.get("dynamic_axes_ranges")
    if node is None:
        return {}
    named = node.value.items() if isinstance(node.value, dict) else _listed_ranges(reader, root, node)
    found = {name: reader.interval(entry, f"the range of {name}", reader.extent) for name, entry in named}
    return {name: interval for name, interval in found.items() if interval}


def _listed_ranges(reader: Reader, root: Node, node: Node) -> Iterable[tuple[str, Node]]:
    """[[1, 4], [1, 128]] beside `dynamic_axes: [B, N]`."""
    axes = root.get("dynamic_axes")
    names = [entry.text for entry in axes.value] if axes and isinstance(axes.value, list) else []
    entries = reader.entries(node, "dynamic_axes_ranges")
    if len(names) != len(entries):
        message = f"dynamic_axes_ranges has {len(entries)} entries for {len(names)} dynamic axes"
        reader.note("axes", message, node.place, 'write {"M": [smallest, largest], ...}')
        return []
    return zip(names, entries, strict=True)


def _constraints(reader: Reader, root: Node) -> tuple[str, ...]:
    node = root.get("shape_constraints")
    if node is None:
        return ()
    if isinstance(node.value, dict):
        return tuple(f"{name}: {entry.text or shown(entry)}" for name, entry in node.value.items())
    if isinstance(node.value, str):
        return (node.value,)
    entries = reader.entries(node, "shape_constraints")
    return tuple(entry.text for entry in entries if reader.is_text(entry, "a shape constraint"))
