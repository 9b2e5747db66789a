"""Formulas that compile and compute something else, or that the API has built in."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from r0kit.finding import Fault
from r0kit.lint.match import (
    behind,
    depends,
    factors,
    made,
    negated,
    offset,
    root_name,
    same,
    scale,
    square,
    terms,
    unscaled,
)
from r0kit.lint.subject import Subject
from r0kit.lint.trace.model import Kernel, Op, Value
from r0kit.lint.trace.shapes import ELEMENTWISE, REDUCTIONS, axis_of, keeps

_SQUARED = re.compile(r"square|sq_|_sq|mse|sse|variance|kmeans|l2_?norm_?sq", re.IGNORECASE)
_DISTANCE = re.compile(r"distance|triplet|pairwise_?dist|euclid|cdist|l2_?dist|距离", re.IGNORECASE)
_HUBER = re.compile(r"huber|smooth_?l1", re.IGNORECASE)
_HUBER_CALLS = frozenset(("huber_loss", "HuberLoss", "smooth_l1_loss", "SmoothL1Loss"))
_KL = re.compile(r"kl_?div|kullback|KLDiv|\bkl_|_kl\b", re.IGNORECASE)
_PREDICTED = re.compile(r"^(pred\w*|input\w*|log_?pred\w*|log_?input\w*|student\w*|q)$")
_TARGET = re.compile(r"^(target\w*|label\w*|log_?target\w*|teacher\w*|p)$")
_LOGARITHM = re.compile(r"^log_?(prob|pred|input|target|q\b|p\b)|_log$|logprob", re.IGNORECASE)


def squared_distance(subject: Subject) -> Iterator[Fault]:
    """A sum of squared differences compared like a distance, and a square root of one without eps."""
    for kernel in subject.kernels:
        named = _named(kernel)
        for op in kernel.ops:
            if op.name in ("maximum", "relu", "clip") and _compared(op):
                yield Fault(op.node, "squared distances are compared where distances are meant: there is no sqrt")
            elif op.name == "sqrt" and op.args and _is_squared_distance(op.args[0]):
                yield Fault(op.node, "the square root of a sum of squared differences has no eps inside")
        if _DISTANCE.search(named) and not _SQUARED.search(named):
            yield from _stored_squares(kernel)


def _named(kernel: Kernel) -> str:
    """What the kernel is called, with the functions and classes around it."""
    return " ".join((kernel.name, *(scope.name for scope in kernel.outer)))


def _compared(op: Op) -> bool:
    """maximum(d1 - d2 + margin, 0) of two squared distances."""
    parts = [part for value in op.args if value.is_tensor for _, part in terms(value)]
    return sum(_is_squared_distance(part) for part in parts) > 1


def _is_squared_distance(value: Value) -> bool:
    op = made(value, "sum")
    base = square(op.args[0]) if op is not None and op.args else None
    return base is not None and _is_difference(base)


def _is_difference(value: Value) -> bool:
    """a - b of two tensors of which neither is computed from the other, as a mean of a would be."""
    op = made(value, "sub")
    if op is None or len(op.args) < 2 or not (op.args[0].is_tensor and op.args[1].is_tensor):
        return False
    left, right = op.args[:2]
    return not depends(left, right) and not depends(right, left)


def _stored_squares(kernel: Kernel) -> Iterator[Fault]:
    if any(op.name in ("sqrt", "rsqrt", "pow") for op in kernel.ops):
        return
    for _, value, statement in kernel.stores:
        if _is_squared_distance(unscaled(value)):
            yield Fault(statement, "a squared distance is stored where a distance is meant: there is no sqrt")


def built_in(subject: Subject) -> Iterator[Fault]:
    """sigmoid, softmax, abs and minimum in pieces."""
    for kernel, op in subject.ops("div", "reciprocal", "maximum", "neg", "mul", "sqrt"):
        value = Value("tensor", op=op)
        if made(value, "div") and _is_shared(kernel, op):
            continue
        found = next(((name, of) for name, match in BUILT_IN.items() if (of := match(value)) is not None), None)
        if found is not None:
            yield Fault(op.node, f"this is pypto.{found[0]}, by hand", f"write {_call(*found)}")


def _is_shared(kernel: Kernel, op: Op) -> bool:
    """Whether the maximum, the sum or the exponential of a softmax serves something else too, or is tuned."""
    total = made(op.args[-1], "sum")
    power = made(op.args[0], "exp")
    if total is None or power is None:
        return False
    shifted = made(power.args[0], "sub")
    peak = shifted.args[-1] if shifted is not None else op.args[-1]
    counts = [kernel.uses(op.args[-1]), kernel.uses(peak), kernel.uses(op.args[0])]
    return counts != [1, 1, 2] or len(op.args) > 2 or bool(op.options)


def _call(name: str, of: tuple[Value, ...]) -> str:
    last = {"softmax": "dim", "minimum": "d"}.get(name)
    return f"pypto.{name}({of[0].name or 'x'}{', ' + last if last else ''})"


def _sigmoid(value: Value) -> tuple[Value, ...] | None:
    """1 / (1 + exp(-x)), exp(x) / (1 + exp(x))."""
    op = made(value, "div", "reciprocal")
    if op is None or not op.args or (op.name == "div" and len(op.args) < 2):
        return None
    shifted = offset(op.args[-1])
    power = made(shifted[0], "exp") if shifted is not None and shifted[1] == 1 else None
    if power is not None and op.name == "div" and shifted is not None and same(op.args[0], shifted[0]):
        return power.args[:1]
    inner = negated(power.args[0]) if power is not None and power.args else None
    one = op.name == "reciprocal" or op.args[0].number == 1
    return (inner,) if inner is not None and one else None


def _softmax(value: Value) -> tuple[Value, ...] | None:
    """exp(x - amax(x)) / sum(exp(x - amax(x))), or the same without the maximum."""
    op = made(value, "div")
    power = made(op.args[0], "exp") if op is not None and len(op.args) > 1 else None
    total = made(op.args[1], "sum") if op is not None and len(op.args) > 1 else None
    if op is None or power is None or total is None or not same(total.args[0], op.args[0]) or keeps(total) is not True:
        return None
    shifted = made(power.args[0], "sub")
    if shifted is None:
        return (power.args[0],)
    peak = made(shifted.args[1], "amax") if len(shifted.args) > 1 else None
    if peak is None or not same(peak.args[0], shifted.args[0]):
        return None
    return (shifted.args[0],) if _same_axis(peak, total) else None


def _same_axis(first: Op, second: Op) -> bool:
    axes = [axis.number for op in (first, second) if (axis := op.arg(1, "dim")) is not None]
    return len(axes) == 2 and axes[0] is not None and axes[0] == axes[1]


def _abs(value: Value) -> tuple[Value, ...] | None:
    """maximum(x, -x), sqrt(x * x), x * sign(x)."""
    op = made(value, "maximum", "sqrt", "mul")
    if op is None:
        return None
    if op.name == "mul":
        signs = [made(argument, "sign") for argument in op.args[:2]]
        found = [
            sign.args[0] for sign, other in zip(signs, op.args[1::-1], strict=False) if sign and sign.args[0] is other
        ]
        return tuple(found[:1]) or None
    if op.name == "sqrt":
        base = square(op.args[0]) if op.args else None
        return None if base is None else (base,)
    if len(op.args) < 2:
        return None
    for first, second in (op.args[:2], op.args[1::-1]):
        inner = negated(first)
        if inner is not None and same(inner, second):
            return (second,)
    return None


def _minimum(value: Value) -> tuple[Value, ...] | None:
    """-maximum(-x, -d)."""
    inner = negated(value)
    op = made(inner, "maximum")
    if op is None or len(op.args) < 2:
        return None
    bases = [negated(argument) for argument in op.args[:2]]
    scalar = any(argument.is_scalar for argument in op.args[:2])
    found = [base for base in bases if base is not None]
    return tuple(found) if len(found) == 2 or (scalar and found) else None


BUILT_IN: dict[str, Callable[[Value], tuple[Value, ...] | None]] = {
    "sigmoid": _sigmoid,
    "softmax": _softmax,
    "abs": _abs,
    "minimum": _minimum,
}


def conditional_maximum(subject: Subject) -> Iterator[Fault]:
    """maximum(x, f(x)) where f(x) exceeds x on the branch of x: exp(x) - 1, or c x with c > 1."""
    for _, op in subject.ops("maximum"):
        for x, other in (op.args[:2], op.args[1::-1]) if len(op.args) > 1 else ():
            if x.is_tensor and other.is_tensor and _exceeds(other, x):
                yield Fault(
                    op.node, "maximum chooses the larger value, not the branch: the second operand exceeds x > 0"
                )
                break


def _exceeds(value: Value, x: Value) -> bool:
    """Whether `value` is (exp(x) - 1) times something, or x times more than 1."""
    found = scale(value)
    if found is not None and found[0] is x:
        return found[1] is not None and found[1] > 1
    inner = offset(unscaled(value))
    power = made(inner[0], "exp") if inner is not None and inner[1] == -1 else made(unscaled(value), "expm1")
    return power is not None and bool(power.args) and power.args[0] is x


def variance_sign(subject: Subject) -> Iterator[Fault]:
    """mean * mean - mean of squares."""
    for _, op in subject.ops("sub"):
        if len(op.args) < 2:
            continue
        mean = square(op.args[0])
        squares, total = made(unscaled(op.args[1]), "sum"), made(unscaled(mean), "sum") if mean is not None else None
        base = square(squares.args[0]) if squares is not None and squares.args else None
        if base is not None and total is not None and total.args and same(total.args[0], base):
            yield Fault(
                op.node, "the square of the mean minus the mean of the squares: a variance with its sign reversed"
            )


def huber(subject: Subject) -> Iterator[Fault]:
    """A Huber loss without a clamp, and the short form with a delta that is not 1."""
    alone = len(subject.kernels) == 1 and bool(_attributes(subject) & _HUBER_CALLS)
    for kernel in subject.kernels:
        if (alone or _HUBER.search(_named(kernel))) and kernel.whole and _has_no_clamp(kernel):
            yield Fault(kernel.node, "a Huber loss without min(|d|, delta)")
        for op in kernel.ops:
            if _is_comparison(op):
                yield Fault(op.node, "0.5 d^2 is nowhere below |d| - 0.5: the comparison always takes the same branch")
            delta = _short_form(op)
            if delta is not None and delta != 1:
                yield Fault(op.node, f"0.5 c^2 + |d| - c is the Huber loss for delta = 1 alone, and delta is {delta:g}")


def _attributes(subject: Subject) -> set[str]:
    """Every attribute that the file reads, such as `smooth_l1_loss`."""
    return {node.attr for node in subject.nodes if isinstance(node, ast.Attribute)}


def _is_comparison(op: Op) -> bool:
    """maximum or minimum of 0.5 d * d and |d| - 0.5."""
    if op.name not in ("maximum", "minimum") or len(op.args) < 2:
        return False
    for curve, line in (op.args[:2], op.args[1::-1]):
        shifted = offset(line)
        size = shifted[0] if shifted is not None and shifted[1] == -0.5 else None
        inner = made(size, "abs")
        if size is not None and inner is not None and inner.args:
            return any(_is_half_square(curve, of) for of in (inner.args[0], size))
    return False


def _has_no_clamp(kernel: Kernel) -> bool:
    clamps = ("minimum", "maximum", "clip", "where", "compare", "lt", "gt", "le", "ge", "greater")
    return bool(kernel.ops) and not any(op.name in clamps for op in kernel.ops)


def _short_form(op: Op) -> float | None:
    """delta of 0.5 c^2 + |d| - c with c = min(|d|, delta); None where `op` is no such sum or delta is unknown."""
    if op.name not in ("add", "sub"):
        return None
    parts = terms(Value("tensor", op=op))
    clipped = [part for sign, part in parts if sign < 0]
    if len(parts) != 3 or len(clipped) != 1:
        return None
    limit = _clip_limit(clipped[0])
    added = [part for sign, part in parts if sign > 0]
    squares = [part for part in added if _is_half_square(part, clipped[0])]
    return limit if len(squares) == 1 and len(added) == 2 else None


def _clip_limit(value: Value) -> float | None:
    """delta of min(|d|, delta)."""
    op = made(value, "minimum")
    if op is not None and len(op.args) == 2:
        return next((argument.number for argument in op.args if argument.is_scalar), None)
    by_hand = made(negated(value), "maximum")
    if by_hand is None or len(by_hand.args) < 2:
        return None
    limit = next((argument.number for argument in by_hand.args if argument.is_scalar), None)
    return None if limit is None else -limit


def _is_half_square(value: Value, of: Value) -> bool:
    parts = factors(value, of)
    tensors = [part for part in parts if part.is_tensor]
    numbers = [part.number for part in parts if part.is_scalar]
    return numbers == [0.5] and len(tensors) == 2 and all(same(part, of) for part in tensors)


def kl_direction(subject: Subject) -> Iterator[Fault]:
    """pred * (log pred - log target), where the target is the reference; and a logarithm of a logarithm."""
    called = bool(_attributes(subject) & {"kl_div", "KLDivLoss"})
    for kernel in subject.kernels:
        if not called and not _KL.search(" ".join((_named(kernel), *subject.classes()))):
            continue
        for op in kernel.ops:
            if op.name == "mul" and len(op.args) == 2 and _reversed(op):
                yield Fault(
                    op.node, "the divergence is taken from the prediction to the target: the direction is reversed"
                )
            if op.name == "log" and op.args and _LOGARITHM.search(root_name(op.args[0])):
                yield Fault(op.node, f"{root_name(op.args[0])} is a logarithm already, by its name")


def _reversed(op: Op) -> bool:
    """x * (log x - log y) or x * log(x / y) with x the prediction and y the target by their names."""
    for weight, difference in (op.args, op.args[::-1]):
        compared = _compared_logarithms(difference)
        if compared is None or not same(compared[0], weight):
            continue
        if _PREDICTED.match(root_name(weight)) and _TARGET.match(root_name(compared[1])):
            return True
    return False


def _compared_logarithms(value: Value) -> tuple[Value, Value] | None:
    """(x, y) of log x - log y, or of log(x / y)."""
    quotient = made(value, "log")
    ratio = made(quotient.args[0], "div") if quotient is not None and quotient.args else None
    if ratio is not None and len(ratio.args) > 1:
        return ratio.args[0], ratio.args[1]
    inner = made(value, "sub")
    logs = [made(argument, "log") for argument in inner.args[:2]] if inner is not None else []
    known = [log.args[0] for log in logs if log is not None and log.args]
    return (known[0], known[1]) if len(known) == 2 else None


def chained_reductions(subject: Subject) -> Iterator[Fault]:
    """sum(sum(x, dim=2), dim=1): one reduction over the merged axes does it."""
    for kernel, op in subject.ops(*REDUCTIONS):
        inner = made(op.args[0], op.name) if op.args else None
        if inner is None or not inner.args or kernel.uses(op.args[0]) > 1:
            continue
        if inner.vec != op.vec and not _from_inputs(inner.args[0]):
            continue
        axes = _axes(inner, op)
        if axes is not None and abs(axes[0] - axes[1]) == 1:
            yield Fault(op.node, f"{op.name} over the adjacent axes {min(axes)} and {max(axes)} in two steps")


def _from_inputs(value: Value) -> bool:
    """Whether `value` is computed element by element from whole inputs, so that forward could reshape these."""
    ops = list(behind(value))
    return all(op.name in ELEMENTWISE for op in ops) and (bool(ops) or bool(value.name))


def _axes(inner: Op, outer: Op) -> tuple[int, int] | None:
    """The axes of the operand that two reductions run over, one after the other."""
    first, second, keep = axis_of(inner), axis_of(outer), keeps(inner)
    if first is None or second is None or keep is None:
        return None
    return first, second + (not keep and second >= first)
