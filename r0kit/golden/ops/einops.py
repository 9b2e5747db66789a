"""einops patterns as the layout Steps that they are: take axes apart, reduce or permute them, put them together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, Shape, product
from r0kit.golden.ops.contraction import same_dtype
from r0kit.golden.ops.einsum import einsum as contracted
from r0kit.golden.ops.layout import expand, permute, reshape, stack, unsqueeze
from r0kit.golden.ops.reduction import reduce
from r0kit.golden.ops.row import Call, Operation, items_of, row
from r0kit.golden.values import DictValue, SequenceValue, TensorValue, Value

Group = tuple[str, ...]  # axes that are one dimension; () is a dimension of extent 1


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a pattern: its dimensions, each made of named axes; an ellipsis stands for axes ".0", ".1", ..."""

    groups: tuple[Group, ...]

    @property
    def axes(self) -> tuple[str, ...]:
        return tuple(axis for group in self.groups for axis in group)


def parse_side(text: str, covered: int) -> Side:
    """`b (h d) 1 ...` with `covered` dimensions under the ellipsis."""
    groups: list[Group] = []
    rest = text.replace("(", " ( ").replace(")", " ) ").split()
    while rest:
        token = rest.pop(0)
        if token == "(":
            close = rest.index(")") if ")" in rest else len(rest)
            inner, rest = rest[:close], rest[close + 1 :]
            groups.append(tuple(axis for name in inner for axis in _axes(name, covered)))
        elif token == "...":
            groups += [(axis,) for axis in _axes(token, covered)]
        else:
            groups.append(_axes(token, covered))
    return Side(tuple(groups))


def _axes(name: str, covered: int) -> Group:
    if name == "...":
        return tuple(f".{place}" for place in range(covered))
    if name == "1":
        return ()
    if not name.isidentifier():
        raise OperationError(f"einops axis {name!r} is neither a name nor 1", "name the axis, and give its length")
    return (name,)


def _sides(call: Call, value: TensorValue) -> tuple[Side, Side]:
    left, arrow, right = call.word("pattern").partition("->")
    if not arrow:
        raise OperationError("an einops pattern needs '->'")
    plain = left.replace("(", " ( ").replace(")", " ) ").split()
    depth, dims = 0, 0
    for token in plain:
        dims += depth == 0 and token not in (")", "...")
        depth += (token == "(") - (token == ")")
    return parse_side(left, value.rank - dims), parse_side(right, value.rank - dims)


def _lengths(call: Call) -> dict[str, Dim]:
    """Axis lengths given as keywords."""
    given = call["lengths"]
    assert isinstance(given, DictValue)
    return {str(name): call.builder.extent(value, str(name)) for name, value in given.items.items()}


def _apart(
    builder: Builder, value: TensorValue, side: Side, lengths: Mapping[str, Dim]
) -> tuple[TensorValue, dict[str, Dim]]:
    """The value with one dimension per axis, and the extent of each; units are gone."""
    if len(side.groups) != value.rank:
        raise OperationError(f"an einops pattern of {len(side.groups)} dimensions for {value.rank}")
    extents: dict[str, Dim] = dict(lengths)
    for group, extent in zip(side.groups, value.shape, strict=True):
        _solve(builder, group, extent, extents)
    shape = tuple(extents[axis] for axis in side.axes)
    return reshape(builder, value, shape), extents


def _solve(builder: Builder, group: Group, extent: Dim, extents: dict[str, Dim]) -> None:
    """The one axis of a group whose length is not given."""
    missing = [axis for axis in group if axis not in extents]
    known = product(extents[axis] for axis in group if axis in extents)
    if len(missing) > 1:
        raise OperationError(f"einops cannot tell the lengths of {', '.join(missing)}", "give all but one")
    if missing:
        extents[missing[0]] = builder.divides(extent, known, "einops") if group != (missing[0],) else extent
    else:
        builder.same(extent, known, "einops")


def _together(
    builder: Builder, value: TensorValue, axes: Sequence[str], side: Side, extents: Mapping[str, Dim]
) -> TensorValue:
    """Axes in the order of the right side, merged as it says."""
    value = permute(builder, value, [axes.index(axis) for axis in side.axes])
    shape: Shape = tuple(product(extents[axis] for axis in group) for group in side.groups)
    return reshape(builder, value, shape)


def _tensor(call: Call) -> TensorValue:
    value = call["tensor"]
    if isinstance(value, SequenceValue):
        return stack(call.builder, call.tensors("tensor"), 0)
    return call.tensor("tensor")


def _rearrange(call: Call) -> Value:
    builder, value = call.builder, _tensor(call)
    left, right = _sides(call, value)
    if sorted(left.axes) != sorted(right.axes):
        raise OperationError("rearrange needs the same axes on both sides", "use reduce or repeat")
    with builder.composite("rearrange"):
        value, extents = _apart(builder, value, left, _lengths(call))
        return _together(builder, value, left.axes, right, extents)


def _reduce(call: Call) -> Value:
    builder, value = call.builder, _tensor(call)
    left, right = _sides(call, value)
    ops = {"sum": "sum", "mean": "mean", "max": "amax", "min": "amin", "prod": "prod", "any": "any", "all": "all"}
    how = ops.get(call.word("reduction"))
    if how is None:
        raise OperationError(f"einops reduction {call.word('reduction')!r}")
    with builder.composite("reduce"):
        value, extents = _apart(builder, value, left, _lengths(call))
        gone = [place for place, axis in enumerate(left.axes) if axis not in right.axes]
        value = reduce(builder, how, value, gone) if gone else value
        kept = [axis for axis in left.axes if axis in right.axes]
        return _together(builder, value, kept, right, extents)


def _repeat(call: Call) -> Value:
    builder, value = call.builder, _tensor(call)
    left, right = _sides(call, value)
    with builder.composite("repeat"):
        value, extents = _apart(builder, value, left, _lengths(call))
        new = [axis for axis in right.axes if axis not in left.axes]
        if missing := [axis for axis in new if axis not in extents]:
            raise OperationError(f"einops repeat needs the length of {', '.join(missing)}")
        value = unsqueeze(builder, value, range(len(new)))
        value = expand(builder, value, (*(extents[axis] for axis in new), *value.shape[len(new) :]))
        return _together(builder, value, [*new, *left.axes], right, extents)


def _einsum(call: Call) -> Value:
    """einops.einsum: the pattern last, axes as words."""
    *tensors, pattern = items_of(call["operands"])
    equation = str(call.builder.fold(pattern, "pattern"))
    words = dict.fromkeys(w for w in equation.replace("->", " ").replace(",", " ").split() if w != "...")
    letters = {word: chr(ord("a") + place) for place, word in enumerate(words)}
    sides = [[[letters.get(w, w) for w in term.split()] for term in side.split(",")] for side in equation.split("->")]
    written = "->".join(",".join("".join(term) for term in side) for side in sides)
    values = [tensor for tensor in tensors if isinstance(tensor, TensorValue)]
    same_dtype("einsum", values)
    with call.builder.composite("einsum"):
        return contracted(call.builder, written, values)


_RULES: Mapping[str, Callable[[Call], Value]] = {"rearrange": _rearrange, "repeat": _repeat}
ROWS: list[Operation] = [
    *(row(name, f"einops.{name}", "(tensor, pattern, **lengths)", rule) for name, rule in _RULES.items()),
    row("reduce", "einops.reduce", "(tensor, pattern, reduction, **lengths)", _reduce),
    row("einsum", "einops.einsum", "(*operands)", _einsum),
]
