"""Names of values that the golden leaves without one, by what they are: `row_max`, `exp_sum`, `mean_square`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from r0kit.golden.program import Kind, Step
from r0kit.golden.scalars import Constant

MOVED = frozenset(("cast", "reshape", "unsqueeze", "squeeze", "expand", "permute"))  # the value stays what it was

# (reduction, what feeds it) -> name; "" is anything else. m2 is the second central moment times its count.
STATISTICS = {
    ("sum", "exp"): "exp_sum",
    ("mean", "exp"): "exp_mean",
    ("amax", "abs"): "abs_max",
    ("sum", "abs"): "abs_sum",
    ("mean", "abs"): "abs_mean",
    ("sum", "square"): "square_sum",
    ("mean", "square"): "mean_square",
    ("mean", "deviation"): "variance",
    ("sum", "deviation"): "m2",
    ("amax", ""): "max",
    ("amin", ""): "min",
    ("sum", ""): "sum",
    ("mean", ""): "mean",
    ("prod", ""): "product",
    ("any", ""): "any",
    ("all", ""): "all",
    ("count_nonzero", ""): "count",
}
SPANNING = frozenset(("max", "min", "sum", "mean", "product", "any", "all", "count"))  # row_max, but exp_sum


@dataclass(frozen=True, slots=True)
class Values:
    """Steps by target; the values among them that are statistics: reduced over an axis, or made of such values; and
    those that are the whole of a composite call."""

    steps: Mapping[str, Step]
    statistics: frozenset[str]
    calls: frozenset[str] = frozenset()

    @staticmethod
    def of(steps: Iterable[Step]) -> Values:
        """The values of Steps in the order in which they run."""
        known: dict[str, Step] = {}
        found: set[str] = set()
        calls: set[str] = set()
        for step in steps:
            known[step.target] = step
            if step.origin:
                calls.add(step.target)
                calls -= {name for name in step.tensors if name in known and _one_call(known[name], step)}
            made_of = step.kind is not Kind.CONTRACTION and bool(step.tensors) and found.issuperset(step.tensors)
            if step.kind is Kind.REDUCTION or made_of:
                found.add(step.target)
        return Values(known, frozenset(found), frozenset(calls))

    def name(self, step: Step) -> str:
        """A name for the value of a Step: for a reduction what it is, with the span where that is rows or columns."""
        if step.op == "project":
            return self.result(step) or step.op
        if step.kind is not Kind.REDUCTION:
            called = step.origin if step.target in self.calls else ""
            return called or (self.product(step) if step.op in ("matmul", "einsum") else "") or step.op
        name = self.statistic(step)
        span = row_or_column(step) if name in SPANNING else ""
        return f"{span}_{name}" if span else "total" if name == "sum" else name

    def result(self, step: Step) -> str:
        """What the golden calls a result of a loop."""
        loop = self.steps.get(step.tensors[0])
        results = loop.attrs.get("results", ()) if loop else ()
        inside = {inner.target: inner.name for inner in loop.body} if loop else {}
        return inside.get(results[step.attrs["index"]].name, "") if step.attrs["index"] < len(results) else ""

    def product(self, step: Step) -> str:
        """A contraction of two values that the golden names: `qk`, `x_weight`."""
        roots = [self.root(name) for name in step.tensors[:2]]
        names = [self.steps[root].name if root in self.steps else root for root in roots]
        if len(names) < 2 or not all(name.isidentifier() for name in names) or names[0] == names[1]:
            return ""
        return ("" if all(len(name) == 1 for name in names) else "_").join(names)

    def statistic(self, step: Step) -> str:
        """What a reduction computes, by itself and what feeds it."""
        return STATISTICS.get((step.op, self.fed_by(step))) or STATISTICS.get((step.op, "")) or step.op

    def fed_by(self, step: Step) -> str:
        """The operation whose result is reduced: `square` for any spelling of it, `deviation` for (x - r)**2."""
        feed = self.steps.get(self.root(step.tensors[0])) if step.tensors else None
        if feed is None:
            return ""
        if not is_square(feed):
            return feed.op
        inner = self.steps.get(self.root(feed.tensors[0]))
        centred = inner is not None and inner.op == "sub" and not self.statistics.isdisjoint(inner.tensors)
        return "deviation" if centred else "square"

    def root(self, name: str) -> str:
        """The value that `name` is but for casts and layout."""
        step = self.steps.get(name)
        while step is not None and step.op in MOVED and step.tensors:
            name = step.tensors[0]
            step = self.steps.get(name)
        return name


def _one_call(before: Step, after: Step) -> bool:
    return (before.origin, before.span) == (after.origin, after.span)


def row_or_column(step: Step) -> str:
    """`row` where the last axis alone is reduced, `column` where the last but one is, else ""."""
    axes = tuple(step.attrs.get("axes", ()))
    rank = len(step.shape) + (0 if step.attrs.get("keepdim") else len(axes))
    if rank > 1 and axes == (rank - 1,):
        return "row"
    return "column" if rank > 1 and axes == (rank - 2,) else ""


def is_square(step: Step) -> bool:
    """Whether it is `x * x`, `x ** 2` or `square(x)`."""
    if step.op == "mul":
        return len(step.tensors) == 2 and step.tensors[0] == step.tensors[1]
    return step.op == "square" or (step.op == "pow" and step.operands[1:] in ((Constant(2),), (Constant(2.0),)))
