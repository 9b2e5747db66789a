"""Values and operations of a traced kernel. Identity matters, not equality: a value is one point of the data flow."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["tensor", "scalar", "tuple", "none", "unknown"]
Dimension = int | None  # None: an extent that the source does not tell
Shape = tuple[Dimension, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """shape, dtype, number: None where unknown; op: what computed it; name: parameter or closure it comes from.

    closure: a Python value from outside the kernel; nd: not in the NZ format.
    """

    kind: Kind
    shape: Shape | None = None
    dtype: str | None = None
    number: float | None = None
    op: Op | None = None
    items: tuple[Value, ...] = ()
    name: str = ""
    closure: bool = False
    nd: bool = True

    @property
    def is_tensor(self) -> bool:
        return self.kind == "tensor"

    @property
    def is_scalar(self) -> bool:
        return self.kind == "scalar"

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)


UNKNOWN = Value("unknown")
NONE = Value("none")


@dataclass(frozen=True, slots=True)
class Tile:
    """The tile that is in force. state: whether it was set on every, no or some path; sizes: None where unknown."""

    state: Literal["unset", "set", "maybe"] = "unset"
    sizes: Shape | None = None
    node: ast.Call | None = None


MAYBE = Tile("maybe")


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """One operation. form: how it is spelt; vec, cube: the tiles in force; args: tensors and scalars, in order."""

    name: str
    args: tuple[Value, ...]
    options: dict[str, Value]
    node: ast.expr
    form: Literal["operator", "function", "method"]
    vec: Tile
    cube: Tile

    def arg(self, index: int, name: str) -> Value | None:
        """An argument by position (0 is the tensor that a method is called on) or by name."""
        if name in self.options:
            return self.options[name]
        return self.args[index] if index < len(self.args) else None


@dataclass(slots=True)
class Kernel:
    """A function as traced. jit: it is a kernel and not merely a helper; results: of every operation, by its Op.

    stores: written tensor, value, statement; calls: what was called, resolved as far as possible.
    """

    node: ast.FunctionDef
    jit: bool
    params: dict[str, Value]
    outer: tuple[ast.FunctionDef | ast.ClassDef, ...] = ()
    ops: list[Op] = field(default_factory=list)
    results: dict[int, Value] = field(default_factory=dict)
    stores: list[tuple[Value, Value, ast.AST]] = field(default_factory=list)
    tiles: list[Tile] = field(default_factory=list)
    loops: bool = False
    whole: bool = True

    @property
    def name(self) -> str:
        return self.node.name

    def result(self, op: Op) -> Value:
        return self.results.get(id(op), UNKNOWN)

    def uses(self, value: Value) -> int:
        """How many operations and stores read `value`."""
        read = sum(argument is value for op in self.ops for argument in (*op.args, *op.options.values()))
        return read + sum(stored is value for _, stored, _ in self.stores)
