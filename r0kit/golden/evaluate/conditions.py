"""Conditions: folded where SPEC, defaults and the first p0 case decide them; what data decides is kept as a region."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from r0kit.finding import Severity
from r0kit.golden.builder import OperationError
from r0kit.golden.cases import RULE, deciding_otherwise
from r0kit.golden.dims import Dim, Shape, shape_text
from r0kit.golden.evaluate import trial
from r0kit.golden.evaluate.flow import Break, Continue, Flow, MaybeBreak, Raised, Returned
from r0kit.golden.evaluate.leaves import leaves
from r0kit.golden.evaluate.outcome import Outcome, on_trial
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import ABSENT, Scope
from r0kit.golden.scalars import Apply, Constant, Extent, Scalar, extents_of, readings_of
from r0kit.golden.values import (
    NONE,
    DictValue,
    ScalarValue,
    SequenceValue,
    TensorValue,
    TripsValue,
    UnknownValue,
    Value,
)

_FROM_DATA = (TensorValue, UnknownValue)


def truth_of(run: Run, node: ast.expr, scope: Scope) -> bool | None:
    """Whether a condition holds; None where only data can tell."""
    return decide(run, run.value(node, scope), node)


def decide(run: Run, value: Value, node: ast.AST) -> bool | None:
    """Python's truth of a value; None where only data can tell. What extents decide is recorded as assumed."""
    if isinstance(value, ScalarValue):
        return _decide_scalar(run, value, node)
    if isinstance(value, _FROM_DATA):
        return None
    if isinstance(value, SequenceValue | DictValue):
        return bool(value.items)
    if isinstance(value, TripsValue):
        return None if value.count.const is None else value.count.const > 0
    return True


def _decide_scalar(run: Run, value: ScalarValue, node: ast.AST) -> bool | None:
    if isinstance(value.scalar, Constant):
        return bool(value.scalar.value)
    if run.trials:
        at_trip = trial.decide(run.trials, value.scalar)
        if at_trip is not None:
            return at_trip
    if readings_of(value.scalar):
        return None
    try:
        known = bool(run.builder.fold(value, "the condition"))
    except OperationError:
        return None
    if extents_of(value.scalar):
        assume(run, value.scalar, known, node)
    return known


def assume(run: Run, scalar: Scalar, known: bool, node: ast.AST) -> None:
    """Record that the first p0 case decided `scalar`: equalities as constraints, the rest as a note."""
    with run.builder.at(run.source.span(node), run.source.written(node)):
        equal = equalities(scalar, known)
        for left, right in equal or ():
            run.builder.require(left, right, f"`{run.source.written(node)}` in the first p0 case", assumed=True)
        if equal is None:
            case = ", ".join(f"{name}={run.builder.case[name]}" for name in sorted(extents_of(scalar)))
            message = f"`{run.source.written(node)}` is taken as {known}, as in the first p0 case ({case})"
            hint = "extents that decide it otherwise need another contract"
            run.note(node, "golden.assumed-condition", message, hint, Severity.NOTE)
        others = deciding_otherwise(run.builder.others, scalar, known)
        if others:
            message = f"`{run.source.written(node)}` is {known} in the first p0 case, which the contract is for, "
            message += f"and {not known} in {', '.join(others)}"
            run.note(node, RULE, message, "give shapes like these a contract of their own, or correct SPEC.md")


def equalities(scalar: Scalar, holds: bool) -> list[tuple[Dim, Dim]] | None:
    """The equalities of extents that `scalar == holds` says, None where it says anything else."""
    match scalar, holds:
        case (Apply("==", (left, right)), True) | (Apply("!=", (left, right)), False):
            a, b = as_dim(left), as_dim(right)
            return None if a is None or b is None else [(a, b)]
        case Apply("not", (inner,)), _:
            return equalities(inner, not holds)
        case (Apply("&", (left, right)), True) | (Apply("|", (left, right)), False):
            first, second = equalities(left, holds), equalities(right, holds)
            return None if first is None or second is None else first + second
    return None


def as_dim(scalar: Scalar) -> Dim | None:
    """An extent or an integer as a Dim."""
    if isinstance(scalar, Extent):
        return scalar.dim
    return Dim.of(scalar.value) if isinstance(scalar, Constant) and type(scalar.value) is int else None


def branch(
    run: Run, statement: ast.If, block: Sequence[ast.stmt], after: int, scope: Scope
) -> tuple[Flow | None, bool]:
    """Run an `if` of `block`; how it leaves the block, and whether the statements from `after` on were run as well."""
    value = run.value(statement.test, scope)
    known = _guarded(run, statement, value, scope)
    if known is not None:
        return run.block(statement.body if known else statement.orelse, scope), False
    return _undecided(run, statement, value, block[after:], scope)


def _guarded(run: Run, statement: ast.If, value: Value, scope: Scope) -> bool | None:
    """Truth of the test. `if M != N: raise` says for certain that M equals N, whatever the case."""
    raises = len(statement.body) == 1 and isinstance(statement.body[0], ast.Raise) and not statement.orelse
    if raises and isinstance(value, ScalarValue):
        said = equalities(value.scalar, False)
        if said and all(require(run, statement.test, left, right) for left, right in said):
            return False
    return decide(run, value, statement.test)


def require(run: Run, node: ast.AST, left: Dim, right: Dim) -> bool:
    """Record an equality that the golden insists on; False where the first p0 case breaks it."""
    a, b = run.builder.known(left), run.builder.known(right)
    if a is not None and b is not None and a != b:
        return False
    with run.builder.at(run.source.span(node), run.source.written(node)):
        run.builder.require(left, right, f"`{run.source.written(node)}`")
    return True


def _undecided(
    run: Run, statement: ast.If, test: Value, rest: Sequence[ast.stmt], scope: Scope
) -> tuple[Flow | None, bool]:
    """Read both branches on trial and keep them as one region: which of their results holds is hidden behind it.

    Where a branch leaves the block, the statements after the `if` belong to the other branch.
    """
    ways = [on_trial(run, part, scope) for part in (statement.body, statement.orelse)]
    leaves_block = any(way.flow is not None for way in ways)
    if leaves_block:
        ways = _with_rest(run, statement, rest, scope)
    _report(run, statement, test, ways, leaves_block)
    _merge_changes(run, statement, test, ways)
    if not leaves_block:
        return None, False
    if any(isinstance(way.flow, Break | MaybeBreak) for way in ways):
        return MaybeBreak(), True
    if any(isinstance(way.flow, Continue) for way in ways):
        return Continue(), True
    flows = [way.flow for way in ways if not isinstance(way.flow, Raised)]
    returned = [flow.value if isinstance(flow, Returned) else NONE for flow in flows]
    return Returned(merged(run, statement, test, returned) if returned else NONE), True


def _with_rest(run: Run, statement: ast.If, rest: Sequence[ast.stmt], scope: Scope) -> list[Outcome]:
    """Both ways to the end of the block. Ways double with each such `if`, so only a few are followed."""
    if run.open_branches >= MOST_BRANCHES:
        reason = "too many branches that depend on data lie in each other"
        return [Outcome(Returned(UnknownValue(reason)))]
    run.open_branches += 1
    try:
        return [on_trial(run, [*part, *rest], scope) for part in (statement.body, statement.orelse)]
    finally:
        run.open_branches -= 1


MOST_BRANCHES = 4


def _report(run: Run, statement: ast.If, test: Value, ways: Sequence[Outcome], leaves_block: bool) -> None:
    names = sorted({str(key) for way in ways for _, key in way.entries})
    stored = sorted({run.builder.value_of(ref).ref for way in ways for ref in way.tensors if ref in run.builder.inputs})
    hidden = ", ".join(f"`{name}`" for name in [*names, *stored]) or "an in-place change"
    if leaves_block:
        returns = any(isinstance(way.flow, Returned) for way in ways)
        hidden = "the value returned" if returns else f"whether the loop goes on here, and {hidden}"
    run.note(
        statement.test,
        "golden.data-dependent-branch",
        f"`{run.source.written(statement.test)}` {_why_open(run, test)}, which decides {hidden}",
        "compute both and choose with torch.where, or make it a parameter that SPEC.md fixes",
    )


def _why_open(run: Run, test: Value) -> str:
    of_trips = isinstance(test, ScalarValue) and extents_of(test.scalar) & {trial.trip for trial in run.trials}
    return "holds in some trips only" if of_trips else "depends on data"


def _merge_changes(run: Run, node: ast.AST, test: Value, ways: Sequence[Outcome]) -> None:
    """Let everything that a way changed hold one of its values, nobody knows which."""
    for place in dict.fromkeys(place for way in ways for place in way.entries):
        old = next(way.before[place] for way in ways if place in way.before)
        container = next(way.containers[place] for way in ways if place in way.containers)
        values = [way.entries.get(place, old) for way in ways]
        if all(value is ABSENT for value in values):
            run.journal.drop(container, place[1])
            continue
        absent = UnknownValue(f"`{place[1]}` exists only where data says so")
        known = [absent if value is ABSENT else value for value in values]
        result = merged(run, node, test, known)
        run.builder.bind(result, str(place[1]))
        run.journal.put(container, place[1], result)
    for place in dict.fromkeys(place for way in ways for place in way.lists):
        target = next(way.containers[place] for way in ways if place in way.containers)
        unknown: list[Value] = [UnknownValue("what the list holds depends on data")]
        contents = [way.lists.get(place, list(target)) for way in ways]
        same_length = len({len(content) for content in contents}) == 1
        columns = zip(*contents, strict=True) if same_length else ()
        run.journal.refill(target, [merged(run, node, test, column) for column in columns] if same_length else unknown)
    for ref in dict.fromkeys(ref for way in ways for ref in way.tensors):
        tensor = run.builder.value_of(ref)
        result = merged(run, node, test, [way.tensors.get(ref, run.storage.latest(tensor)) for way in ways])
        if isinstance(result, TensorValue) and result.ref != ref:
            run.journal.put(run.storage.superseded, ref, result)


def merged(run: Run, node: ast.AST, test: Value, ways: Sequence[Value]) -> Value:
    """One of `ways`, nobody knows which: an opaque Step whose shape and dtype are known where all agree on them."""
    sequences = [way for way in ways if isinstance(way, SequenceValue)]
    if len(sequences) == len(ways) and len({len(way.items) for way in sequences}) == 1:
        columns = zip(*(way.items for way in sequences), strict=True)
        return SequenceValue([merged(run, node, test, column) for column in columns], sequences[0].is_list)
    tensors = [way for way in ways if isinstance(way, TensorValue)]
    if len(tensors) != len(ways):
        same = all(way == ways[0] for way in ways)
        return ways[0] if same else UnknownValue("which value it has depends on data")
    if len({way.ref for way in tensors}) == 1:
        return tensors[0]
    operands = [value for value in leaves([test, *tensors]) if isinstance(value, TensorValue)]
    dtype, shape = tensors[0].dtype, _common(run, tensors)
    with run.builder.at(run.source.span(node), run.source.written(node)):
        return run.builder.emit("opaque", operands, shape, dtype, unknown_shape=len({t.shape for t in tensors}) > 1)


def _common(run: Run, tensors: Sequence[TensorValue]) -> Shape:
    """The shape all agree on, with fresh symbols where they do not."""
    if len({tensor.rank for tensor in tensors}) > 1:
        return tensors[0].shape
    columns = zip(*(tensor.shape for tensor in tensors), strict=True)
    origin = f"one of {', '.join(shape_text(tensor.shape) for tensor in tensors)}"
    return tuple(
        column[0] if len(set(column)) == 1 else run.builder.fresh("U", origin, unread=True) for column in columns
    )
