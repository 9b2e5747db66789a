"""What an elementwise Module does to the values that it reads, as the words that its name is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from r0kit.contract.draft.subject import Subject
from r0kit.golden.dtypes import category, is_float
from r0kit.golden.program import Kind, Ref, Step
from r0kit.golden.scalars import Constant

ACTIVATIONS = frozenset(
    (
        *("gelu", "relu", "silu", "sigmoid", "tanh", "mish", "softplus", "leaky_relu", "elu", "selu", "celu", "relu6"),
        *("hardswish", "hardsigmoid", "hardtanh", "softsign", "logsigmoid"),
    )
)
FUNCTIONS = frozenset(("exp", "log", "sqrt", "rsqrt", "erf", "sin", "cos", "tan", "round", "sign", "floor", "ceil"))
MASKS = frozenset(("where", "masked_fill", "tril", "triu"))
NARROW = ("int8", "uint8", "float8", "float8_e4m3fn", "float8_e5m2")


def features(subject: Subject) -> list[str]:
    """Words for its Steps in order, each once: dequant, bias, gelu, swiglu, residual, mask, quantize, ..."""
    kept = _kept(subject)
    return _words([step for step in kept if not subject.is_statistic(step.target)] or kept, subject)


def features_behind_statistics(subject: Subject) -> list[str]:
    """Words for what it does with the elements after a statistic has come in; what goes before is work done again."""
    behind: set[str] = set()
    for step in _kept(subject):
        if not subject.is_statistic(step.target) and (_one_statistic(step, subject) or behind & set(step.tensors)):
            behind.add(step.target)
    return _words([step for step in _kept(subject) if step.target in behind], subject)


def _words(steps: list[Step], subject: Subject) -> list[str]:
    words = [word for step in steps for word in [_word(step, subject)] if word]
    return _drawn_together(list(dict.fromkeys(words)))


def normalizes(subject: Subject) -> bool:
    """Whether what it writes is scaled or shifted by a statistic: by a value that was reduced before."""
    return any(step.op in ("div", "mul", "sub") and _one_statistic(step, subject) for step in _kept(subject))


def _kept(subject: Subject) -> list[Step]:
    """Steps on the way to its outputs that no reduction of this Module lies behind."""
    wanted = set(subject.part.outputs)
    found: list[Step] = []
    for step in reversed(subject.part.steps):
        if step.target in wanted:
            found.append(step)
            if step.kind is not Kind.REDUCTION:
                wanted.update(step.tensors)
    return found[::-1]


def _one_statistic(step: Step, subject: Subject) -> bool:
    tensors = [operand.name for operand in step.operands if isinstance(operand, Ref)]
    return len(tensors) == 2 and sum(map(subject.is_statistic, tensors)) == 1


def _word(step: Step, subject: Subject) -> str:
    return next(
        (word for test, word in _TESTS if test(step, subject)), step.op if step.op in ACTIVATIONS | FUNCTIONS else ""
    )


def _dequantizes(step: Step, subject: Subject) -> bool:
    """An integer becomes a float, without its zero point where it has one, that a scale multiplies."""
    scaled = any(not isinstance(operand, Constant) for operand in step.operands[1:])
    return step.op == "mul" and scaled and any(_was_integer(name, subject) for name in step.tensors)


def _was_integer(name: str, subject: Subject) -> bool:
    step = subject.program.step(name)
    if (
        step is not None
        and step.op in ("sub", "add")
        and any(_was_integer(operand, subject) for operand in step.tensors)
    ):
        return True
    if step is None or step.op != "cast" or not is_float(step.dtype):
        return False
    return category(_dtype(step.tensors[0], subject)) == 1 and "mask" not in step.tensors[0]


def _quantizes(step: Step, subject: Subject) -> bool:
    return step.op == "cast" and step.dtype in NARROW and is_float(_dtype(step.tensors[0], subject))


def _masks(step: Step, subject: Subject) -> bool:
    return step.op in MASKS or (step.op in ("add", "mul") and any("mask" in name for name in _inputs(step, subject)))


def _adds_bias(step: Step, subject: Subject) -> bool:
    return step.op == "add" and _smaller_input(step, subject)


def _adds_residual(step: Step, subject: Subject) -> bool:
    return step.op == "add" and any(subject.shapes[name] == step.shape for name in _inputs(step, subject))


def _scales(step: Step, subject: Subject) -> bool:
    by_number = any(not isinstance(operand, (Ref, Constant)) for operand in step.operands)
    return step.op == "mul" and (by_number or _smaller_input(step, subject))


def _gates(step: Step, subject: Subject) -> bool:
    """An activation times another tensor."""
    operands = subject.operands(step)
    return step.op == "mul" and len(set(operands)) == 2 and any(_activates(name, subject) for name in operands)


def _rotates(step: Step, subject: Subject) -> bool:
    return step.op == "mul" and any(name.strip("_").lower() in ("cos", "sin") for name in _inputs(step, subject))


def _is_swish(step: Step, subject: Subject) -> bool:
    operands = subject.operands(step)
    gate = next((subject.steps[name] for name in operands if name in subject.steps), None)
    return (
        step.op == "mul" and gate is not None and gate.op == "sigmoid" and set(subject.operands(gate)) < set(operands)
    )


# The first test that holds gives a Step its word.
_TESTS: tuple[tuple[Callable[[Step, Subject], bool], str], ...] = (
    (_dequantizes, "dequant"),
    (_quantizes, "quantize"),
    (_rotates, "rope"),
    (_is_swish, "silu"),
    (_gates, "gate"),
    (_masks, "mask"),
    (_adds_bias, "bias"),
    (_adds_residual, "residual"),
    (_scales, "scale"),
    (lambda step, subject: step.kind is Kind.RANDOM, "random"),
    (lambda step, subject: step.kind is Kind.GATHER, "gather"),
    (lambda step, subject: step.op.startswith("clamp"), "clamp"),
)
# Words that belong together under one name.
_COMPOUNDS = {
    ("sigmoid", "silu"): "silu",
    ("silu", "gate"): "swiglu",
    ("gelu", "gate"): "geglu",
    ("relu", "gate"): "reglu",
    ("sigmoid", "gate"): "glu",
    ("clamp", "quantize"): "quantize",
    ("scale", "quantize"): "quantize",
    ("round", "quantize"): "quantize",
    ("round", "clamp"): "clamp",
}


def _drawn_together(words: list[str]) -> list[str]:
    result: list[str] = []
    for word in words:
        result.append(word)
        while tuple(result[-2:]) in _COMPOUNDS:
            result[-2:] = [_COMPOUNDS[result[-2], result[-1]]]
    return list(dict.fromkeys(result))


def _activates(name: str, subject: Subject) -> bool:
    return name in subject.steps and subject.steps[name].op in ACTIVATIONS


def _inputs(step: Step, subject: Subject) -> Iterator[str]:
    """Primary inputs among its operands."""
    return (name for name in subject.operands(step) if name in subject.primary)


def _smaller_input(step: Step, subject: Subject) -> bool:
    """Whether an operand is a primary input with fewer axes than the result."""
    rank = sum(extent.const != 1 for extent in step.shape)
    return any(sum(e.const != 1 for e in subject.shapes[name]) < rank for name in _inputs(step, subject))


def _dtype(name: str, subject: Subject) -> str:
    step = subject.program.step(name)
    return step.dtype if step else next(value.dtype for value in subject.program.inputs if value.name == name)
