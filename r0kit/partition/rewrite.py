"""Program -> Program with the same inputs and outputs: what an expert would move before drawing Modules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from r0kit.golden.axes import Atoms
from r0kit.golden.dims import Dim, Shape
from r0kit.golden.dtypes import promote
from r0kit.golden.program import Kind, Operand, Output, Program, Ref, Section, Step
from r0kit.golden.rename import renamed
from r0kit.golden.runtime import telling
from r0kit.golden.span import Span
from r0kit.partition.flow import Flow
from r0kit.partition.recurrences import exponentials, linear


def prepare(program: Program) -> Program:
    """The moves that every strategy makes."""
    return rename_outputs(sink_gathers(copy_returned_inputs(program)))


def copy_returned_inputs(program: Program) -> Program:
    """An input that the golden returns unchanged becomes a Step that copies it: a Module has to write it."""
    inputs = {value.name: value for value in program.inputs}
    steps, outputs = list(program.steps), []
    taken = {*inputs, *(step.target for step in steps)}
    for output in program.outputs:
        if output.value not in inputs:
            outputs.append(output)
            continue
        source = inputs[output.value]
        target = fresh(f"{output.name}_copy", taken)
        line = program.steps[-1].span if program.steps else Span(1, 1, 1, 1)
        steps.append(
            Step(
                target, "clone", (Ref(source.name),), source.shape, source.dtype, Kind.ELEMENTWISE, Section.VECTOR, line
            )
        )
        outputs.append(Output(output.name, target))
    return replace(program, steps=tuple(steps), outputs=tuple(outputs))


def rename_outputs(program: Program) -> Program:
    """The Step that an output returns takes the output's name, where that is free."""
    taken = {value.name for value in program.inputs} | {step.target for step in program.steps}
    names: dict[str, str] = {}
    for output in program.outputs:
        if (
            output.value in {step.target for step in program.steps}
            and output.value not in names
            and output.name not in taken
        ):
            names[output.value] = output.name
            taken.add(output.name)
    if not names:
        return program
    steps = tuple(replace(renamed(step, names), target=names.get(step.target, step.target)) for step in program.steps)
    outputs = tuple(Output(output.name, names.get(output.value, output.value)) for output in program.outputs)
    symbols = tuple(
        replace(symbol, tensors=tuple(names.get(name, name) for name in symbol.tensors)) for symbol in program.symbols
    )
    return replace(program, steps=steps, outputs=outputs, symbols=symbols)


def sink_gathers(program: Program) -> Program:
    """`gather(f(x, y), i)` becomes `f(gather(x, i), y)` for an elementwise f: the axis is not run over for it.

    An operand with extent 1 along the gathered axis stays as it is.
    """
    steps = {step.target: step for step in program.steps}
    shapes = {value.name: value.shape for value in program.inputs} | {name: step.shape for name, step in steps.items()}
    taken = set(shapes)
    made: list[Step] = []
    for step in program.steps:
        made.extend(_sunk(step, steps, shapes, taken))
    return prune(replace(program, steps=tuple(made)))


def _sunk(gather: Step, steps: Mapping[str, Step], shapes: Mapping[str, Shape], taken: set[str]) -> list[Step]:
    """The gather, moved before the elementwise Step that makes its operand, and so on upwards."""
    source = steps.get(gather.tensors[0]) if gather.op == "gather" and gather.tensors else None
    if source is None or source.kind is not Kind.ELEMENTWISE or not _sinkable(gather, source, shapes):
        return [gather]
    axis = gather.attrs["axis"]
    made: list[Step] = []
    operands: list[Operand] = []
    for operand in source.operands:
        if not isinstance(operand, Ref) or _stays(shapes[operand.name], source.shape, axis):
            operands.append(operand)
            continue
        inner = replace(
            gather,
            target=fresh(f"{operand.name}_{gather.op}", taken),
            operands=(operand, *gather.operands[1:]),
            dtype=steps[operand.name].dtype if operand.name in steps else gather.dtype,
            name="",
        )
        made += _sunk(inner, steps, shapes, taken)
        operands.append(Ref(inner.target))
    moved = replace(source, target=gather.target, operands=tuple(operands), shape=gather.shape, name=gather.name)
    return [*made, moved]


def _sinkable(gather: Step, source: Step, shapes: Mapping[str, Shape]) -> bool:
    """Whether the index has the operand's extents beside the gathered axis, and every operand its rank or extent 1."""
    axis, index = gather.attrs["axis"], shapes[gather.tensors[1]]
    if len(index) != len(source.shape):
        return False
    others = all(a == b for place, (a, b) in enumerate(zip(index, source.shape, strict=True)) if place != axis)
    whole = all(shapes[name] == source.shape or _stays(shapes[name], source.shape, axis) for name in source.tensors)
    return others and whole and not source.attrs.get("positional")


def _stays(shape: Shape, result: Shape, axis: int) -> bool:
    """Whether an operand of this shape is the same at every place of `axis`."""
    place = axis - (len(result) - len(shape))
    return place < 0 or shape[place] == Dim.of(1)


def fresh(name: str, taken: set[str]) -> str:
    """A name not in `taken`, which it joins."""
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    taken.add(candidate)
    return candidate


def move_divisions(program: Program, axes: Atoms | None = None) -> Program:
    """`(e / l) @ v` becomes `(e @ v) / l` where e is a softmax's exponential and l its sum over the contracted axis.

    axes: only those whose traversal is to be online; all where None.
    """
    flow = Flow(program)
    steps = list(program.steps)
    taken = {*flow.steps, *(value.name for value in program.inputs)}
    for contraction, division, casts in _divided(flow, axes):
        at = next(place for place, step in enumerate(steps) if step.target == contraction.target)
        steps[at : at + 1] = _behind(flow, contraction, division, casts, taken)
    return prune(replace(program, steps=tuple(steps)))


def prune(program: Program) -> Program:
    """Without Steps that no output needs."""
    needed = {output.value for output in program.outputs}
    told = telling(program)
    kept: list[Step] = []
    for step in reversed(program.steps):
        if step.target in needed:
            kept.append(step)
            needed.update(step.tensors, told.get(step.target, ()))
    return replace(program, steps=tuple(reversed(kept)))


def _divided(flow: Flow, axes: Atoms | None) -> Iterator[tuple[Step, Step, list[Step]]]:
    """Contractions whose left operand is a softmax over the contracted axis: contraction, its division, casts between."""
    known = list(exponentials(flow))
    for step in flow.program.steps:
        if step.kind is not Kind.CONTRACTION or "labels" not in step.attrs:
            continue
        division, casts = _division(flow, step.tensors[0])
        if division is None or not _divides_rows(flow, division, step):
            continue
        if axes is not None and not flow.axes.whole(step) <= axes:
            continue
        top, bottom = division.tensors
        total = flow.steps.get(bottom)
        for exponential in known:
            sums = total is not None and total.op == "sum" and linear(flow, exponential.value, bottom)
            same = top == exponential.value and exponential.axes == flow.axes.whole(step)
            if sums and same and _only_reader(flow, division, casts, step):
                yield step, division, casts
                break


def _division(flow: Flow, name: str) -> tuple[Step | None, list[Step]]:
    casts: list[Step] = []
    while name in flow.steps and flow.steps[name].op == "cast":
        casts.insert(0, flow.steps[name])
        name = flow.steps[name].tensors[0]
    step = flow.steps.get(name)
    divides = step is not None and step.op == "div" and len(step.tensors) == 2
    return (step, casts) if step is not None and divides else (None, casts)


def _divides_rows(flow: Flow, division: Step, contraction: Step) -> bool:
    """Whether the divisor, as it stands, divides the product too: its dimensions are the product's, or of extent 1."""
    shape = flow.axes.shapes[division.tensors[1]]
    left, *_, result = contraction.attrs["labels"]
    if not len(shape) == len(division.shape) == len(result) == len(left):
        return False
    return all(extent == Dim.of(1) or a == b for extent, a, b in zip(shape, left, result, strict=True))


def _only_reader(flow: Flow, division: Step, casts: list[Step], contraction: Step) -> bool:
    """Whether the normalised value goes nowhere but into the contraction."""
    names = [division.target, *(cast.target for cast in casts)]
    readers = {reader.target for name in names for reader in flow.consumers.get(name, ())}
    return readers <= {*names, contraction.target} and not set(names) & flow.outputs


def _behind(flow: Flow, contraction: Step, division: Step, casts: list[Step], taken: set[str]) -> list[Step]:
    """The contraction of the unnormalised value, and the division after it, under the contraction's old name."""
    top, bottom = division.tensors
    made: list[Step] = []
    value = top
    for cast in casts:
        made.append(replace(cast, target=fresh(f"{top}_{cast.dtype}", taken), operands=(Ref(value),), name=""))
        value = made[-1].target
    rest = contraction.operands[1:]
    product = replace(
        contraction, target=fresh(f"{contraction.target}_acc", taken), operands=(Ref(value), *rest), name=""
    )
    dtype = promote([product.dtype, flow.dtypes[bottom]])
    same = dtype == contraction.dtype
    quotient = replace(
        division,
        target=contraction.target if same else fresh(f"{contraction.target}_div", taken),
        operands=(Ref(product.target), Ref(bottom)),
        shape=contraction.shape,
        dtype=dtype,
        name=contraction.name if same else "",
    )
    back = [] if same else [_cast(contraction, quotient)]
    return [*made, product, quotient, *back]


def _cast(contraction: Step, value: Step) -> Step:
    return replace(
        value,
        target=contraction.target,
        op="cast",
        operands=(Ref(value.target),),
        dtype=contraction.dtype,
        name=contraction.name,
        attrs={"dtype": contraction.dtype},
    )
