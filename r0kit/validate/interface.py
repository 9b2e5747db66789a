"""Primary inputs and final outputs against the signature and the return values of the golden: rule16."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from r0kit.contract.path import KEY
from r0kit.contract.wording import shown
from r0kit.finding import Fault
from r0kit.golden.dims import Dim, Shape, parse_dim, shape_text
from r0kit.golden.dtypes import canonical
from r0kit.golden.program import Program, Step
from r0kit.validate.subject import Entry, Golden, Subject

DECLARED = {"float64": "float32", "float8_e4m3fn": "float8", "float8_e5m2": "float8"}  # golden's dtype -> contract's


def interface_faults(subject: Subject, golden: Golden) -> Iterator[Fault]:
    """Where the contract's interface is not the golden's."""
    yield from _input_names(subject, golden.program)
    symbols: dict[str, Dim] = {}
    for entry in subject.primary:
        yield from _input(entry, golden, symbols)
    yield from _outputs(subject, golden, symbols)


def _input_names(subject: Subject, program: Program) -> Iterator[Fault]:
    wanted = [value.name for value in program.inputs]
    given = [entry.name for entry in subject.primary if entry.name is not None]
    for entry in subject.primary:
        if entry.name is not None and entry.name not in wanted:
            what = f"the golden binds no tensor parameter {shown(entry.name)}"
            yield Fault(entry.at("name"), what, subject.suggestion(entry.name, wanted))
    at = ("primary_inputs", KEY)
    for name in wanted:
        if name not in given:
            yield Fault(at, f"the golden's input {shown(name)} is no primary input", f"add - {{name: {name}}}")
    if given != wanted and sorted(given) == sorted(wanted):
        yield Fault(at, f"primary_inputs are in the order {', '.join(given)}", f"the golden's is {', '.join(wanted)}")


def _input(entry: Entry, golden: Golden, symbols: dict[str, Dim]) -> Iterator[Fault]:
    """A primary input against SPEC's tensor; `symbols` learns what the contract calls the golden's extents."""
    value = next((value for value in golden.program.inputs if value.name == entry.name), None)
    if value is None or value.name not in golden.stated:
        return
    declared = shape_of(entry.data.get("shape"))
    if declared is not None and len(declared) != len(value.shape):
        yield Fault(entry.at("shape"), _shapes_differ(entry, declared, value.shape, "SPEC says"))
    for ours, theirs in zip(declared or (), value.shape, strict=False):
        if ours.symbol:
            symbols.setdefault(ours.symbol, theirs)
    dtype = entry.text("dtype")
    if dtype and canonical(dtype) not in golden.dtypes | {DECLARED.get(value.dtype, value.dtype)}:
        yield Fault(entry.at("dtype"), f"{shown(entry.name)} is {dtype} here, and {value.dtype} in SPEC")


def _outputs(subject: Subject, golden: Golden, symbols: Mapping[str, Dim]) -> Iterator[Fault]:
    program = golden.program
    finals = [entry for entry in subject.finals if entry.name is not None]
    if len(finals) != len(program.outputs):
        returned = ", ".join(output.name for output in program.outputs) or "nothing"
        what = f"there are {len(finals)} final outputs, and the golden returns {len(program.outputs)} ({returned})"
        yield Fault(("final_outputs", KEY), what, "list each returned value once, in the golden's order")
        return
    values = {step.target for step in program.steps}
    for entry, output in zip(finals, program.outputs, strict=True):
        if entry.name in values - {output.value} and entry.name != output.name:
            what = f"the golden returns {output.name} here, not {shown(entry.name)}"
            yield Fault(entry.at("name"), what, f"name the Module that writes {output.name}")
        else:
            yield from _output(subject, entry, program.step(output.value), golden, symbols)


def _output(
    subject: Subject, entry: Entry, step: Step | None, golden: Golden, symbols: Mapping[str, Dim]
) -> Iterator[Fault]:
    """The shape and dtype that the producing Module declares against those of the returned value."""
    made = subject.made_by(entry)
    if made is None or step is None or not golden.stated:
        return
    declared = shape_of(made.data.get("shape"))
    if declared is not None and _differ(declared, step.shape, symbols, golden.cases):
        yield Fault(made.at("shape"), _shapes_differ(made, declared, step.shape, "the golden returns"))
    dtype, wanted = made.text("dtype"), DECLARED.get(step.dtype, step.dtype)
    if dtype and canonical(dtype) != wanted and _inputs_as_in_spec(subject, golden.program):
        what = f"{shown(made.name)} is {dtype} here, and {step.dtype} in the golden"
        yield Fault(made.at("dtype"), what, f"write {wanted}")


def shape_of(value: object) -> Shape | None:
    """A contract's shape as extents; None where it is none (rule5 says so)."""
    items = value if isinstance(value, list) else str(value).strip().removeprefix("[").removesuffix("]").split(",")
    try:
        return tuple(parse_dim(item) for item in items if str(item).strip())
    except ValueError:
        return None


def _differ(ours: Shape, theirs: Shape, symbols: Mapping[str, Dim], cases: Sequence[Mapping[str, int]]) -> bool:
    """Whether the shapes are different in rank, or in a p0 case, or as numbers. What cannot be told is no difference."""
    if len(ours) != len(theirs):
        return True
    pairs = [(mine.substitute(symbols), other) for mine, other in zip(ours, theirs, strict=True)]
    return any(_values_differ(mine, other, case) for mine, other in pairs for case in cases or [{}])


def _values_differ(left: Dim, right: Dim, case: Mapping[str, int]) -> bool:
    try:
        return left.evaluate(case) != right.evaluate(case)
    except (KeyError, ZeroDivisionError):
        return False


def _shapes_differ(entry: Entry, ours: Shape, theirs: Shape, who: str) -> str:
    return f"{shown(entry.name)} has the shape {shape_text(ours)}, and {who} {shape_text(theirs)}"


def _inputs_as_in_spec(subject: Subject, program: Program) -> bool:
    """Whether the contract has the dtypes for which the golden was read; else its outputs may have others too."""
    dtypes: dict[str | None, str] = {value.name: DECLARED.get(value.dtype, value.dtype) for value in program.inputs}
    return all(entry.text("dtype") in (None, dtypes.get(entry.name)) for entry in subject.primary)
