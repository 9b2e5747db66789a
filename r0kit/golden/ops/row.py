"""The row type of the operation tables, and the binding of a call's arguments to a row's signature."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Shape
from r0kit.golden.dtypes import BYTES, canonical
from r0kit.golden.scalars import Constant, Scalar
from r0kit.golden.values import (
    NONE,
    DictValue,
    DtypeValue,
    LibraryValue,
    ScalarValue,
    SequenceValue,
    TensorValue,
    UnknownValue,
    Value,
    constant,
    is_none,
)

# Prefixes that the tables' spellings are written with.
PREFIXES = {
    "T": "torch.Tensor",
    "F": "torch.nn.functional",
    "nn": "torch.nn",
    "special": "torch.special",
    "linalg": "torch.linalg",
    "op": "operator",
}
# Other names for parameters, numpy's for the most part; torch accepts them too.
ALIASES = {
    "axis": "dim",
    "axes": "dim",
    "keepdims": "keepdim",
    "self": "input",
    "x": "input",
    "a": "input",
    "x1": "input",
    "x2": "other",
    "size": "shape",
    "sizes": "shape",
    "ddof": "correction",
    "axis0": "dim0",
    "axis1": "dim1",
    "mat2": "other",
    "vec": "other",
    "vec2": "other",
    "tensor": "other",
    "exponent": "other",
    "a_min": "min",
    "a_max": "max",
    "diagonal": "offset",
    "k": "diagonal",
    "A": "input",
    "B": "other",
}


@dataclass(frozen=True, slots=True)
class Call:
    """One call with every parameter of its row's signature bound; a `*name` parameter is bound to a sequence.

    The readers below turn an argument into what a rule needs. OperationError where it is something else.
    """

    builder: Builder
    path: str
    arguments: Mapping[str, Value]

    def __getitem__(self, name: str) -> Value:
        return self.arguments[name]

    def given(self, name: str) -> bool:
        """Whether the argument is there and not None."""
        return name in self.arguments and not is_none(self.arguments[name])

    def tensor(self, name: str) -> TensorValue:
        return as_tensor(self.arguments[name], name)

    def optional(self, name: str) -> TensorValue | None:
        return self.tensor(name) if self.given(name) else None

    def tensors(self, name: str) -> list[TensorValue]:
        return [as_tensor(item, name) for item in items_of(self.arguments[name])]

    def flag(self, name: str) -> bool:
        return bool(self.builder.fold(self.arguments[name], name))

    def integer(self, name: str) -> int:
        return self.builder.integer(self.arguments[name], name)

    def number(self, name: str) -> float:
        """A number that the shape or the choice of Steps needs; a mere factor stays symbolic (`self[name]`)."""
        value = self.builder.fold(self.arguments[name], name)
        if not isinstance(value, (int, float)):
            raise OperationError(f"{name} must be a number, not {value!r}")
        return value

    def word(self, name: str) -> str:
        """A string argument, such as a mode."""
        return str(self.builder.fold(self.arguments[name], name))

    def scalar(self, name: str) -> Scalar:
        """A number that may be symbolic. OperationError for a tensor, a string or None."""
        return as_scalar(self.arguments[name], name)

    def axis(self, name: str, rank: int) -> int:
        return normal_axis(self.integer(name), rank)

    def own_axis(self, name: str, rank: int) -> int:
        """An axis that the tensor has: torch does not take a 0-d tensor for one with an axis here."""
        if rank == 0:
            raise OperationError(f"{self.path.rpartition('.')[2]} needs an axis, and a 0-d tensor has none")
        return self.axis(name, rank)

    def axes(self, name: str, rank: int) -> tuple[int, ...]:
        """Axes counted from 0, sorted; all of them where the argument is None or empty."""
        if not self.given(name):
            return tuple(range(rank))
        axes = [normal_axis(self.builder.integer(item, name), rank) for item in items_of(self.arguments[name])]
        if len(set(axes)) != len(axes):
            raise OperationError(f"{name} names an axis twice: {tuple(axes)}")
        return tuple(sorted(axes)) or tuple(range(rank))

    def integers(self, name: str, count: int = 0) -> tuple[int, ...]:
        """A sequence of integers; one integer stands for `count` of them."""
        values = tuple(self.builder.integer(item, name) for item in items_of(self.arguments[name]))
        return values * count if len(values) == 1 and count else values

    def extents(self, name: str) -> Shape:
        """A shape, given as one sequence or as separate numbers."""
        return tuple(self.builder.extent(item, name) for item in items_of(self.arguments[name]))

    def dtype(self, name: str = "dtype") -> str | None:
        """A dtype argument; None where left out."""
        return as_dtype(self.arguments[name]) if self.given(name) else None


Rule = Callable[[Call], Value]


@dataclass(frozen=True, slots=True)
class Operation:
    """One canonical operation as goldens call it.

    name: its canonical name, that of its Step where it has one Step of its own.
    spellings: every full path that means it ("torch.exp", "torch.Tensor.exp", "operator.add"); `x.f_()` is found as `x.f()`.
    signature: parameters as Python writes them, the tensor of a method first.
    rule: emits the Steps and returns the value: shape rule, dtype rule and expansion in one function of the bound call.
    """

    name: str
    spellings: tuple[str, ...]
    signature: str
    rule: Rule


def row(name: str, spellings: str, signature: str, rule: Rule) -> Operation:
    """A row from spellings with short prefixes ("torch.exp T.exp F.relu"); `both.f` is "torch.f T.f"."""
    paths: list[str] = []
    for spelling in spellings.split():
        prefix, _, rest = spelling.rpartition(".")
        prefixes = ("torch", "T") if prefix == "both" else (prefix,)
        paths += [f"{PREFIXES.get(known, known)}.{rest}" for known in prefixes]
    return Operation(name, tuple(paths), signature, rule)


@dataclass(frozen=True, slots=True)
class Signature:
    """Parameters of a row: positional ones in order, `*rest`, `**more`, keyword-only ones, and defaults."""

    names: tuple[str, ...]
    rest: str
    more: str
    keywords: tuple[str, ...]
    defaults: Mapping[str, Value]


@cache
def parse_signature(text: str) -> Signature:
    """The signature that a row writes as Python parameters."""
    definition = ast.parse(f"def f{text}: pass").body[0]
    assert isinstance(definition, ast.FunctionDef)
    given = definition.args
    names = tuple(a.arg for a in given.args)
    defaults = {
        name: _default(node)
        for name, node in zip(names[len(names) - len(given.defaults) :], given.defaults, strict=True)
    }
    defaults |= {a.arg: _default(node) for a, node in zip(given.kwonlyargs, given.kw_defaults, strict=True) if node}
    rest = given.vararg.arg if given.vararg else ""
    more = given.kwarg.arg if given.kwarg else ""
    return Signature(names, rest, more, tuple(a.arg for a in given.kwonlyargs), defaults)


def _default(node: ast.expr) -> Value:
    value = ast.literal_eval(node)
    return SequenceValue([constant(item) for item in value]) if isinstance(value, tuple) else constant(value)


def bind(text: str, path: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> dict[str, Value]:
    """Arguments by parameter name. OperationError where the call does not fit the signature."""
    signature = parse_signature(text)
    short = path.rpartition(".")[2]
    if len(args) > len(signature.names) and not signature.rest:
        raise OperationError(f"{short} takes at most {len(signature.names)} arguments, not {len(args)}")
    bound: dict[str, Value] = dict(zip(signature.names, args, strict=False))
    if signature.rest:
        bound[signature.rest] = SequenceValue(list(args[len(signature.names) :]))
    extra: dict[Any, Value] = {}
    for name, value in kwargs.items():
        if signature.more and name not in signature.names:
            extra[name] = value
        else:
            bound[_parameter(signature, name, short)] = value
    if signature.more:
        bound[signature.more] = DictValue(extra)
    missing = [name for name in (*signature.names, *signature.keywords) if name not in bound]
    for name in missing:
        if name not in signature.defaults:
            raise OperationError(f"{short} needs an argument {name}")
        bound[name] = signature.defaults[name]
    return bound


def _parameter(signature: Signature, name: str, short: str) -> str:
    """The parameter that a keyword means, through the aliases where need be."""
    names = {*signature.names, *signature.keywords, signature.rest}
    if name in names:
        return name
    if ALIASES.get(name) in names:
        return ALIASES[name]
    if name in IGNORED:
        return name
    raise OperationError(f"{short} has no argument {name} in r0kit's tables", "leave the argument out, or spell it out")


# Arguments that say where and how memory is laid out, or whether gradients flow: no effect on the value.
IGNORED = frozenset(
    {"device", "requires_grad", "layout", "pin_memory", "memory_format", "non_blocking", "copy", "inplace", "generator"}
)


def items_of(value: Value) -> list[Value]:
    """The items of a sequence, looking through one level of nesting (`view((2, 3))`); a single value is one item."""
    if not isinstance(value, SequenceValue):
        return [value]
    if len(value.items) == 1 and isinstance(value.items[0], SequenceValue):
        return value.items[0].items
    return value.items


def as_tensor(value: Value, what: str) -> TensorValue:
    if isinstance(value, TensorValue):
        return value
    if isinstance(value, UnknownValue):
        raise OperationError(f"{what} is not known: {value.reason}")
    raise OperationError(f"{what} must be a tensor, not a {kind_of(value)}")


def as_scalar(value: Value, what: str) -> Scalar:
    """A number, perhaps a symbolic one. OperationError where it is something else."""
    if not isinstance(value, ScalarValue):
        raise OperationError(f"{what} must be a number, not a {kind_of(value)}")
    if isinstance(value.scalar, Constant) and not isinstance(value.scalar.value, (int, float)):
        raise OperationError(f"{what} must be a number, not {value.scalar.value!r}")
    return value.scalar


def kind_of(value: Value) -> str:
    return type(value).__name__.removesuffix("Value").lower()


# Python's types and torch's tensor types, as dtypes.
OLD_DTYPES = {
    "builtins.float": "float32",
    "builtins.int": "int64",
    "builtins.bool": "bool",
    "torch.Tensor": "float32",
    "torch.FloatTensor": "float32",
    "torch.DoubleTensor": "float64",
    "torch.HalfTensor": "float16",
    "torch.BFloat16Tensor": "bfloat16",
    "torch.LongTensor": "int64",
    "torch.IntTensor": "int32",
    "torch.ShortTensor": "int16",
    "torch.CharTensor": "int8",
    "torch.ByteTensor": "uint8",
    "torch.BoolTensor": "bool",
}


def as_dtype(value: Value) -> str:
    """A dtype from `torch.float32`, Python's float, int and bool, or a tensor type. OperationError where it is none."""
    if isinstance(value, DtypeValue):
        return value.name
    name = value.path if isinstance(value, LibraryValue) else ""
    known = OLD_DTYPES.get(name) or canonical(name)
    if known not in BYTES:
        raise OperationError(f"a {kind_of(value)} is not a dtype")
    return known


def normal_axis(axis: int, rank: int) -> int:
    """The axis counted from 0; torch lets a 0-d tensor be treated as having one axis."""
    bound = max(rank, 1)
    if not -bound <= axis < bound:
        raise OperationError(f"axis {axis} is out of range for {rank} dimensions")
    return axis % bound


def is_number(value: Value) -> bool:
    """Whether it is a Python number (or a scalar expression), not None."""
    return isinstance(value, ScalarValue) and value != NONE
