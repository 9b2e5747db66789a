"""What the cube path does to an accumulator itself: bias, then a scale where only a cast follows (design.md 6.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from r0kit.golden.dims import Shape
from r0kit.golden.dtypes import is_float
from r0kit.golden.program import Kind, Program, Step


@dataclass(frozen=True, slots=True)
class _View:
    """The Program's Steps, shapes and readers by name."""

    steps: Mapping[str, Step]
    shapes: Mapping[str, Shape]
    consumers: Mapping[str, Sequence[Step]]
    finals: frozenset[str]


def epilogues(program: Program) -> frozenset[str]:
    """Targets of the Steps on accumulators that stay in the cube section."""
    steps = {step.target: step for step in program.steps}
    shapes = {value.name: value.shape for value in program.inputs} | {name: step.shape for name, step in steps.items()}
    finals = frozenset(output.value for output in program.outputs)
    view = _View(steps, shapes, consumers_of(program), finals)
    found: set[str] = set()
    for step in program.steps:
        if step.kind is Kind.CONTRACTION:
            found.update(_without_open_scale(list(_chain(step, view)), view))
    return frozenset(found)


def consumers_of(program: Program) -> dict[str, list[Step]]:
    """The Steps that read each value, in order, each once."""
    found: dict[str, list[Step]] = {}
    for step in program.steps:
        for name in dict.fromkeys(step.tensors):
            found.setdefault(name, []).append(step)
    return found


def folds(step: Step) -> bool:
    """Whether the Step only moves, retypes or creates data, so that a contraction takes it in with its operand."""
    return step.kind in (Kind.LAYOUT, Kind.CREATION) or step.op == "cast"


def _chain(contraction: Step, view: _View) -> Iterator[Step]:
    """Bias, scale and cast, in that order, each the only reader of what is before it."""
    current, stage = contraction, 0
    while current.target not in view.finals and len(view.consumers.get(current.target, ())) == 1:
        following = view.consumers[current.target][0]
        reached = _stage(following, current, view, stage)
        if reached is None:
            return
        yield following
        current, stage = following, reached


_BIAS, _WIDEN, _SCALE, _CAST = 1, 2, 3, 4


def _stage(step: Step, accumulator: Step, view: _View, stage: int) -> int | None:
    """Which stage of an epilogue `step` is, or None where it is no part of one.

    A layout Step is one where the result is returned: the accumulator is then stored in that layout.
    An integer accumulator is cast to a float for its scale (dequantisation); that cast alone is no epilogue.
    """
    if step.kind is Kind.LAYOUT:
        return stage if _returned(step.target, view) else None
    if step.op == "add" and stage < _BIAS and step.dtype == accumulator.dtype and _per_channel(step, accumulator, view):
        return _BIAS
    if step.op == "mul" and stage < _SCALE and (len(step.tensors) == 1 or _per_channel(step, accumulator, view)):
        return _SCALE
    if step.op == "cast" and not is_float(accumulator.dtype):
        return _WIDEN if stage < _WIDEN else None
    return _CAST if step.op == "cast" and stage < _CAST else None


def _without_open_scale(chain: list[Step], view: _View) -> list[str]:
    """The chain cut before a scale after which anything but the final cast follows, and before a cast for no scale."""
    scaled = [at for at, step in enumerate(chain) if step.op == "mul"]
    end = scaled[0] if scaled and not _ends(chain[-1].target, view) else len(chain)
    while end and chain[end - 1].op == "cast" and not is_float(_operand_dtype(chain, end - 1, view)):
        end -= 1
    return [step.target for step in chain[:end]]


def _operand_dtype(chain: list[Step], at: int, view: _View) -> str:
    return view.steps[chain[at].tensors[0]].dtype


def _ends(name: str, view: _View) -> bool:
    """Whether nothing computes on the value any more: it is returned, or only further contractions read it."""
    return all(
        step.kind is Kind.CONTRACTION or (folds(step) and _ends(step.target, view))
        for step in view.consumers.get(name, ())
    )


def _returned(name: str, view: _View) -> bool:
    """Whether the value leaves the golden with nothing but layout Steps and casts after it."""
    readers = view.consumers.get(name, ())
    return all(folds(step) and _returned(step.target, view) for step in readers) and (
        bool(readers) or name in view.finals
    )


def _per_channel(step: Step, accumulator: Step, view: _View) -> bool:
    """Whether the other operand is a vector along the accumulator's last axis that comes straight from the inputs."""
    others = [name for name in step.tensors if name != accumulator.target]
    if len(others) != 1 or step.shape != accumulator.shape or not _from_inputs(others[0], view):
        return False
    return all(extent.const == 1 for extent in view.shapes[others[0]][:-1])


def _from_inputs(name: str, view: _View) -> bool:
    """Whether a value is an input, or only moved and retyped from inputs."""
    step = view.steps.get(name)
    return step is None or (folds(step) and all(_from_inputs(operand, view) for operand in step.tensors))
