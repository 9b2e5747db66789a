"""What the child answers -> failures in words: which Module, which output, how far off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from r0kit.verify.cases import CasePlan
from r0kit.verify.policy import PRO_SCHEME_A
from r0kit.verify.prepare import Prepared
from r0kit.verify.session import ChildError, Ended, Resources, TimedOut
from r0kit.verify.verdict import Category, Failure

_GOLDEN_PHASES = ("golden", "load", "start")


def failure_of(prepared: Prepared, case: CasePlan, found: Mapping[str, Any]) -> Failure:
    """The failure that a case ended with."""
    return _KINDS[found["kind"]](prepared, case, found)


def raised(prepared: Prepared, case: CasePlan, answer: Mapping[str, Any], resources: Resources) -> Failure:
    """The golden raised, or its class has other tensors than the contract."""
    if answer["phase"] == "state":
        what, rule = answer["message"], "verify.state"
        return Failure(None, Category.STRUCTURAL, rule, what, what, answer["name"], hint=answer["hint"])
    if answer["memory"]:
        return _memory(resources)
    error = f"{answer['type']}: {answer['message']}" if answer["message"] else answer["type"]
    if answer["type"] == "SystemExit":
        what = "the golden ends the process (SystemExit)"
        return Failure(None, Category.RUNTIME, "verify.golden-exits", what, what, line=answer["line"], hint=_NO_EXIT)
    rule, hint = "verify.golden-raises", "SPEC's shapes, ranges and parameters must be ones that the golden accepts"
    return Failure(
        None,
        Category.RUNTIME,
        rule,
        f"the golden raises {answer['type']}",
        f"the golden raises {error}",
        line=answer["line"],
        hint=hint,
    )


def ending(prepared: Prepared, case: CasePlan, error: ChildError, resources: Resources) -> Failure:
    """The process ended, or was ended, in the middle of a case."""
    who = "the golden" if error.phase in _GOLDEN_PHASES else "a stage function"
    if isinstance(error, TimedOut):
        what, hint = f"{who} {error.message}", "look for an endless loop, or allow more with --timeout"
        return Failure(None, Category.RUNTIME, "verify.golden-hangs", what, what, hint=hint)
    if "bad_alloc" in error.errors or "out of memory" in error.errors.lower():
        return _memory(resources)
    what = f"{who} {error.message}"
    rule = "verify.golden-crashes" if isinstance(error, Ended) and error.status < 0 else "verify.golden-exits"
    return Failure(
        None, Category.RUNTIME, rule, what, what, hint=_NO_EXIT if rule.endswith("exits") else "run it under a debugger"
    )


_NO_EXIT = "a reference returns its values and leaves the process alone"


def _memory(resources: Resources) -> Failure:
    what = f"the golden needs more memory than the {resources.memory / (1 << 30):g} GiB it may use"
    return Failure(
        None,
        Category.RUNTIME,
        "verify.golden-memory",
        what,
        what,
        hint="use smaller p0 shapes, or allow more with --memory",
    )


def _label(prepared: Prepared, module: int) -> str:
    found = next((m for m in prepared.contract.modules if m.id == module), None)
    return f"Module {module} ({found.name})" if found and found.name else f"Module {module}"


def _value(prepared: Prepared, case: CasePlan, found: Mapping[str, Any]) -> Failure:
    where = f"{_label(prepared, found['module'])} is off in {found['output']}"
    share = f"{found['count']} of {found['total']} elements"
    size = f"max abs {found['max_abs']:.3g}, max rel {found['max_rel']:.3g}, {share}"
    worst = f"worst at {found['index']}: golden {found['golden']:.6g}, stage {found['stage']:.6g}"
    hint = "compare its golden_steps with the lines of the golden that its function quotes"
    if found.get("final"):
        where = f"the final output {found['output']}, from {_label(prepared, found['module'])}, is off"
        hint = _rounding(found) or _UNREAD
    return Failure(
        found["module"],
        Category.PRECISION,
        "verify.value",
        f"{where}: {size}",
        f"{where}: {size}, {worst}",
        found["output"],
        hint=hint,
    )


_UNREAD = "every value in between agrees with the golden as r0kit reads it: please report the golden"
_ROUNDING = 4  # spacings by which sums in another order may differ
_COARSE = ("float16", "bfloat16")


def _rounding(found: Mapping[str, Any]) -> str:
    """What to do where a coarse dtype cannot come closer; "" where the difference is more than its rounding."""
    if found["dtype"] not in _COARSE or not 0 < found["spacings"] <= _ROUNDING:
        return ""
    apart = f"{found['spacings']:.2g} times the spacing of {found['dtype']} at the largest value"
    return f"they differ by {apart}, as rounding does: allow more for that dtype, or take `policy: {PRO_SCHEME_A}`"


def _shape(prepared: Prepared, case: CasePlan, found: Mapping[str, Any]) -> Failure:
    return _unlike(prepared, found, "shape", "verify.shape")


def _dtype(prepared: Prepared, case: CasePlan, found: Mapping[str, Any]) -> Failure:
    return _unlike(prepared, found, "dtype", "verify.dtype")


def _unlike(prepared: Prepared, found: Mapping[str, Any], what: str, rule: str) -> Failure:
    """An output whose shape or dtype is not the declared one, or not the golden's."""
    who = f"{_label(prepared, found['module'])} gives {found['output']} with {what} {found['actual']}"
    declared = next(
        (
            o
            for m in prepared.contract.modules
            if m.id == found["module"]
            for o in m.outputs
            if o.name == found["output"]
        ),
        None,
    )
    if found.get("declared") and declared is not None:
        text = f"{who}, and declares {getattr(declared, what)}"
        text += f", here {found['expected']}" if what == "shape" else ""
        hint = f"correct the {what} in the contract, or the Module"
    else:
        text, hint = f"{who}, and the golden has {found['expected']}", "correct the Module"
    return Failure(found["module"], Category.STRUCTURAL, rule, text, text, found["output"], hint=hint)


def _count(prepared: Prepared, case: CasePlan, found: Mapping[str, Any]) -> Failure:
    text = f"{_label(prepared, found['module'])} returns {found['actual']} values for {found['expected']} outputs"
    return Failure(
        found["module"], Category.STRUCTURAL, "verify.outputs", text, text, hint="one tensor for each output"
    )


def _finals(prepared: Prepared, case: CasePlan, found: Mapping[str, Any]) -> Failure:
    text = f"the golden returns {found['expected']} values, and the contract has {found['actual']} final outputs"
    return Failure(
        None, Category.STRUCTURAL, "verify.outputs", text, text, hint="name each return value in final_outputs"
    )


def _raise(prepared: Prepared, case: CasePlan, found: Mapping[str, Any]) -> Failure:
    error = f"{found['type']}: {found['message']}" if found["message"] else found["type"]
    text = f"the function of {_label(prepared, found['module'])} raises {error}"
    rule = "verify.stage-raises"
    return Failure(
        found["module"], Category.RUNTIME, rule, text, text, hint="check the inputs that the contract gives it"
    )


_KINDS = {"value": _value, "shape": _shape, "dtype": _dtype, "count": _count, "finals": _finals, "raise": _raise}
