"""What was meant by a wrong section, or a wrong name of the operator: loaded with the first of them."""

from collections.abc import Sequence
from re import sub
from typing import Any

from r0kit.contract.likeness import in_ascii, nearest
from r0kit.contract.wording import described, shown
from r0kit.finding import Fault
from r0kit.validate.subject import Module

_OTHER_SECTIONS = {
    **dict.fromkeys(("aic", "matrix", "matmul", "mmad", "gemm"), "cube"),
    **dict.fromkeys(("aiv", "simd", "simt"), "vector"),
}
_SAID = {  # what a flag says when it is true, and when it is false
    "is_fusion": ("cube and vector Modules occur", "one section occurs"),
    "has_cross_core": (
        "a cube and a vector Module exchange data",
        "no value passes between cube and vector Modules",
    ),
}


def section_fault(module: Module, section: Any, known: Sequence[str]) -> Fault:
    """The fault of a Module with something else than a section; known: those that there are."""
    if "section" not in module.data:
        return Fault(module.path, f"{module} has no section", "add `section: cube` or `section: vector`")
    at, message = module.at("section"), f"{module}: {described(section)} is no section"
    if not isinstance(section, str):
        return Fault(at, message, "split a Module that needs both sections in two")
    plain = in_ascii(section).strip().lower()
    if plain == "scaling":
        return Fault(at, message, "Scaling is a buffer of the FIX pipe: the section is that of the call that uses it")
    meant = _OTHER_SECTIONS.get(plain) or nearest(plain, known)
    return Fault(at, message, f"did you mean {meant}?" if meant else "")


def op_fault(op: str | None, other: str | None) -> Fault:
    """The fault of an op that no function can have in its name, or whose stage functions are called after an `other`."""
    if other is not None:
        message = f"op is {shown(op)}, but the stage functions are those of {shown(other)}"
        return Fault(("op",), message, f"write op: {other}, or rename the functions and the golden's")
    right = sub(r"\W+", "_", str(op)).strip("_")
    message = f"op is {shown(op)}, and no function can be called {shown(f'{op}_golden')}"
    return Fault(("op",), message, f"write op: {right}" if right.isidentifier() else "write a name such as row_softmax")


def flag_fault(key: str, value: bool | None, truth: bool) -> Fault:
    """The fault of a flag that says otherwise than it must; value: None where it is left out."""
    said = f"{key} is missing" if value is None else f"{key} is {shown(value)}"
    message = f"{said}, but {_SAID[key][0 if truth else 1]}"
    return Fault((key,), message, f"write {key}: {shown(truth)}")
