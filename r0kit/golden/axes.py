"""Axes: which dimensions of which values are one and the same axis of the operator's data.

Every dimension of every value is a list of atoms. Elementwise Steps, contractions and layout Steps say which dimensions
of their operands go into which dimensions of their result (`golden.ops.axes`); unifying those lists joins atoms that are
the same axis and splits atoms where a reshape takes an axis apart, so that `[B, H*D]` and `[B, H, D]` share H and D.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from r0kit.golden import ops
from r0kit.golden.attributes import symbols_of
from r0kit.golden.dims import Dim, Shape, product
from r0kit.golden.program import Kind, Program, Step

Atoms = frozenset[int]


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of the Program: its name (a symbol of SPEC where it has one), extent, and bound (None: unbounded)."""

    id: int
    name: str
    extent: Dim
    bound: int | None


_MOST_ATOMS = 32  # of two shapes that are matched; rolled windows would take each other apart without end


class Atomic:
    """Union-find over atoms that can also be taken apart."""

    def __init__(self, exact: Iterable[tuple[Dim, Dim]] = ()) -> None:
        self.extents: list[Dim] = []
        self._parent: list[int] = []
        self._parts: dict[int, tuple[int, ...]] = {}
        self._exact = tuple(exact)

    def new(self, extent: Dim) -> tuple[int, ...]:
        """A fresh axis of `extent`; none where the extent is 1."""
        if extent.const == 1:
            return ()
        self.extents.append(extent)
        self._parent.append(len(self._parent))
        return (len(self._parent) - 1,)

    def flat(self, atoms: Iterable[int]) -> list[int]:
        """Representatives of `atoms`, those taken apart replaced by their parts."""
        result: list[int] = []
        for atom in atoms:
            root = self._root(atom)
            result.extend(self.flat(self._parts[root]) if root in self._parts else [root])
        return result

    def unify(self, left: Iterable[int], right: Iterable[int]) -> None:
        """Both sides are the same stretch of data, outermost first: match them from both ends, and take apart the rest."""
        a, b = self.flat(left), self.flat(right)
        while a and b and self._matches(a[-1], b[-1]):
            self._join(a[-1], b[-1])
            a, b = self.flat(a[:-1]), self.flat(b[:-1])
        while a and b:
            if len(a) + len(b) > _MOST_ATOMS:
                self._join_all(a + b)
                return
            if self._matches(a[0], b[0]):
                self._join(a[0], b[0])
                a, b = a[1:], b[1:]
            elif not self._split(a, b) and not self._split(b, a):
                self._equate(a, b)
                return
            a, b = self.flat(a), self.flat(b)

    def _matches(self, left: int, right: int) -> bool:
        return left == right or self.extents[left] == self.extents[right]

    def _equate(self, left: list[int], right: list[int]) -> None:
        """Two stretches that algebra cannot match: one atom is made of the others; several against several are one."""
        if len(left) == 1 and left[0] not in right:
            self._parts[left[0]] = tuple(right)
        elif len(right) == 1 and right[0] not in left:
            self._parts[right[0]] = tuple(left)
        else:
            # One that is joined already counts once.
            extent = product(self.extents[atom] for atom in dict.fromkeys(left))
            self._join_all(left + right)
            self.extents[self._root(left[0])] = extent

    def join(self, left: Iterable[int], right: Iterable[int]) -> None:
        """One side is a part of the other (a slice): the same axis, whatever the extents."""
        self._join_all(self.flat(left) + self.flat(right))

    def _root(self, atom: int) -> int:
        while self._parent[atom] != atom:
            self._parent[atom] = self._parent[self._parent[atom]]
            atom = self._parent[atom]
        return atom

    def _join(self, a: int, b: int) -> None:
        keep, drop = min(a, b), max(a, b)
        self._parent[drop] = keep

    def _join_all(self, atoms: Sequence[int]) -> None:
        for atom in atoms[1:]:
            first, other = self._root(atoms[0]), self._root(atom)
            if first != other:
                self._join(first, other)

    def _split(self, whole: list[int], part: list[int]) -> bool:
        """Take whole[0] apart into part[0] and a rest, where part[0] divides it and more of the part side follows."""
        extent, first = self.extents[whole[0]], self.extents[part[0]]
        if len(part) < 2 or first.const == 0:
            return False
        rest = (extent // first).assuming(self._exact)
        if (rest * first).assuming(self._exact) != extent:
            return False
        self._parts[whole[0]] = (part[0], *self.new(rest))
        return True


class Axes:
    """The axes of one Program. Atoms are opaque numbers; `describe` gives them their names."""

    def __init__(self, program: Program) -> None:
        exact = [(c.right, factor) for c in program.constraints for factor in _divisors(c.left, c.right)]
        self._atomic = Atomic(exact)
        self._dims: dict[str, list[tuple[int, ...]]] = {}
        self._whole: dict[str, tuple[int, ...]] = {}
        self._ordered: dict[str, int] = {}
        self._loops: dict[str, tuple[Step, tuple[int, ...]]] = {}
        self._inside: dict[str, list[int]] = {}
        self._trips: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        self.shapes: dict[str, Shape] = {value.name: value.shape for value in program.inputs}
        for value in program.inputs:
            self._dims[value.name] = [self._atomic.new(extent) for extent in value.shape]
        for step in program.steps:
            self._relate(step)

    def of(self, value: str, dim: int) -> Atoms:
        """Axes of one dimension of a value (several where it was merged from several; none where its extent is 1)."""
        return frozenset(self._atomic.flat(self._dims[value][dim]))

    def all_of(self, value: str) -> Atoms:
        """Axes of a value."""
        return frozenset(self._atomic.flat(chain.from_iterable(self._dims[value])))

    def whole(self, step: Step) -> Atoms:
        """Axes that the Step needs from end to end before its result exists: reduced, sorted, selected from."""
        return frozenset(self.needed(step))

    def needed(self, step: Step) -> list[int]:
        """The axes of `whole`, in the order of the operands' dimensions."""
        return self._atomic.flat(self._whole[step.target])

    def space(self, step: Step) -> Atoms:
        """Axes that the Step runs over: those of its result, and those it needs whole.

        Those of a loop are those of its body; to take what it leaves is no run of its own.
        """
        if step.op == "project" and step.tensors[0] in self._loops:
            return frozenset()
        inside = frozenset(self._atomic.flat(self._inside.get(step.target, ())))
        return self.all_of(step.target) | self.whole(step) | inside

    def extent(self, atom: int) -> Dim:
        return self._atomic.extents[atom]

    def name(self, atom: int) -> str:
        """Its symbol or the expression of its extent; told apart where two axes share it (`N`, `N_2`)."""
        return self._names[atom]

    def described(self, bounds: Mapping[str, int]) -> list[Axis]:
        """Every axis, in order of first appearance."""
        return [
            Axis(atom, name, self.extent(atom), bound_of(self.extent(atom), bounds))
            for atom, name in self._names.items()
        ]

    @cached_property
    def _names(self) -> dict[int, str]:
        atoms = dict.fromkeys(self._atomic.flat(chain.from_iterable(chain.from_iterable(self._dims.values()))))
        same = self._of_trips()
        names: dict[int, str] = {}
        taken: dict[str, int] = {}
        for atom in atoms:
            if same.get(atom, atom) in names:
                names[atom] = names[same[atom]]
                continue
            name = str(self.extent(atom))
            taken[name] = taken.get(name, 0) + 1
            names[atom] = f"{name}_{taken[name]}" if taken[name] > 1 else name
        return names

    def _of_trips(self) -> dict[int, int]:
        """Axes that a loop fills trip by trip -> the axis that its trips run over: two axes in one order, so one name."""
        pairs = ((self._atomic.flat(made), self._atomic.flat(trips)) for made, trips in self._trips)
        return {a[0]: b[0] for a, b in pairs if len(a) == len(b) == 1 and a != b}

    def _relate(self, step: Step) -> None:
        if step.op == "loop":
            self._relate_loop(step)
            return
        if step.op == "project" and step.tensors[0] in self._loops:
            self._relate_result(step, *self._loops[step.tensors[0]])
            return
        tensors = [self._dims[name] for name in step.tensors]
        relation = ops.axes(step, [self.shapes[name] for name in step.tensors])
        dims: list[tuple[int, ...] | None] = [None] * len(step.shape)
        for link in relation.links:
            if link.partial and self._selects(step):
                continue
            self._link(step, dims, [tensors[operand][dim] for operand, dim in link.sources], link)
        self.shapes[step.target] = step.shape
        if step.kind is Kind.ORDERING and "axis" in step.attrs:
            self._ordered[step.target] = step.attrs["axis"]
        self._dims[step.target] = [
            self._atomic.new(step.shape[i]) if atoms is None else atoms for i, atoms in enumerate(dims)
        ]
        needed = [atom for operand, dim in relation.whole for atom in tensors[operand][dim]]
        self._whole[step.target] = tuple(needed)

    def _relate_loop(self, loop: Step) -> None:
        """The axes of its body are its own; it needs whole what its trips run over and what they reduce."""
        for inner in loop.body:
            if inner.op == "carried" and inner.tensors[0] in self._dims:
                self.shapes[inner.target], self._whole[inner.target] = inner.shape, ()
                self._dims[inner.target] = list(self._dims[inner.tensors[0]])
            else:
                self._relate(inner)
        for inner in loop.body:
            if inner.op == "carried" and set(inner.tensors) <= self._dims.keys():
                for before, after in zip(*(self._dims[name] for name in inner.tensors[:2]), strict=False):
                    self._atomic.unify(before, after)
        trips = [atom for inner in loop.body for atom in self._tripped(inner, loop, "select")]
        for other in trips[1:]:  # all tensors that a trip takes a place from are run over together
            if self._atomic.extents[other] == self._atomic.extents[trips[0]]:
                self._atomic.unify(trips[:1], (other,))
        self._trips += [
            ((atom,), tuple(trips)) for inner in loop.body for atom in self._tripped(inner, loop, "slice_store")
        ]
        self._loops[loop.target] = (loop, tuple(trips[:1]))
        inside = [atom for inner in loop.body for atom in self._whole[inner.target]]
        self._inside[loop.target] = [atom for inner in loop.body for dim in self._dims[inner.target] for atom in dim]
        self._whole[loop.target] = tuple(dict.fromkeys([*trips, *inside]))
        self.shapes[loop.target] = loop.shape
        self._dims[loop.target] = self._result(loop, 0, loop.shape)

    def _tripped(self, inner: Step, loop: Step, op: str) -> list[int]:
        """The axis along which the Step of a body takes or fills the place of its trip."""
        trip = str(loop.attrs["trip"])
        if inner.op != op or not inner.tensors:
            return []
        dims = self._dims[inner.tensors[0]]
        if op == "select":
            found = [dims[inner.attrs["axis"]]] if trip in symbols_of(inner.attrs.get("index")) else []
        else:
            places = zip(dims, inner.attrs.get("region", ()), strict=False)
            found = [dim for dim, place in places if trip in symbols_of(place)]
        return [atom for dim in found for atom in dim]

    def _result(self, loop: Step, index: int, shape: Shape) -> list[tuple[int, ...]]:
        results = loop.attrs.get("results", ())
        name = results[index].name if index < len(results) else ""
        known = self._dims.get(name)
        return list(known) if known and len(known) == len(shape) else [self._atomic.new(extent) for extent in shape]

    def _relate_result(self, step: Step, loop: Step, trips: tuple[int, ...]) -> None:
        """What a loop leaves: the axes of the value in its body, and of all trips in front where they are stacked."""
        self.shapes[step.target], self._whole[step.target] = step.shape, ()
        stacked = bool(step.attrs.get("stacked"))
        front = [self._atomic.new(step.shape[0])] if stacked else []
        self._trips += [(atoms, trips) for atoms in front]
        self._dims[step.target] = front + self._result(loop, step.attrs["index"], step.shape[stacked:])

    def _selects(self, step: Step) -> bool:
        """Whether the Step takes a fixed number of places from a sorted axis: a selection, no traversal of that axis."""
        axis = step.attrs.get("axis")
        fixed = step.op == "slice" and step.shape[step.attrs["axis"]].const is not None
        return fixed and self._ordered.get(step.tensors[0]) == axis

    def _link(
        self, step: Step, dims: list[tuple[int, ...] | None], sources: list[tuple[int, ...]], link: ops.Link
    ) -> None:
        """Source atoms go into the target dimensions; those not yet known take them over or are made new."""
        if not link.targets:
            for other in sources[1:]:
                self._atomic.unify(sources[0], other)
            return
        atoms = tuple(chain.from_iterable(sources))
        for target in link.targets:
            if dims[target] is None:
                alone = len(link.targets) == 1 and not link.partial
                dims[target] = atoms if alone and atoms else self._atomic.new(step.shape[target])
        merged = list(chain.from_iterable(dims[target] or () for target in link.targets))
        if atoms and merged:
            (self._atomic.join if link.partial else self._atomic.unify)(atoms, merged)


def bound_of(extent: Dim, bounds: Mapping[str, int]) -> int | None:
    """The largest value of an extent when its symbols are at their bounds; None where one has none."""
    try:
        return extent.evaluate(bounds)
    except (KeyError, ZeroDivisionError):
        return None


def _divisors(left: Dim, right: Dim) -> Iterable[Dim]:
    """Factors d with `d * (right // d) == left` by form: what a recorded divisibility says."""
    for name in left.symbols:
        factor = Dim.of(name)
        if factor * (right // factor) == left:
            yield factor
    for monomial, scale in left.terms:
        if scale > 1 and monomial:
            yield Dim.of(scale)
