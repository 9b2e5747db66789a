"""Lists that a loop has filled: items, stretches and changes of them, with the number of items an extent."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from r0kit.golden import ops
from r0kit.golden.builder import OperationError
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.stretches import of_pieces
from r0kit.golden.ops import layout
from r0kit.golden.scalars import Constant
from r0kit.golden.values import (
    PiecesValue,
    ScalarValue,
    SequenceValue,
    SliceValue,
    UnknownValue,
    Value,
    constant,
    extent,
)


def item(run: Run, node: ast.AST, base: SequenceValue, index: ScalarValue) -> Value:
    """`parts[index]`; negative indices count from the end."""
    fixed = index.scalar.value if isinstance(index.scalar, Constant) else None
    plain = _beside(base.items, fixed) if isinstance(fixed, int) else None
    if plain is not None:
        return plain
    known = of_pieces(run, base)
    with run.builder.at(run.source.span(node), run.source.written(node)):
        below = isinstance(fixed, int) and fixed < 0
        return known.item(extent(known.count + int(fixed or 0)).scalar if below else index.scalar)


def _beside(items: Sequence[Value], place: int) -> Value | None:
    """An item that stands before or behind what loops have filled in."""
    filled = [at for at, value in enumerate(items) if isinstance(value, PiecesValue)]
    if 0 <= place < filled[0] or filled[-1] - len(items) < place < 0:
        return items[place]
    return None


def stretch(run: Run, node: ast.AST, base: SequenceValue, bounds: slice) -> SequenceValue:
    """`parts[start:stop:step]`. OperationError where it is not known as one tensor."""
    if bounds == slice(None):
        return SequenceValue(list(base.items), base.is_list)
    pieces = _only(base)
    with run.builder.at(run.source.span(node), run.source.written(node)):
        part = _backwards(run, pieces) if bounds == slice(None, None, -1) else _part(run, pieces, bounds)
    return SequenceValue([part], base.is_list)


def _only(base: SequenceValue) -> PiecesValue:
    if len(base.items) == 1 and isinstance(base.items[0], PiecesValue):
        return base.items[0]
    raise OperationError("a list of which one loop fills a part", "use a list of its own for the loop")


def _backwards(run: Run, pieces: PiecesValue) -> PiecesValue:
    if pieces.axis is not None:
        raise OperationError("pieces of one axis in reverse order", "loop over the pieces in that order")
    return PiecesValue(layout.flip(run.builder, pieces.whole, (0,)), pieces.count)


def _part(run: Run, pieces: PiecesValue, bounds: slice) -> PiecesValue:
    given = (bounds.start, bounds.stop, bounds.step)
    if pieces.axis is None:
        index = SliceValue(*(None if bound is None else constant(bound) for bound in given))
        whole = ops.index(run.builder, pieces.whole, [index])
        return PiecesValue(whole, whole.shape[0])
    first = bounds.start or 0
    if given[1:] != (None, None) or first < 0 or pieces.size is None:
        raise OperationError("some of the pieces of one axis", "cut the axis before the loop")
    rest = SliceValue(extent(pieces.size * first), None, None)
    whole = ops.index(run.builder, pieces.whole, [*[SliceValue(None, None, None)] * pieces.axis, rest])
    return PiecesValue(whole, pieces.count - first, pieces.axis, pieces.size)


def changed(run: Run, node: ast.AST, base: SequenceValue, place: int, items: Sequence[Value], taken: int) -> None:
    """`items` in the place of `taken` items from `place` on."""
    after = place + taken

    def renewed() -> list[Value]:
        before = stretch(run, node, base, slice(0, place)).items if place else []
        behind = stretch(run, node, base, slice(after, None)).items if after or place >= 0 else []
        return [*before, *items, *behind]

    _refill(run, base, renewed)


def reverse(run: Run, node: ast.AST, base: SequenceValue) -> None:
    """`parts.reverse()`."""
    _refill(run, base, lambda: stretch(run, node, base, slice(None, None, -1)).items)


def _refill(run: Run, base: SequenceValue, renewed: Callable[[], list[Value]]) -> None:
    """New items; where they are not known the list is not known from here on, and the OperationError says why."""
    try:
        items = renewed()
    except OperationError as error:
        run.journal.refill(base.items, [UnknownValue(error.message)])
        raise
    run.journal.refill(base.items, items)


def pop(run: Run, node: ast.AST, base: SequenceValue, place: int) -> Value:
    """`parts.pop(place)`."""
    popped = item(run, node, base, constant(place))
    changed(run, node, base, place, [], 1)
    return popped
