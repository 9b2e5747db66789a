"""Dtypes as torch combines them (https://docs.pytorch.org/docs/stable/tensor_attributes.html, "type promotion")."""

from __future__ import annotations

from collections.abc import Iterable

# Names as in torch, by category.
FLOATS = ("float8_e4m3fn", "float8_e5m2", "float16", "bfloat16", "float32", "float64")
BOOL = "bool"

# What SPEC and torch call by another name.
ALIASES = {
    "float": "float32",
    "half": "float16",
    "double": "float64",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "fp32": "float32",
    "fp16": "float16",
    "bf16": "bfloat16",
}
BYTES = {
    **dict.fromkeys(("bool", "int8", "uint8", "float8_e4m3fn", "float8_e5m2", "float8"), 1),
    **dict.fromkeys(("float16", "bfloat16", "int16", "uint16"), 2),
    **dict.fromkeys(("float32", "int32", "uint32"), 4),
    **dict.fromkeys(("float64", "int64", "uint64"), 8),
}
_ORDER = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64")
_MIXED = {frozenset({"uint8", "int8"}): "int16", frozenset({"float16", "bfloat16"}): "float32"}


def canonical(name: str) -> str:
    """The name torch prints, for any spelling ("torch.half", "fp16", "float")."""
    bare = name.removeprefix("torch.")
    return ALIASES.get(bare, bare)


def is_float(dtype: str) -> bool:
    return dtype in FLOATS or dtype == "float8"


def category(dtype: str) -> int:
    """0 bool, 1 integer, 2 float: a higher category absorbs a lower one, whatever the widths."""
    return 2 if is_float(dtype) else 0 if dtype == BOOL else 1


def join(left: str, right: str) -> str:
    """The dtype two tensors of equal standing combine to. ValueError where torch refuses the pair."""
    if left == right:
        return left
    mixed = _MIXED.get(frozenset({left, right}))
    if mixed:
        return mixed
    if left not in _ORDER or right not in _ORDER:
        raise ValueError(f"torch does not combine {left} with {right}")
    return max(left, right, key=_ORDER.index)


def promote(dimensioned: Iterable[str], zero_dimensional: Iterable[str] = (), numbers: Iterable[type] = ()) -> str:
    """Result dtype of an elementwise operation: tensors with dimensions lead, then 0-d tensors, then Python numbers.

    A lower standing changes the result only where its category is higher; a Python float then gives float32 and an
    integer int64 (torch's default dtypes).
    """
    result = ""
    for group in (_joined(dimensioned), _joined(zero_dimensional), _joined(map(_of_number, numbers))):
        if group and (not result or category(group) > category(result)):
            result = group
    if not result:
        raise ValueError("nothing to promote")
    return result


def widens(source: str, target: str) -> bool:
    """Whether every value of `source` is a value of `target`, so that the cast loses nothing."""
    if source in (target, BOOL):
        return True
    if category(source) == category(target):
        return (
            join(source, target) == target if source in _ORDER and target in _ORDER else BYTES[source] < BYTES[target]
        )
    return category(source) == 1 and is_float(target) and BYTES[source] < BYTES[target]


def _joined(dtypes: Iterable[str]) -> str:
    result = ""
    for dtype in dtypes:
        result = join(result, dtype) if result else dtype
    return result


def _of_number(kind: type) -> str:
    return BOOL if kind is bool else "int64" if kind is int else "float32"
