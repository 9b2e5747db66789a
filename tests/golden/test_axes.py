"""Axis relations against torch: a change at one place of an operand may show only where the relation says it goes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from r0kit.golden import ops
from r0kit.golden.axes import Atomic
from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim, Shape
from r0kit.golden.ops.axismap import AxisMap, Link, Place
from r0kit.golden.program import Kind, Ref, Step
from r0kit.golden.values import TensorValue
from tests.golden.oracle import SIZES, Reader, namespace, operand_text, run_steps
from tests.golden.test_operations import BY_ROW, Group, made

torch = pytest.importorskip("torch")

# Steps that look up a place: the dimension ends, and is not needed whole.
LOOKUPS = {"select", "slice", "gather", "index_select", "embedding", "index", "searchsorted", "grid_sample"}


@dataclass(frozen=True)
class Trial:
    """One Step that can be evaluated again with a changed operand; shapes: of its tensor operands, symbolic."""

    step: Step
    texts: list[str]
    shapes: list[Shape]
    values: dict[str, Any]
    sizes: dict[str, int]

    @property
    def names(self) -> list[str]:
        return [t for t, operand in zip(self.texts, self.step.operands, strict=True) if isinstance(operand, Ref)]

    def check(self, relation: AxisMap, place: Place, name: str) -> None:
        """Change one index of a dimension; the result may differ only at that index of the linked dimensions."""
        link = next((link for link in relation.links if place in link.sources), None)
        value = self.values[name]
        if link is None or link.partial or not link.targets or not value.dtype.is_floating_point:
            return
        at = value.shape[place[1]] // 2
        changed = value.clone()
        changed.select(place[1], at).add_(0.37)
        before, after = self.run(place[0], value), self.run(place[0], changed)
        for index in differences(before, after):
            reached = source_index([index[target] for target in link.targets], before.shape, link, place, value.shape)
            fits = reached == at or (self.step.kind is Kind.SCAN and reached >= at)
            assert fits, f"{self.step.op} {self.shapes}: {link}: a change at {at} shows at {reached}"

    def run(self, number: int, value: Any) -> Any:
        """The Step's value with one of its tensor operands replaced."""
        places = [place for place, operand in enumerate(self.step.operands) if isinstance(operand, Ref)]
        texts = ["changed" if place == places[number] else text for place, text in enumerate(self.texts)]
        text = ops.torch_text(self.step, texts, lambda dim: str(dim.evaluate(self.sizes)))
        return eval(text, {**self.values, "changed": value})


def trials(text: str) -> Iterator[Trial]:
    """Every Step of an expression."""
    reader = Reader()
    try:
        reader.read(ast.parse(text, mode="eval").body)
    except (OperationError, NotImplementedError):
        return
    sizes = dict(SIZES)
    known = {name: value.shape for name, value in reader.names.items() if isinstance(value, TensorValue)}
    known |= {step.target: step.shape for step in reader.builder.steps}
    values = run_steps(reader.builder.steps, namespace(torch, made()), sizes)
    for step in reader.builder.steps:
        if step.kind not in (Kind.RANDOM, Kind.OPAQUE) and step.op != "empty":
            texts = [operand_text(operand, sizes) for operand in step.operands]
            yield Trial(step, texts, [known[name] for name in step.tensors], values, sizes)


@BY_ROW
def test_relation_holds(group: Group) -> None:
    for trial in (trial for text in group.firsts for trial in trials(text)):
        relation = ops.axes(trial.step, trial.shapes)
        for number, name in enumerate(trial.names):
            for dim, extent in enumerate(trial.values[name].shape):
                if extent > 1:
                    accounted(trial.step, relation, (number, dim))
                    trial.check(relation, (number, dim), name)


def accounted(step: Step, relation: AxisMap, place: Place) -> None:
    linked = any(place in link.sources for link in relation.links)
    assert linked or place in relation.whole or step.op in LOOKUPS, f"{step.op}: nothing about {place}"


def differences(before: Any, after: Any) -> list[list[int]]:
    """Where two results differ by more than rounding; two NaNs are alike."""
    close = torch.isclose(before.double(), after.double(), rtol=1e-4, atol=1e-6, equal_nan=True)
    found: list[list[int]] = (~close).nonzero().tolist()
    return found


def source_index(index: list[int], shape: Any, link: Link, place: Place, extents: Any) -> int:
    """The index along the source dimension that an index along the target dimensions stands for."""
    flat = 0
    for target, position in zip(link.targets, index, strict=True):
        flat = flat * shape[target] + position
    for operand, dim in reversed([source for source in link.sources if source[0] == place[0]]):
        if (operand, dim) == place:
            return int(flat % extents[dim])
        flat //= extents[dim]
    raise AssertionError(f"{place} is not in {link}")


def test_axes_that_are_one_already_count_once_where_more_are_joined() -> None:
    atomic = Atomic()
    x, y = atomic.new(Dim.of(6)), atomic.new(Dim.of(10))
    for _ in range(5):
        atomic.unify(x + y, atomic.new(Dim.of(7)) + x + atomic.new(Dim.of(11)))
    assert atomic.extents[atomic.flat(x)[0]] == Dim.of(60)


def test_shapes_of_very_many_parts_are_one_axis() -> None:
    atomic = Atomic()
    left = tuple(atom for _ in range(20) for atom in atomic.new(Dim.of(2)))
    right = tuple(atom for _ in range(20) for atom in atomic.new(Dim.of(3)))
    atomic.unify(left, right)
    assert len(set(atomic.flat(left + right))) == 1
