"""The relation between a Step's operand dimensions and those of its result, and the two most common ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from r0kit.golden.dims import Shape
from r0kit.golden.program import Step

Place = tuple[int, int]  # (tensor operand, counted as in Step.tensors; its dimension)


@dataclass(frozen=True, slots=True)
class Link:
    """Operand dimensions that together become the result dimensions `targets`, outermost first.

    partial: the result covers only a part of the axis, or more than it, or in another order (slice, cat, pad, flip,
        windows): the same axis, though places and extents differ. Otherwise both sides hold as many elements, in order.
    No targets: the dimensions end here (selected from, or reduced: then they are in `AxisMap.whole` too).
    """

    sources: tuple[Place, ...]
    targets: tuple[int, ...]
    partial: bool = False


@dataclass(frozen=True, slots=True)
class AxisMap:
    """links: where dimensions go; whole: operand dimensions that the Step needs from end to end before it has a result.

    An operand dimension without a link is of extent 1, or ends here. A dimension that is looked into at given places
    (gather, embedding) ends without being needed whole; a scan needs its axis in order, which its kind says.
    """

    links: tuple[Link, ...]
    whole: tuple[Place, ...] = ()


Rule = Callable[[Step, Sequence[Shape]], AxisMap]


def aligned(step: Step, shapes: Sequence[Shape], partial: frozenset[int] = frozenset()) -> AxisMap:
    """Broadcasting: dimensions line up from the last; those of extent 1 link to nothing."""
    rank = len(step.shape)
    links = []
    for operand, shape in enumerate(shapes):
        for dim, extent in enumerate(shape):
            target = rank - len(shape) + dim
            if extent.const != 1 and target >= 0:
                links.append(Link(((operand, dim),), (target,), target in partial))
    return AxisMap(tuple(links))


def unrelated(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """Nothing is known: the result has axes of its own, and every operand is needed whole."""
    whole = tuple((operand, dim) for operand, shape in enumerate(shapes) for dim in range(len(shape)))
    return AxisMap((), whole)
