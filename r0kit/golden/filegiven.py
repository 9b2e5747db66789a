"""What `get_inputs()` of a golden's file says of its inputs, where no SPEC does: shapes, dtypes, numbers, a first case."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from r0kit.golden import ops
from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, parse_dim
from r0kit.golden.evaluate import operations
from r0kit.golden.evaluate.budget import Exhausted
from r0kit.golden.evaluate.evaluator import Evaluator
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.evaluate.text import SourceText
from r0kit.golden.scalars import Constant
from r0kit.golden.signature import GoldenFunction, Passing, Style
from r0kit.golden.values import FunctionValue, ScalarValue, SequenceValue, TensorValue, Value, extent
from r0kit.spec import Case, Spec, TensorSpec
from r0kit.spec.dimension import solve

_INPUTS, _INIT = "get_inputs", "get_init_inputs"


@dataclass(slots=True)
class _Given:
    tensors: dict[str, TensorSpec] = field(default_factory=dict)
    sizes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    numbers: dict[str, bool | int | float | str] = field(default_factory=dict)


def with_inputs_of_file(golden: GoldenFunction, spec: Spec | None) -> Spec:
    """SPEC with what the file's own `get_inputs()` says of the parameters of `forward` that SPEC says nothing of."""
    known = spec or Spec(golden.path)
    if golden.style is not Style.MODEL:
        return known
    given = _given(golden)
    case = next(iter(known.p0_cases), None)
    stated = {one.name for one in known.inputs if one.shape is not None} | {*(case.input_shapes if case else ())}
    new = [tensor for name, tensor in given.tensors.items() if name not in stated]
    sizes = {tensor.name: given.sizes[tensor.name] for tensor in new}
    others = tuple(one for one in known.inputs if one.name not in sizes)
    cases = known.p0_cases or ((Case("get_inputs"),) if new else ())
    return replace(
        known,
        inputs=_in_order(golden, (*others, *new)),
        p0_cases=tuple(replace(one, input_shapes={**sizes, **one.input_shapes}) for one in cases),
        default_params={**given.numbers, **known.default_params},
    )


def _in_order(golden: GoldenFunction, tensors: tuple[TensorSpec, ...]) -> tuple[TensorSpec, ...]:
    places = {parameter.name: place for place, parameter in enumerate(golden.parameters)}
    return tuple(sorted(tensors, key=lambda one: places.get(one.name, len(places))))


def _given(golden: GoldenFunction) -> _Given:
    """What the file's `get_inputs()` returns for each parameter in order; nothing where that cannot be read."""
    builder = Builder(golden.path, {**ops.KINDS, **operations.KINDS})
    run = Evaluator(SourceText(golden.path, golden.lines), golden.tree, builder)
    given = _Given()
    try:
        returned = _returned(run)
        names = [one.name for one in golden.parameters if one.passing in (Passing.POSITIONAL, Passing.ANY)]
        for name, value in zip(names, returned, strict=False):
            _take(given, builder, name, value)
    except (OperationError, Exhausted, RecursionError):
        return _Given()
    _fix(given)
    return given


def _fix(given: _Given) -> None:
    """Numbers for the extents of a tensor whose symbols the sizes of the case do not tell (`n // 2`)."""
    stated = {name: tensor.shape or () for name, tensor in given.tensors.items()}
    known = solve([pair for name, shape in stated.items() for pair in zip(shape, given.sizes[name], strict=True)])
    for name, shape in stated.items():
        if not {symbol for extent in shape for symbol in parse_dim(extent).symbols} <= known.keys():
            given.tensors[name] = replace(given.tensors[name], shape=given.sizes[name])


def _returned(run: Evaluator) -> list[Value]:
    function = run.module.find(_INPUTS)
    if not isinstance(function, FunctionValue):
        return []
    scope = Scope(run.module.scope)
    for name, size in _sizes(run, function.node):
        scope.names[name] = extent(Dim.of(name))
        run.builder.case[name] = size
    result = run.call(replace(function, scope=scope), [], {}, function.node)
    return list(result.items) if isinstance(result, SequenceValue) else []


def _sizes(run: Evaluator, function: ast.AST) -> Iterator[tuple[str, int]]:
    """Names of integers of the file that `get_inputs` uses and no argument of `__init__` depends on: they may vary."""
    fixed = _names(run, _INIT)
    for name in dict.fromkeys(_loaded(function)):
        value = run.module.find(name) if name in run.module.bound and name not in fixed else None
        scalar = value.scalar if isinstance(value, ScalarValue) else None
        if isinstance(scalar, Constant) and type(scalar.value) is int and scalar.value > 1:
            yield name, scalar.value


def _names(run: Evaluator, name: str) -> set[str]:
    """Names of the file that what `name` stands for depends on."""
    found, pending = set[str](), [name]
    while pending:
        for statement in run.module.bound.get(pending.pop(), ()):
            new = set(_loaded(statement)) - found
            found |= new
            pending.extend(new)
    return found


def _loaded(node: ast.AST) -> list[str]:
    return [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)]


def _take(given: _Given, builder: Builder, name: str, value: Value) -> None:
    if isinstance(value, TensorValue):
        sizes = [builder.known(size) for size in value.shape]
        if None not in sizes:
            shape = tuple(size.const if size.const is not None else str(size) for size in value.shape)
            given.tensors[name] = TensorSpec(name, shape, value.dtype)
            given.sizes[name] = tuple(size for size in sizes if size is not None)
        return
    number = value.scalar.value if isinstance(value, ScalarValue) and isinstance(value.scalar, Constant) else None
    if isinstance(number, bool | int | float | str):
        given.numbers[name] = number
