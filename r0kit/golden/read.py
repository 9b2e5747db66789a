"""One golden file -> Program: the whole way, without running anything of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from r0kit.finding import Finding, InputError, Location, Severity
from r0kit.golden import ops
from r0kit.golden.builder import Builder
from r0kit.golden.dims import parse_dim
from r0kit.golden.dtypes import canonical
from r0kit.golden.evaluate import operations
from r0kit.golden.evaluate.budget import Budget, Exhausted
from r0kit.golden.evaluate.calls import body_value
from r0kit.golden.evaluate.evaluator import Evaluator
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.evaluate.text import SourceText
from r0kit.golden.finish import finish
from r0kit.golden.program import Input, Output, Program, ScalarParameter
from r0kit.golden.scalars import Parameter
from r0kit.golden.values import (
    NONE,
    DictValue,
    ScalarValue,
    SequenceValue,
    TensorValue,
    UnknownValue,
    Value,
    is_none,
)
from r0kit.source import read_text
from r0kit.spec import Spec


def read_program(path: str, spec: Spec | None = None, op: str | None = None, budget: Budget | None = None) -> Program:
    text = read_text(path, "golden.read", 2 << 20)
    return program_of(text, path, spec, op, budget)


def program_of(
    text: str, path: str = "<golden>", spec: Spec | None = None, op: str | None = None, budget: Budget | None = None
) -> Program:
    spec = spec or Spec(path)
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        place = Location(path, error.lineno or 1, error.offset or 1)
        raise InputError([Finding("golden.syntax", Severity.ERROR, f"not Python: {error.msg}", place)]) from None
    function = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and "_golden" in n.name)
    case = next(iter(spec.p0_cases), None)
    builder = Builder(path, {**ops.KINDS, **operations.KINDS}, spec.params(), spec.bindings(case) if case else {})
    run = Evaluator(SourceText.of(path, text), tree, builder, budget)
    scope = Scope(run.module.scope)
    inputs: list[Input] = []
    parameters: list[ScalarParameter] = []
    arguments = function.args
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    defaults = dict(
        zip([a.arg for a in [*arguments.posonlyargs, *arguments.args]][::-1], arguments.defaults[::-1], strict=False)
    )
    defaults |= {a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None}
    for argument in given:
        tensor = spec.input(argument.arg)
        default = defaults.get(argument.arg)
        if tensor is not None:
            shape = tuple(parse_dim(dim) for dim in tensor.shape or ())
            dtype = canonical(tensor.dtype or "float32")
            inputs.append(Input(argument.arg, shape, dtype, tensor.is_list))
            value: Value = builder.input(argument.arg, shape, dtype)
            if tensor.is_list:
                lists = case.input_lists.get(argument.arg, ()) if case else ()
                base = value
                value = SequenceValue(
                    [builder.emit("item", [base], shape, dtype, index=k) for k in range(len(lists))], True
                )
            scope.names[argument.arg] = value
            continue
        folded = run.value(default, run.module.scope) if default is not None else UnknownValue("no default")
        known = builder.parameters.get(argument.arg)
        if known is None and isinstance(folded, ScalarValue) and not is_none(folded):
            known = builder.parameters[argument.arg] = builder.fold(folded, "default")
        if known is None:
            scope.names[argument.arg] = NONE if isinstance(folded, UnknownValue) else folded
            continue
        parameters.append(ScalarParameter(argument.arg, run.source.written(default) if default else "", known))
        scope.names[argument.arg] = (
            ScalarValue(Parameter(argument.arg), type(known)) if isinstance(known, (int, float, str)) else folded
        )
    try:
        result = body_value(run, function, scope)
    except Exhausted as error:
        run.note(function, "golden.budget", f"reading stopped after {error.what}", "split the golden", Severity.ERROR)
        result = UnknownValue("reading stopped")
    outputs: list[Output] = []
    names = [tensor.name for tensor in spec.outputs]
    for number, returned in enumerate(_tensors(result)):
        name = names[number] if number < len(names) else f"y{number}"
        outputs.append(Output(name, run.storage.latest(returned).ref))
    taken = [*(value.name for value in inputs), *(value.name for value in parameters)]
    dtypes = {value.name: value.dtype for value in inputs}
    steps, final = finish(builder.steps, {output.name: output.value for output in outputs}, dtypes, taken)
    return Program(
        op or spec.op_name,
        path,
        function.name,
        text,
        tuple(inputs),
        tuple(ScalarParameter(p.name, p.default, p.value, p.name in builder.folded) for p in parameters),
        tuple(steps),
        tuple(Output(output.name, final.get(output.value, output.value)) for output in outputs),
        tuple(builder.constraints),
        tuple(builder.symbols),
        tuple(dict.fromkeys(builder.findings)),
    )


def _tensors(value: Value) -> Iterator[TensorValue]:
    if isinstance(value, TensorValue):
        yield value
    elif isinstance(value, SequenceValue):
        for item in value.items:
            yield from _tensors(item)
    elif isinstance(value, DictValue):
        for item in value.items.values():
            yield from _tensors(item)
