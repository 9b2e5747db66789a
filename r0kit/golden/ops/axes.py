"""How the dimensions of a Step's operands go into those of its result; the partitioner builds its axes from this.

(Started by the coordinator for `partition`; `ops` owns, completes and tests it. Link/AxisMap are what partition reads.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from r0kit.golden.dims import Dim, Shape, product
from r0kit.golden.program import Kind, Step

Place = tuple[int, int]  # (tensor operand, counted as in Step.tensors; its dimension)


@dataclass(frozen=True, slots=True)
class Link:
    """Operand dimensions that together become the result dimensions `targets`, outermost first.

    partial: the result covers only a part of the axis, or more than it (slice, cat, pad, window).
    No targets: the dimensions end here (selected from, or reduced: then they are in `AxisMap.whole` too).
    """

    sources: tuple[Place, ...]
    targets: tuple[int, ...]
    partial: bool = False


@dataclass(frozen=True, slots=True)
class AxisMap:
    """links: where dimensions go; whole: operand dimensions that the Step needs from end to end before it has a result."""

    links: tuple[Link, ...]
    whole: tuple[Place, ...] = ()


def axes(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """The relation for a Step whose tensor operands (in the order of `Step.tensors`) have these shapes."""
    rule = _BY_OP.get(step.op) or _BY_KIND.get(step.kind, _unrelated)
    return rule(step, shapes)


def _aligned(step: Step, shapes: Sequence[Shape], partial: frozenset[int] = frozenset()) -> AxisMap:
    """Broadcasting: dimensions line up from the last; those of extent 1 link to nothing."""
    rank = len(step.shape)
    links = []
    for operand, shape in enumerate(shapes):
        for dim, extent in enumerate(shape):
            target = rank - len(shape) + dim
            if extent.const != 1 and target >= 0:
                links.append(Link(((operand, dim),), (target,), target in partial))
    return AxisMap(tuple(links))


def _reduction(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    reduced, kept = step.attrs["axes"], step.attrs.get("keepdim", False)
    links, target = [], 0
    for dim in range(len(shapes[0])):
        if dim not in reduced:
            links.append(Link(((0, dim),), (target,)))
        target += dim not in reduced or kept
    return AxisMap(tuple(links), tuple((0, dim) for dim in reduced))


def _contraction(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    *operands, result = step.attrs["labels"]
    links, whole = [], []
    for operand, labels in enumerate(operands):
        for dim, label in enumerate(labels):
            if shapes[operand][dim].const == 1:
                continue
            if label in result:
                links.append(Link(((operand, dim),), (result.index(label),), partial="windows" in step.attrs))
            else:
                whole.append((operand, dim))
    contracted: dict[int, list[Place]] = {}
    for operand, dim in whole:
        contracted.setdefault(operands[operand][dim], []).append((operand, dim))
    links += [Link(tuple(places), ()) for places in contracted.values()]  # partition joins a contracted label's places
    return AxisMap(tuple(links), tuple(whole))


def _reshape(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """Groups of dimensions with equal numbers of elements, found from the left."""
    links = []
    old, new = list(enumerate(shapes[0])), list(enumerate(step.shape))
    while old and new:
        left, right = [old.pop(0)], [new.pop(0)]
        while not _same_size(left, right) and (old or new):
            if new and (not old or _divides(left, right)):
                right.append(new.pop(0))
            else:
                left.append(old.pop(0))
        links.append(Link(tuple((0, dim) for dim, _ in left), tuple(dim for dim, _ in right)))
    return AxisMap(tuple(links))


def _same_size(left: list[tuple[int, Dim]], right: list[tuple[int, Dim]]) -> bool:
    return product(extent for _, extent in left) == product(extent for _, extent in right)


def _divides(left: list[tuple[int, Dim]], right: list[tuple[int, Dim]]) -> bool:
    """Whether what is on the right so far divides what is on the left, so that the right has to grow."""
    a, b = product(extent for _, extent in left), product(extent for _, extent in right)
    return b.const != 0 and b * (a // b) == a


def _permute(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    return AxisMap(tuple(Link(((0, dim),), (target,)) for target, dim in enumerate(step.attrs["order"])))


def _inserted(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    kept = [target for target in range(len(step.shape)) if target not in step.attrs["axes"]]
    return AxisMap(tuple(Link(((0, dim),), (target,)) for dim, target in enumerate(kept)))


def _dropped(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    kept = [dim for dim in range(len(shapes[0])) if dim not in step.attrs["axes"]]
    return AxisMap(tuple(Link(((0, dim),), (target,)) for target, dim in enumerate(kept)))


def _select(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    axis = step.attrs["axis"]
    kept = [dim for dim in range(len(shapes[0])) if dim != axis]
    return AxisMap(tuple(Link(((0, dim),), (target,)) for target, dim in enumerate(kept)))


def _along(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """Operands keep their dimensions; along `axis` (or `axes`) the result is another stretch of the same axis."""
    partial = step.attrs.get("axes", (step.attrs.get("axis", -1),))
    return _aligned(step, shapes, frozenset(partial))


def _stack(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    axis = step.attrs["axis"]
    links = [
        Link(((operand, dim),), (dim + (dim >= axis),))
        for operand, shape in enumerate(shapes)
        for dim in range(len(shape))
    ]
    return AxisMap(tuple(links))


def _ordering(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """Sorted or selected along `axis`: needed whole; what comes out is another axis."""
    axis = step.attrs["axis"]
    links = tuple(Link(((0, dim),), (dim,)) for dim in range(len(shapes[0])) if dim != axis)
    return AxisMap(links, ((0, axis),))


def _gather(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """Read along `axis` at the places of the index operand: that axis ends, the index's dimensions are the result's."""
    axis = step.attrs.get("axis")
    if axis is None or len(shapes) < 2 or len(shapes[0]) != len(step.shape) or len(shapes[1]) != len(step.shape):
        return _unrelated(step, shapes)
    kept = [Link(((0, dim),), (dim,)) for dim in range(len(shapes[0])) if dim != axis]
    return AxisMap((*kept, *(Link(((1, dim),), (dim,)) for dim in range(len(shapes[1])))))


def _unrelated(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """Nothing is known: the result has axes of its own, and every operand is needed whole."""
    whole = tuple((operand, dim) for operand, shape in enumerate(shapes) for dim in range(len(shape)))
    return AxisMap((), whole)


Rule = Callable[[Step, Sequence[Shape]], AxisMap]
_BY_KIND: dict[Kind, Rule] = {
    Kind.ELEMENTWISE: _aligned,
    Kind.SCAN: _aligned,
    Kind.RANDOM: _aligned,
    Kind.CREATION: lambda step, shapes: AxisMap(()),
    Kind.REDUCTION: _reduction,
    Kind.CONTRACTION: _contraction,
    Kind.ORDERING: _ordering,
    Kind.GATHER: _gather,
}
_BY_OP: dict[str, Rule] = {
    "reshape": _reshape,
    "permute": _permute,
    "unsqueeze": _inserted,
    "squeeze": _dropped,
    "select": _select,
    "stack": _stack,
    "expand": _aligned,
    "slice": _along,
    "cat": _along,
    "flip": _along,
    "roll": _along,
    "repeat": _along,
    "repeat_interleave": _along,
    "pad": _along,
    "slice_store": _along,
}
