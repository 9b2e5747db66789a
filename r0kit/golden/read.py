"""One golden file -> Program: the whole way, without running anything of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from r0kit.finding import Severity
from r0kit.golden import ops
from r0kit.golden.agree import disagreements
from r0kit.golden.builder import Builder, Mark
from r0kit.golden.cases import cases_of, violations
from r0kit.golden.evaluate import operations
from r0kit.golden.evaluate.budget import Budget, Exhausted
from r0kit.golden.evaluate.calls import body_value
from r0kit.golden.evaluate.classes import fields_in_order
from r0kit.golden.evaluate.evaluator import Evaluator
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.evaluate.text import SourceText
from r0kit.golden.filegiven import with_inputs_of_file
from r0kit.golden.finish import creations, finish, live
from r0kit.golden.inputs import Arguments, symbols_of
from r0kit.golden.outputs import outputs_of
from r0kit.golden.parse import read_golden
from r0kit.golden.program import Output, Program, RuntimeSymbol, Step
from r0kit.golden.rename import reads, renamed, scalar_renamed
from r0kit.golden.scalars import Scalar, readings_of, text
from r0kit.golden.signature import GoldenFunction, find_golden
from r0kit.golden.values import SequenceValue, UnknownValue, Value
from r0kit.spec import Spec

ROOM_FOR_OUTPUTS = 1000  # Steps, where the body has used up what it may


def read_program(path: str, spec: Spec | None = None, op: str | None = None, budget: Budget | None = None) -> Program:
    """The Program of the golden in the file `path`.

    spec: gives shapes, dtypes, parameters and the p0 cases that decide conditions; op: which golden, where the file has
    several. InputError where the file cannot be read, is not Python, or has no golden. Everything else that cannot be
    read is an opaque Step with a finding.
    """
    return program_of(read_golden(path), path, spec, op, budget)


def program_of(
    source: str, path: str = "<golden>", spec: Spec | None = None, op: str | None = None, budget: Budget | None = None
) -> Program:
    """`read_program` of a source text; `path` is how findings name it."""
    golden = find_golden(source, path, op, spec)
    known = with_inputs_of_file(golden, spec)
    golden = find_golden(source, path, op, known) if known.inputs else golden
    builder = Builder(path, {**ops.KINDS, **operations.KINDS}, {}, symbols_of(known))
    cases = cases_of(known)
    builder.others = cases[1:]
    run = Evaluator(SourceText(path, golden.lines), golden.tree, builder, budget)
    run.state.training = known.training
    arguments = Arguments(run, golden, known)
    result = _result(run, golden, arguments)
    builder.room += ROOM_FOR_OUTPUTS
    outputs = outputs_of(run, golden, known, result, arguments.mappings)
    owned = run.state.inputs(builder, {parameter.name for parameter in golden.parameters})
    called = {ref: one.name for ref, one in owned.items()}
    outputs = [replace(one, value=called.get(one.value, one.value)) for one in outputs]
    steps = creations([renamed(step, called) for step in builder.steps])
    inputs = [*arguments.inputs, *(one for one in arguments.overwritten if _is_read(steps, outputs, one.name))]
    taken = [*(one.name for one in (*inputs, *owned.values())), *(one.name for one in arguments.parameters)]
    dtypes = {one.name: one.dtype for one in (*arguments.inputs, *arguments.overwritten, *owned.values())}
    readings = {str(extent): scalar_renamed(scalar, called) for scalar, extent in builder.read.items()}
    steps, names = finish(
        steps,
        {one.name: one.value for one in outputs},
        dtypes,
        taken,
        {symbol: readings_of(scalar) for symbol, scalar in readings.items()},
    )
    used = {name for step in steps for name in reads(step)} | {names.get(one.value, one.value) for one in outputs}
    inputs += [one for one in owned.values() if one.name in used]
    known_names = {one.name for one in owned.values()}
    said = [
        *golden.findings,
        *(disagreements(golden, known, known_names) if spec is not None else ()),
        *builder.findings,
    ]
    said += violations(cases, builder.constraints, path)
    return Program(
        op=golden.op,
        path=path,
        function=golden.name,
        source=source,
        inputs=tuple(inputs),
        parameters=tuple(replace(one, folded=one.name in builder.folded) for one in arguments.parameters),
        steps=tuple(steps),
        outputs=tuple(Output(one.name, names.get(one.value, one.value)) for one in outputs),
        constraints=tuple(builder.constraints),
        symbols=tuple(_named(symbol, readings, names) for symbol in builder.symbols),
        findings=tuple(dict.fromkeys(said)),
    )


def _named(symbol: RuntimeSymbol, readings: Mapping[str, Scalar], names: Mapping[str, str]) -> RuntimeSymbol:
    """A symbol that a number of a tensor is, with the tensor's name in the Program."""
    scalar = readings.get(symbol.name)
    if scalar is None:
        return symbol
    scalar = scalar_renamed(scalar, names)
    return replace(symbol, origin=text(scalar), tensors=tuple(sorted(readings_of(scalar))))


def _is_read(steps: Sequence[Step], outputs: Sequence[Output], name: str) -> bool:
    """Whether the outputs depend on what a tensor holds before the golden writes to it."""
    alive = live(steps, [output.value for output in outputs])
    return any(name in reads(step) for step in alive) or any(output.value == name for output in outputs)


def _result(run: Evaluator, golden: GoldenFunction, arguments: Arguments) -> Value:
    """What the golden returns for the arguments; unknown where reading it costs more than any golden should."""
    scope = Scope(_outer_scope(run, golden))
    arguments.bind(scope)
    mark = run.builder.mark()
    try:
        arguments.bind_module(scope)
        result = body_value(run, golden.node, scope)
        fields = fields_in_order(run, result)
        return SequenceValue(fields) if fields else result
    except Exhausted as error:
        _forget_steps(run.builder, mark)
        hint = "split the golden, or replace what makes it so large by operations of torch"
        run.note(golden.node, "golden.budget", f"reading stopped after {error.what}", hint, Severity.ERROR)
    except RecursionError:
        hint = "split what is nested into statements"
        run.note(golden.node, "golden.budget", "it is nested too deeply to be read", hint, Severity.ERROR)
    return UnknownValue("reading the golden stopped")


def _forget_steps(builder: Builder, mark: Mark) -> None:
    """Take back the Steps that lead nowhere; what was found on the way stays."""
    findings = list(builder.findings)
    builder.rewind(mark)
    builder.keep(findings)


def _outer_scope(run: Evaluator, golden: GoldenFunction) -> Scope:
    """The module, or the scope of the factory that made the golden."""
    if not golden.closure:
        return run.module.scope
    scope = Scope(run.module.scope)
    for name, node in golden.closure.items():
        scope.names[name] = run.value(node, run.module.scope)
    return scope
