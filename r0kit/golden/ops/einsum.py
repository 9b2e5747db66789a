"""einsum: any number of operands, contracted pairwise from the left; what sums nothing becomes a product."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim
from r0kit.golden.ops.contraction import same_dtype
from r0kit.golden.ops.elementwise import elementwise
from r0kit.golden.ops.layout import permute, squeeze, unsqueeze
from r0kit.golden.ops.reduction import reduce
from r0kit.golden.ops.row import Call, Operation, items_of, row
from r0kit.golden.values import TensorValue, Value


@dataclass(frozen=True, slots=True)
class Labelled:
    """A tensor with one label per axis."""

    value: TensorValue
    labels: tuple[str, ...]


def _einsum(call: Call) -> Value:
    equation = call.word("equation").replace(" ", "")
    operands = items_of(call["operands"])
    tensors = [item for item in operands if isinstance(item, TensorValue)]
    if len(tensors) != len(operands):
        raise OperationError("einsum takes an equation and tensors", "write the equation as a string")
    with call.builder.composite("einsum"):
        return einsum(call.builder, equation, tensors)


def einsum(builder: Builder, equation: str, tensors: Sequence[TensorValue]) -> TensorValue:
    """The value of an equation. OperationError where it does not fit the tensors."""
    labelled, output = _parsed(equation, tensors)
    same_dtype("einsum", tensors)
    extents = _extents(builder, labelled)
    parts = [_cleaned(builder, part, extents) for part in labelled]
    result = parts[0] if len(parts) > 1 else _summed(builder, parts[0], set(output))
    for place, part in enumerate(parts[1:], start=1):
        later = {label for other in parts[place + 1 :] for label in other.labels}
        last = place == len(parts) - 1
        result = _pair(builder, result, part, output if last else _kept_order(result, part, {*output, *later}))
    return _ordered(builder, result, output)


# Equations


def _parsed(equation: str, tensors: Sequence[TensorValue]) -> tuple[list[Labelled], tuple[str, ...]]:
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(tensors):
        raise OperationError(f"einsum {equation!r} has {len(terms)} operands, the call {len(tensors)}")
    labelled = [
        Labelled(tensor, _labels(term, tensor.rank, equation)) for term, tensor in zip(terms, tensors, strict=True)
    ]
    every = [label for part in labelled for label in part.labels]
    dots = sorted({label for label in every if label.startswith(".")}, key=lambda label: -int(label[1:]))
    if arrow:
        return labelled, _output(right, dots)
    once = sorted(label for label in set(every) if every.count(label) == 1 and not label.startswith("."))
    return labelled, (*dots, *once)


def _labels(term: str, rank: int, equation: str) -> tuple[str, ...]:
    """One label per axis; the axes of an ellipsis are ".n", counted from the last one."""
    head, dots, tail = term.partition("...")
    covered = rank - len(head) - len(tail)
    if covered < 0 or (not dots and covered):
        raise OperationError(f"einsum {equation!r}: {term!r} does not fit a tensor of {rank} dimensions")
    return (*head, *(f".{place}" for place in range(covered - 1, -1, -1)), *tail)


def _output(term: str, dots: Sequence[str]) -> tuple[str, ...]:
    head, found, tail = term.partition("...")
    return (*head, *(dots if found else ()), *tail)


def _extents(builder: Builder, parts: Sequence[Labelled]) -> dict[str, Dim]:
    """The extent of each label; an extent of 1 broadcasts."""
    extents: dict[str, Dim] = {}
    for part in parts:
        for label, extent in zip(part.labels, part.value.shape, strict=True):
            known = extents.get(label)
            if known is None or known.const == 1:
                extents[label] = extent
            elif extent.const != 1:
                extents[label] = builder.same(known, extent, f"einsum label {label}")
    return extents


# Steps


def _cleaned(builder: Builder, part: Labelled, extents: dict[str, Dim]) -> Labelled:
    """Without repeated labels (a diagonal) and without axes of extent 1 that broadcast."""
    value, labels = part.value, list(part.labels)
    for label in dict.fromkeys(label for label in labels if labels.count(label) > 1):
        first, second = labels.index(label), len(labels) - 1 - labels[::-1].index(label)
        labels = [other for place, other in enumerate(labels) if place not in (first, second)] + [label]
        shape = (*(e for place, e in enumerate(value.shape) if place not in (first, second)), extents[label])
        value = builder.emit("diagonal", [value], shape, value.dtype, offset=0, axes=(first, second))
    units = [p for p, label in enumerate(labels) if value.shape[p].const == 1 and extents[label].const != 1]
    kept = tuple(label for place, label in enumerate(labels) if place not in units)
    return Labelled(squeeze(builder, value, units), kept)


def _summed(builder: Builder, part: Labelled, keep: set[str]) -> Labelled:
    """With the labels that nobody else needs summed out."""
    gone = [place for place, label in enumerate(part.labels) if label not in keep]
    if not gone:
        return part
    value = reduce(builder, "sum", part.value, gone, dtype=part.value.dtype)
    return Labelled(value, tuple(label for label in part.labels if label in keep))


def _kept_order(left: Labelled, right: Labelled, keep: set[str]) -> tuple[str, ...]:
    """Shared labels first, then those of the left operand alone, then those of the right one."""
    shared = [label for label in left.labels if label in right.labels]
    alone = [label for label in left.labels if label not in right.labels]
    other = [label for label in right.labels if label not in left.labels]
    return tuple(label for label in (*shared, *alone, *other) if label in keep)


def _pair(builder: Builder, left: Labelled, right: Labelled, output: tuple[str, ...]) -> Labelled:
    """Two operands into one whose labels are those of `output` that either has."""
    left = _summed(builder, left, {*output, *right.labels})
    right = _summed(builder, right, {*output, *left.labels})
    result = tuple(label for label in output if label in left.labels or label in right.labels)
    contracted = set(left.labels) & set(right.labels) - set(output)
    if not contracted:
        return _product(builder, left, right, result)
    extents = dict(zip(left.labels, left.value.shape, strict=True)) | dict(
        zip(right.labels, right.value.shape, strict=True)
    )
    numbers = {label: place for place, label in enumerate(dict.fromkeys((*result, *left.labels, *right.labels)))}
    labels = tuple(tuple(numbers[label] for label in part) for part in (left.labels, right.labels, result))
    shape = tuple(extents[label] for label in result)
    return Labelled(builder.emit("einsum", [left.value, right.value], shape, left.value.dtype, labels=labels), result)


def _product(builder: Builder, left: Labelled, right: Labelled, result: tuple[str, ...]) -> Labelled:
    """No label is summed: an elementwise product of the two, lined up."""
    sides = [_lined_up(builder, part, result) for part in (left, right)]
    return Labelled(elementwise(builder, "mul", *sides), result)


def _lined_up(builder: Builder, part: Labelled, result: tuple[str, ...]) -> TensorValue:
    """Its axes in the order of `result`, with units where it has none; leading units are left to broadcasting."""
    value = permute(builder, part.value, [part.labels.index(label) for label in result if label in part.labels])
    leading = next((place for place, label in enumerate(result) if label in part.labels), len(result))
    missing = [place - leading for place, label in enumerate(result) if label not in part.labels and place > leading]
    return unsqueeze(builder, value, missing)


def _ordered(builder: Builder, part: Labelled, output: tuple[str, ...]) -> TensorValue:
    """In the order of the output; labels of extent 1 that were dropped come back."""
    present = [label for label in output if label in part.labels]
    value = permute(builder, part.value, [part.labels.index(label) for label in present])
    return unsqueeze(builder, value, [place for place, label in enumerate(output) if label not in present])


ROWS: list[Operation] = [row("einsum", "torch.einsum", "(equation, *operands)", _einsum)]
