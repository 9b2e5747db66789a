"""How the dimensions of a Step's operands go into those of its result; the partitioner builds its axes from this."""

from __future__ import annotations

from collections.abc import Sequence

from r0kit.golden.dims import Dim, Shape, product
from r0kit.golden.ops import access
from r0kit.golden.ops.axismap import AxisMap, Link, Place, Rule, aligned, unrelated
from r0kit.golden.program import Kind, Step


def axes(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """The relation for a Step whose tensor operands (in the order of `Step.tensors`) have these shapes."""
    rule = _BY_OP.get(step.op) or _BY_KIND.get(step.kind, unrelated)
    return rule(step, shapes)


def _reduction(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    reduced, kept = step.attrs["axes"], step.attrs.get("keepdim", False)
    links, target = [], 0
    for dim in range(len(shapes[0])):
        if dim not in reduced:
            links.append(Link(((0, dim),), (target,)))
        target += dim not in reduced or kept
    return AxisMap(tuple(links), tuple((0, dim) for dim in reduced))


def _contraction(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """Equal labels are one axis; a label that the result lacks is summed over. Under windows, places shift."""
    *operands, result = step.attrs["labels"]
    windows = len(step.attrs.get("windows", ()))
    spatial = set(result[len(result) - windows :]) if windows else set()
    links: list[Link] = []
    contracted: dict[int, list[Place]] = {}
    for operand, labels in enumerate(operands):
        for dim, label in enumerate(labels):
            if label in result and shapes[operand][dim].const != 1:
                links.append(Link(((operand, dim),), (result.index(label),), label in spatial))
            elif shapes[operand][dim].const != 1:
                contracted.setdefault(label, []).append((operand, dim))
    links += [Link(tuple(places), ()) for places in contracted.values()]  # a contracted label is one axis
    return AxisMap(tuple(links), tuple(place for places in contracted.values() for place in places))


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


def _repeat(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    more = frozenset(axis for axis, times in enumerate(step.attrs["repeats"]) if times.const != 1)
    return aligned(step, shapes, more)


def _bitcast(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """A dtype of another width changes the last extent."""
    same = not step.shape or step.shape[-1] == shapes[0][-1]
    return aligned(step, shapes, frozenset() if same else frozenset({len(step.shape) - 1}))


def _select(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    axis = step.attrs["axis"]
    kept = [dim for dim in range(len(shapes[0])) if dim != axis]
    return AxisMap(tuple(Link(((0, dim),), (target,)) for target, dim in enumerate(kept)))


def _along(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """Operands keep their dimensions; along `axis` (or `axes`) the result is another stretch of the same axis."""
    partial = step.attrs.get("axes", (step.attrs.get("axis", -1),))
    return aligned(step, shapes, frozenset(partial))


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


_BY_KIND: dict[Kind, Rule] = {
    Kind.ELEMENTWISE: aligned,
    Kind.SCAN: aligned,
    Kind.RANDOM: aligned,
    Kind.CREATION: lambda step, shapes: AxisMap(()),
    Kind.REDUCTION: _reduction,
    Kind.CONTRACTION: _contraction,
    Kind.ORDERING: _ordering,
}
_BY_OP: dict[str, Rule] = {
    "reshape": _reshape,
    "permute": _permute,
    "unsqueeze": _inserted,
    "squeeze": _dropped,
    "select": _select,
    "stack": _stack,
    "expand": aligned,
    "slice": _along,
    "cat": _along,
    "flip": _along,
    "roll": _along,
    "repeat": _repeat,
    "repeat_interleave": _along,
    "pad": _along,
    "bitcast": _bitcast,
    **access.RULES,
}
