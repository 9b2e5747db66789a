"""Calls of the operation tables with tensors renewed and failures turned into opaque Steps with a finding."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence

from r0kit.golden import ops
from r0kit.golden.builder import OperationError
from r0kit.golden.evaluate.leaves import leaves
from r0kit.golden.evaluate.run import Run
from r0kit.golden.ops.elementwise import cast
from r0kit.golden.program import Kind, Section
from r0kit.golden.values import (
    EllipsisValue,
    SequenceValue,
    TensorValue,
    UnknownValue,
    Value,
    constant,
)

# Steps that only evaluation makes; `clone` is gone once a Program is finished.
KINDS: dict[str, tuple[Kind, Section]] = {
    "clone": (Kind.LAYOUT, Section.VECTOR),
    "carried": (Kind.LAYOUT, Section.VECTOR),
    "opaque": (Kind.OPAQUE, Section.VECTOR),
    "loop": (Kind.LOOP, Section.VECTOR),
    "project": (Kind.LAYOUT, Section.VECTOR),
    "item": (Kind.LAYOUT, Section.VECTOR),
}
# What returns the tensor itself, where there is nothing to convert or to move; all else returns a tensor of its own.
_SAME = frozenset(
    (
        *(
            "to",
            "type",
            "type_as",
            "float",
            "half",
            "bfloat16",
            "double",
            "int",
            "long",
            "short",
            "char",
            "byte",
            "bool",
        ),
        *(
            "view",
            "view_as",
            "reshape",
            "reshape_as",
            "flatten",
            "ravel",
            "unflatten",
            "squeeze",
            "expand",
            "expand_as",
        ),
        *("broadcast_to", "permute", "transpose", "movedim", "moveaxis", "swapaxes", "swapdims", "narrow", "t"),
        *("atleast_1d", "atleast_2d", "atleast_3d", "detach", "contiguous", "cpu", "cuda", "npu", "requires_grad_"),
        *(
            "numpy",
            "from_numpy",
            "as_tensor",
            "asarray",
            "conj",
            "resolve_conj",
            "resolve_neg",
            "pos",
            "positive",
            "real",
        ),
        *("dropout", "Dropout"),
    )
)
_CRASHES = (ArithmeticError, TypeError, ValueError, LookupError, AttributeError)


def operate(run: Run, node: ast.AST, path: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The operation `path` of `args`; an opaque Step with a finding where the tables cannot serve it."""
    given = [run.storage.renew(value) for value in args]
    named = {name: run.storage.renew(value) for name, value in kwargs.items()}
    if isinstance(named.get("out"), TensorValue | SequenceValue):
        return _into_out(run, node, path, given, named)
    changes = ops.is_in_place(path) or ops.says_in_place(run.builder, path, given, named)
    if changes and given and isinstance(given[0], TensorValue):
        return _in_place(run, node, path, given, named)
    if unknown([*given, *named.values()]):
        return opaque(run, node, [*given, *named.values()])
    return emitted(run, node, [*given, *named.values()], lambda: _called(run, path, given, named))


def unknown(values: Iterable[Value]) -> bool:
    """Whether any of them is not known."""
    return any(isinstance(value, UnknownValue) for value in leaves(values))


def _called(run: Run, path: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    result = ops.call(run.builder, path, args, kwargs)
    if isinstance(result, TensorValue) and any(_is(given, result) for given in leaves([*args, *kwargs.values()])):
        return _copied(run, path.rpartition(".")[2], result)
    return result


def _is(value: Value, tensor: TensorValue) -> bool:
    return isinstance(value, TensorValue) and value.ref == tensor.ref


def _copied(run: Run, name: str, value: TensorValue) -> TensorValue:
    """A tensor of its own where torch makes one and the file changes tensors in place."""
    scattered = name == "contiguous" and not run.storage.is_packed(value)
    if not run.changes_tensors or (name in _SAME and not scattered):
        return value
    return run.builder.emit("clone", [value], value.shape, value.dtype)


def emitted(run: Run, node: ast.AST, operands: Sequence[Value], compute: Callable[[], Value]) -> Value:
    """What `compute` returns, its Steps standing at `node`; an opaque Step where it fails."""
    with run.builder.at(run.source.span(node), run.source.written(node)):
        try:
            return compute()
        except OperationError as error:
            run.note(
                node, "golden.operation", error.message, error.hint or "rewrite it, or name the extents in SPEC.md"
            )
        except _CRASHES as error:
            hint = "please report the golden: the operation tables should have said what they cannot serve"
            run.note(node, "golden.internal", f"`{run.source.written(node)}`: {type(error).__name__}: {error}", hint)
    return opaque(run, node, operands)


def opaque(run: Run, node: ast.AST, operands: Iterable[Value]) -> Value:
    """A Step that hides what is computed from `operands`; its extents are fresh symbols. No Step without a tensor."""
    tensors = [value for value in leaves(operands) if isinstance(value, TensorValue)]
    if not tensors:
        return UnknownValue("it is computed from something that is not known")
    written = run.source.written(node)
    with run.builder.at(run.source.span(node), written):
        shape = tuple(run.builder.fresh("U", written, unread=True) for _ in tensors[0].shape)
        return run.builder.emit("opaque", list(tensors), shape, tensors[0].dtype, unknown_shape=True)


def _in_place(run: Run, node: ast.AST, path: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`x.f_(...)`: the tensor holds what `x.f(...)` gives, in its own dtype."""
    target = args[0]
    assert isinstance(target, TensorValue)
    fill = _FILLS.get(path.rpartition(".")[2])

    steps = len(run.builder.steps)

    def compute() -> Value:
        if unknown([*args, *kwargs.values()]):
            raise OperationError(f"`{run.source.written(node)}` uses something that is not known")
        if fill is not None:
            result: Value = ops.store(run.builder, target, [EllipsisValue()], fill(args, kwargs))
        else:
            result = ops.call(run.builder, path, args, kwargs)
        return changed(run, target, result, steps)

    return rewritten(run, node, target, [*args, *kwargs.values()], compute)


def _into_out(run: Run, node: ast.AST, path: str, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """`f(x, out=y)`: y holds what `f(x)` gives, in its own dtype."""
    target = kwargs.pop("out")
    steps = len(run.builder.steps)
    if not isinstance(target, TensorValue):
        for value in leaves([target]):
            if isinstance(value, TensorValue):
                run.storage.hide(value)
        return run.unsupported(node, "`out=` with several tensors is not read", "assign what the call returns")

    def compute() -> Value:
        if unknown([*args, *kwargs.values()]):
            raise OperationError(f"`{run.source.written(node)}` uses something that is not known")
        result = _called(run, path, args, kwargs)
        if isinstance(result, TensorValue) and result.shape != target.shape:
            raise OperationError("`out=` of another shape than the result", "assign what the call returns")
        return changed(run, target, result, steps)

    return rewritten(run, node, target, [target, *args, *kwargs.values()], compute)


_FILLS: dict[str, Callable[[Sequence[Value], Mapping[str, Value]], Value]] = {
    "copy_": lambda args, kwargs: args[1] if len(args) > 1 else kwargs["src"],
    "fill_": lambda args, kwargs: args[1] if len(args) > 1 else kwargs["value"],
    "zero_": lambda args, kwargs: constant(0),
}


def rewritten(
    run: Run, node: ast.AST, target: TensorValue, operands: Sequence[Value], compute: Callable[[], Value]
) -> Value:
    """What `target`, the latest of its tensor, holds after `compute` has changed it.

    Where that fails, nothing is known of it, nor of what it is a view of.
    """
    emitted(run, node, operands, compute)
    if run.storage.latest(target).ref == target.ref:
        with run.builder.at(run.source.span(node), run.source.written(node)):
            run.storage.hide(target)
    return run.storage.latest(target)


def changed(run: Run, target: TensorValue, result: Value, steps: int) -> Value:
    """Let `target` hold `result` in its own dtype; a result from before the first of the new Steps (`steps`) is copied.

    OperationError where the result is no tensor.
    """
    if not isinstance(result, TensorValue):
        raise OperationError("an in-place operation must give a tensor")
    if result.dtype != target.dtype:
        result = cast(run.builder, result, target.dtype)
    if run.builder.is_older(result.ref, steps):
        result = run.builder.emit("clone", [result], result.shape, result.dtype)
    run.storage.mutate(target, result)
    return run.storage.latest(target)
