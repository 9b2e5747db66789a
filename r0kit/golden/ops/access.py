"""Axis relations of Steps that read or write at given places, and of those with sliding windows."""

from __future__ import annotations

from collections.abc import Sequence

from r0kit.golden.attributes import Range
from r0kit.golden.dims import Shape
from r0kit.golden.ops.axismap import AxisMap, Link, Place, Rule, aligned, unrelated
from r0kit.golden.program import Step


def _shifted(operand: int, dims: Sequence[int], targets: Sequence[int]) -> tuple[Link, ...]:
    """One link per dimension of an operand to its target."""
    return tuple(Link(((operand, dim),), (target,)) for dim, target in zip(dims, targets, strict=True))


def _dims_of(operand: int, shape: Shape) -> tuple[Place, ...]:
    return tuple((operand, dim) for dim in range(len(shape)))


# Reads


def _gather(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """torch.gather: the index's dimensions are the result's; it may cover less of the others than the operand has."""
    axis = step.attrs["axis"]
    rank = len(step.shape)
    kept = tuple(
        Link(((0, dim),), (dim,), partial=shapes[0][dim] != step.shape[dim]) for dim in range(rank) if dim != axis
    )
    return AxisMap((*kept, *_shifted(1, range(rank), range(rank))))


def _index_select(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    axis = step.attrs["axis"]
    kept = [dim for dim in range(len(shapes[0])) if dim != axis]
    return AxisMap((*_shifted(0, kept, kept), *_shifted(1, range(len(shapes[1])), [axis] * len(shapes[1]))))


def _embedding(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """Rows of the table (operand 0) at the places of the index (operand 1)."""
    rank, index = len(step.shape), len(shapes[1])
    return AxisMap(
        (*_shifted(0, range(1, len(shapes[0])), range(index, rank)), *_shifted(1, range(index), range(index)))
    )


def _index(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """Index tensors on `axes`; the `count` dimensions that they give together stand at `at` of the result."""
    axes, at, count = step.attrs["axes"], step.attrs["at"], step.attrs["count"]
    kept = [dim for dim in range(len(shapes[0])) if dim not in axes]
    links = _shifted(0, kept, [place if place < at else place + count for place in range(len(kept))])
    for operand, shape in enumerate(shapes[1:], start=1):
        dims = [dim for dim in range(len(shape)) if shape[dim].const != 1]
        links += _shifted(operand, dims, [at + count - len(shape) + dim for dim in dims])
    return AxisMap(links)


def _index_mask(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """What a mask keeps is packed: where a value lands depends on all of the mask."""
    places, at = step.attrs["axes"], step.attrs["at"]
    covered = {axis + more for axis, shape in zip(places, shapes[1:], strict=True) for more in range(len(shape))}
    kept = [dim for dim in range(len(shapes[0])) if dim not in covered]
    links = _shifted(0, kept, [place if place < at else place + 1 for place in range(len(kept))])
    masks = tuple(place for operand in range(1, len(shapes)) for place in _dims_of(operand, shapes[operand]))
    return AxisMap(links, (*((0, axis) for axis in sorted(covered)), *masks))


def _searchsorted(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """The sequence (operand 0) is looked into along its last axis."""
    lead = range(len(shapes[0]) - 1)
    values = range(len(step.shape)) if len(shapes) > 1 else ()
    return AxisMap((*_shifted(0, lead, lead), *_shifted(1, values, values)))


def _isin(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    rank = range(len(step.shape))
    return AxisMap(
        _shifted(0, rank, rank), tuple(place for n in range(1, len(shapes)) for place in _dims_of(n, shapes[n]))
    )


# Writes


def _scatter(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """Index and source are needed whole along the axis that is written at given places."""
    axis, rank = step.attrs["axis"], len(step.shape)
    links = list(_shifted(0, range(rank), range(rank)))
    whole: list[Place] = []
    for operand, shape in enumerate(shapes[1:], start=1):
        for dim, extent in enumerate(shape):
            if dim == axis:
                whole.append((operand, dim))
            else:
                links.append(Link(((operand, dim),), (dim,), partial=extent != step.shape[dim]))
    return AxisMap(tuple(links), tuple(whole))


def _index_update(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """index_add and its family: a vector of places, and a source whose `axis` goes with it."""
    axis, rank = step.attrs["axis"], len(step.shape)
    links = list(_shifted(0, range(rank), range(rank)))
    whole: list[Place] = list(_dims_of(1, shapes[1]))
    source = shapes[2] if len(shapes) > 2 else ()
    if len(source) == rank:
        kept = [dim for dim in range(rank) if dim != axis]
        links += [*_shifted(2, kept, kept), Link(((1, 0), (2, axis)), ())] if shapes[1] else _shifted(2, kept, kept)
        whole.append((2, axis))
    return AxisMap(tuple(links), tuple(whole))


def _index_put(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """The first operand keeps its dimensions; index tensors and what is stored are needed whole."""
    rank = range(len(step.shape))
    rest = tuple(place for operand in range(1, len(shapes)) for place in _dims_of(operand, shapes[operand]))
    return AxisMap(_shifted(0, rank, rank), rest)


def _masked_scatter(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """Which of the stored values lands where depends on all of the mask before it."""
    base = aligned(step, shapes[:2])
    return AxisMap(base.links, (*_dims_of(1, shapes[1]), *_dims_of(2, shapes[2])))


def _slice_store(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """What is stored covers a part of each axis that the region takes as a range."""
    rank = range(len(step.shape))
    links = list(_shifted(0, rank, rank))
    if len(shapes) > 1:
        ranges = [axis for axis, part in enumerate(step.attrs["region"]) if isinstance(part, Range)]
        for dim, axis in enumerate(ranges):
            if shapes[1][dim].const != 1:
                links.append(Link(((1, dim),), (axis,), partial=shapes[1][dim] != step.shape[axis]))
    return AxisMap(tuple(links))


# Windows and diagonals


def _pooled(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """The last axes are seen through windows, the others kept."""
    spatial = len(step.attrs["windows"]) if "windows" in step.attrs else step.attrs["spatial"]
    rank = len(step.shape)
    return aligned(step, shapes, frozenset(range(rank - spatial, rank)))


def _grid_sample(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """The image's spatial axes are looked into; those of the grid are the result's."""
    spatial = range(1, len(shapes[1]) - 1)
    places = [Link(((1, dim),), (dim + 1,)) for dim in spatial]
    return AxisMap((*_shifted(0, (0, 1), (0, 1)), Link(((1, 0),), (0,)), *places), ((1, len(shapes[1]) - 1),))


def _im2col(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """`[B, C, H, W]` to `[B, C * kh * kw, L]`."""
    return AxisMap(
        (Link(((0, 0),), (0,)), Link(((0, 1),), (1,), partial=True), Link(((0, 2), (0, 3)), (2,), partial=True))
    )


def _col2im(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    return AxisMap((Link(((0, 0),), (0,)), Link(((0, 1),), (1,), partial=True), Link(((0, 2),), (2, 3), partial=True)))


def _unfold(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    axis, rank = step.attrs["axis"], len(shapes[0])
    kept = [dim for dim in range(rank) if dim != axis]
    return AxisMap((*_shifted(0, kept, kept), Link(((0, axis),), (axis, rank), partial=True)))


def _diagonal(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    pair = step.attrs["axes"]
    kept = [dim for dim in range(len(shapes[0])) if dim not in pair]
    both = Link(((0, pair[0]), (0, pair[1])), (len(kept),), partial=True)
    return AxisMap((*_shifted(0, kept, range(len(kept))), both))


def _diag_embed(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    pair = step.attrs["axes"]
    kept = [dim for dim in range(len(step.shape)) if dim not in pair]
    return AxisMap((*_shifted(0, range(len(kept)), kept), Link(((0, len(kept)),), tuple(pair), partial=True)))


def _repeat_rows(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """repeat_interleave with counts from a tensor: where a row lands depends on the counts before it."""
    axis = step.attrs["axis"]
    base = aligned(step, shapes[:1], frozenset({axis}))
    return AxisMap(base.links, _dims_of(1, shapes[1]))


# Orders


def _quantile(step: Step, shapes: Sequence[Shape]) -> AxisMap:
    """One axis ends; a vector of fractions (operand 1) becomes the first axis."""
    axis = step.attrs["axis"]
    lead = len(shapes[1]) if len(shapes) > 1 else 0
    kept = [dim for dim in range(len(shapes[0])) if dim != axis]
    gap = len(step.shape) - lead - len(kept)
    targets = [lead + place + (gap if place >= axis else 0) for place in range(len(kept))]
    fractions = _shifted(1, range(lead), range(lead)) if lead else ()
    return AxisMap((*_shifted(0, kept, targets), *fractions), ((0, axis),))


RULES: dict[str, Rule] = {
    "gather": _gather,
    "index_select": _index_select,
    "embedding": _embedding,
    "index": _index,
    "index_mask": _index_mask,
    "nonzero": unrelated,
    "unique": unrelated,
    "bincount": unrelated,
    "histc": unrelated,
    "searchsorted": _searchsorted,
    "isin": _isin,
    **dict.fromkeys(("scatter", "scatter_add", "scatter_reduce"), _scatter),
    **dict.fromkeys(("index_add", "index_copy", "index_fill"), _index_update),
    "index_put": _index_put,
    "masked_scatter": _masked_scatter,
    "slice_store": _slice_store,
    **dict.fromkeys(("max_pool", "max_pool_indices", "avg_pool", "lp_pool"), _pooled),
    **dict.fromkeys(("adaptive_avg_pool", "adaptive_max_pool", "adaptive_max_pool_indices"), _pooled),
    "interpolate": _pooled,
    "grid_sample": _grid_sample,
    "im2col": _im2col,
    "col2im": _col2im,
    "unfold": _unfold,
    "diagonal": _diagonal,
    "diag_embed": _diag_embed,
    "repeat_rows": _repeat_rows,
    **dict.fromkeys(("quantile", "nanquantile"), _quantile),
    **dict.fromkeys(("kthvalue_values", "kthvalue_indices", "mode_values", "mode_indices"), _quantile),
}
