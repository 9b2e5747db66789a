"""Dtypes as SPEC files write them, and the vocabulary of contracts."""

from __future__ import annotations

VOCABULARY: tuple[str, ...] = (
    "float32",
    "float16",
    "bfloat16",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint64",
    "uint32",
    "uint16",
    "uint8",
)
VOCABULARY += ("bool", "int", "float8")  # design.md section 4

# What a SPEC may name though a contract cannot: torch's name -> the contract's.
DECLARED = {"float64": "float32", "float8_e4m3fn": "float8", "float8_e5m2": "float8"}

_ALIASES = {
    "fp32": "float32",
    "f32": "float32",
    "float": "float32",
    "fp16": "float16",
    "f16": "float16",
    "half": "float16",
    "bf16": "bfloat16",
    "fp64": "float64",
    "f64": "float64",
    "double": "float64",
    "fp8": "float8",
    "long": "int64",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "boolean": "bool",
    **{f"{sign}{bits}": f"{name}{bits}" for sign, name in (("i", "int"), ("u", "uint")) for bits in (8, 16, 32, 64)},
}


def canonical(written: str) -> str:
    """The name torch prints, without "torch.", for any usual spelling ("torch.half", "FP16", "DT_BF16")."""
    bare = written.strip().lower().removeprefix("torch.").removeprefix("dt_")
    return _ALIASES.get(bare, bare)


def declared(dtype: str) -> str:
    """The name by which a contract declares `dtype` (itself, where the vocabulary has it or nothing fits)."""
    return DECLARED.get(dtype, dtype)


def known(dtype: str) -> bool:
    """Whether a contract can declare it, be it under another name."""
    return dtype in VOCABULARY or dtype in DECLARED
