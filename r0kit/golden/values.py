"""Abstract values of static evaluation: what a name of the golden stands for while its source is read."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from r0kit.golden.dims import Dim, Shape
from r0kit.golden.scalars import Constant, Extent, Scalar


@dataclass(frozen=True, slots=True)
class TensorValue:
    """A tensor: the Step or input that computes it, its shape and its dtype."""

    ref: str
    shape: Shape
    dtype: str

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True, slots=True)
class ScalarValue:
    """A Python number, truth value, string or None. `type` is its Python type where that is known."""

    scalar: Scalar
    type: type | None = None


@dataclass(slots=True, eq=False)
class SequenceValue:
    """A tuple or list; lists are mutable, so identity matters."""

    items: list[Value]
    is_list: bool = False


@dataclass(slots=True, eq=False)
class DictValue:
    """A dictionary with constant keys."""

    items: dict[Any, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DtypeValue:
    """A torch dtype, without "torch."."""

    name: str


@dataclass(frozen=True, slots=True)
class SliceValue:
    """`start:stop:step` inside an index; None where left out."""

    start: Value | None
    stop: Value | None
    step: Value | None


@dataclass(frozen=True, slots=True)
class EllipsisValue:
    """`...`, in an index or elsewhere."""


@dataclass(frozen=True, slots=True)
class LibraryValue:
    """Something of a library by its full name: `torch.nn.functional`, `torch.exp`, `math.pi`."""

    path: str


@dataclass(frozen=True, slots=True)
class MethodValue:
    """A method that is about to be called: `x.sum`."""

    base: Value
    name: str


@dataclass(frozen=True, slots=True)
class LayerValue:
    """An `nn` module built in the golden: `nn.Softmax(dim=-1)`; calling it calls the operation."""

    path: str
    args: tuple[Value, ...]
    kwargs: Mapping[str, Value]


@dataclass(slots=True, eq=False)
class FunctionValue:
    """A function or lambda of the golden file with the scope it was defined in. defaults: as they were there."""

    node: ast.FunctionDef | ast.Lambda
    scope: Any
    bound: tuple[Value, ...] = ()
    bound_keywords: Mapping[str, Value] = field(default_factory=dict)
    defaults: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class NativeValue:
    """A function that r0kit itself provides: `functools.partial` of an operation, say."""

    call: Callable[[Sequence[Value], Mapping[str, Value]], Value]


@dataclass(slots=True, eq=False)
class ObjectValue:
    """An object with attributes known by name: an instance or class of the golden file, `torch.finfo(...)`.

    parent: the class of an instance; None for a class and for objects of a library.
    """

    name: str
    attributes: dict[str, Value] = field(default_factory=dict)
    parent: ObjectValue | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SuperValue:
    """`super()` in a method: the instance, and the class whose bases are meant."""

    instance: ObjectValue
    owner: ObjectValue


@dataclass(frozen=True, slots=True, eq=False)
class TripsValue:
    """Something to iterate whose items are known by formula: `range(0, N, T)`, the rows of a tensor, their `zip`.

    count: number of items; item: the value of the item at a place, a scalar that counts from 0. stride, length: of items
    that are stretches of an axis, their extent and that of the axis; restride: the same with another stride; names:
    that the stride or the count is written with.
    """

    count: Dim
    item: Callable[[Scalar], Value]
    stride: Dim | None = None
    length: Dim | None = None
    restride: Callable[[Dim], TripsValue] | None = None
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PiecesValue:
    """All items that the trips of a loop have appended to a list, as one tensor.

    axis: along which the items follow each other in it, `size` each; None where it has them side by side along its
    first axis.
    """

    whole: TensorValue
    count: Dim
    axis: int | None = None
    size: Dim | None = None


@dataclass(frozen=True, slots=True)
class UnknownValue:
    """What static reading cannot know, and why; using it makes an opaque Step, never a guess."""

    reason: str


Value = (
    TensorValue
    | ScalarValue
    | SequenceValue
    | DictValue
    | DtypeValue
    | SliceValue
    | EllipsisValue
    | LibraryValue
    | MethodValue
    | LayerValue
    | FunctionValue
    | NativeValue
    | ObjectValue
    | SuperValue
    | TripsValue
    | PiecesValue
    | UnknownValue
)


def constant(value: Any) -> ScalarValue:
    """The value of a Python constant."""
    return ScalarValue(Constant(value), type(value))


def extent(dim: int | str | Dim) -> ScalarValue:
    """An extent as a Python integer; a plain constant where it is one."""
    known = Dim.of(dim)
    return constant(known.const) if known.const is not None else ScalarValue(Extent(known), int)


NONE = constant(None)


def elsewhere(value: LibraryValue) -> str:
    """What is wrong with a name of another file where its value is needed."""
    return f"`{value.path}` is defined in another file; its value is not known"


def is_none(value: Value) -> bool:
    return isinstance(value, ScalarValue) and value.scalar == Constant(None)


def sequence(*items: Value) -> SequenceValue:
    return SequenceValue(list(items))
