"""Module of a contract -> Work: its `golden_steps` in single-assignment form, with shapes in numbers.

Intermediate values are taken as float32, as the states of a Module are, but where the Module's `api` record has no cast:
then it computes in the dtype that it reads. Reduced axes stay, with extent 1, and a value of lower rank gets axes of
extent 1 where its own axes say so: what crosses between Modules is stored that way as well.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from r0kit.contract.model import Contract, Module
from r0kit.plan.expression import Call, Listed, Name, Node, Number, UnreadError, read_line
from r0kit.plan.extents import Extents, Shape, concrete, dimensions, product, tensor_of
from r0kit.plan.work import BYTES, Operation, Value, Work

MOST_LINES = 400
NARROW = ("float16", "bfloat16", "float8")
ARITHMETIC = ("add", "sub", "mul", "div", "pow", "max", "min", "maximum", "minimum", "clamp")
CREATED = {"zeros": 0.0, "ones": 1.0, "empty": 0.0, "full": 0.0}
TRUTHS = ("lt", "le", "gt", "ge", "eq", "ne", "logical_and", "logical_or", "logical_not")
FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "floor_divide": lambda a, b: a // b,
    "neg": lambda a: -a,
    "pow": lambda a, b: float(a) ** b,
    "sqrt": math.sqrt,
    "log": math.log,
    "exp": math.exp,
}


@lru_cache(maxsize=1)
def table() -> Mapping[str, Mapping[str, str]]:
    """Operations that planning reads: kind, and how the graph API says them."""
    rows: Mapping[str, Mapping[str, str]] = json.loads(Path(__file__).with_name("operations.json").read_text("utf-8"))[
        "operations"
    ]
    return rows


def work_of(contract: Contract, module: Module, extents: Extents) -> Work:
    """The Work of a vector Module. ExtentError where an axis has no extent."""
    reader = _Reader(contract, module, extents)
    try:
        return reader.work()
    except UnreadError as error:
        return reader.counted(str(error))


class _Reader:
    """Values and operations of one Module, as far as they have been read."""

    def __init__(self, contract: Contract, module: Module, extents: Extents) -> None:
        self.contract, self.module, self.extents = contract, module, extents
        self.values: dict[str, Value] = {}
        self.operations: list[Operation] = []
        self.scalars = {name: value for name, value in contract.params.items() if _is_number(value)}
        self.casts = not module.api or any(row.get("op") == "cast" for row in module.api)
        self.wide: dict[str, str] = {}
        self.aliases: dict[str, str] = {}
        self.fresh: set[str] = set()
        self.count = 0
        for wire in module.inputs:
            self._declare(wire.name)
        self.inputs = tuple(self.values)

    def work(self) -> Work:
        """All lines read. UnreadError where one says what is not known."""
        if not self.module.golden_steps or len(self.module.golden_steps) > MOST_LINES:
            raise UnreadError(f"{len(self.module.golden_steps)} lines in golden_steps")
        for line in self.module.golden_steps:
            target, node = read_line(line)
            self._named(target, self._value(node))
        outputs = tuple(dict.fromkeys(output.name for output in self.module.outputs))
        for name in outputs:
            if name not in self.values or not isinstance(self.values[name], Value):
                raise UnreadError(f"no line computes the output {name}")
            self._as_declared(name)
        return self._finished(outputs)

    def counted(self, why: str) -> Work:
        """Inputs, outputs and one temporary per line, all as large as the largest of them."""
        values = {name: self.values[name] for name in self.inputs}
        for output in self.module.outputs:
            values.setdefault(output.name, self._declared(output.name, output.shape, output.dtype))
        largest = max(values.values(), key=lambda value: product(value.shape), default=Value("", (), (), ""))
        space, axes = largest.shape or (1,), largest.axes or ("1",)
        outputs = tuple(dict.fromkeys(output.name for output in self.module.outputs))
        reduces = tuple(map(str, (self.module.traversal or {}).get("reduces", ())))
        reduced = tuple(at for at, axis in enumerate(axes) if axis in reduces)
        operations: list[Operation] = []
        last: tuple[str | float, ...] = self.inputs
        for number, _ in enumerate(self.module.golden_steps[:MOST_LINES] or ("",)):
            name = f"step {number + 1}"
            values[name] = Value(name, axes, space, "float32")
            kind = "reduction" if reduced and not number else "counted"
            operations.append(Operation(name, "step", kind, last, space, reduced if not number else ()))
            last = (name,)
        operations += (Operation(name, "step", "counted", last, space) for name in outputs)
        return Work(values, tuple(operations), self.inputs, outputs, space, axes, why, self._algorithm())

    def _finished(self, outputs: tuple[str, ...]) -> Work:
        used = {name for step in self.operations for name in step.operands if isinstance(name, str)} | set(outputs)
        operations = tuple(step for step in self.operations if step.target in used)
        if not operations:
            raise UnreadError("the lines compute nothing")
        spaces = [(product(step.space), step.space) for step in operations]
        space = max(spaces, key=lambda pair: pair[0])[1]
        rank = len(space)
        if any(len(step.space) != rank for step in operations):
            raise UnreadError("its values differ in rank")
        axes = next(self._axes_of(step) for step in operations if step.space == space)
        return Work(dict(self.values), operations, self.inputs, outputs, space, axes, algorithm=self._algorithm())

    def _axes_of(self, step: Operation) -> tuple[str, ...]:
        names = [self.values[name] for name in (*step.operands, step.target) if isinstance(name, str)]
        return tuple(
            next((value.axes[at] for value in names if value.axes[at] != "1"), "1") for at in range(len(step.space))
        )

    def _algorithm(self) -> str:
        return str((self.module.traversal or {}).get("algorithm", ""))

    # Values.

    def _declare(self, name: str) -> None:
        tensor = tensor_of(self.contract, self.module, name)
        self.values[name] = self._declared(name, tensor.shape, tensor.dtype)

    def _declared(self, name: str, shape: str, dtype: str) -> Value:
        numbers = concrete(shape, self.extents)
        names = dimensions(shape)
        return Value(name, names or ("1",), numbers or (1,), dtype)

    def _named(self, target: str, made: str | float) -> None:
        """Give what a line made the line's own name."""
        if isinstance(made, float):
            self.scalars[target] = made
        elif made == self._last():
            self._rename(made, target)
        elif target in (output.name for output in self.module.outputs):
            value = self.values[made]
            self._add(Operation(target, "clone", "elementwise", (made,), value.shape), value.axes, value.dtype)
        else:
            self.aliases[target] = made

    def _last(self) -> str:
        """The value of the last operation, where that has no name of its own yet."""
        return self.operations[-1].target if self.operations and self.operations[-1].target in self.fresh else ""

    def _rename(self, old: str, new: str) -> None:
        if new in self.values:
            raise UnreadError(f"{new} is computed twice")
        step, value = self.operations.pop(), self.values.pop(old)
        self.fresh.remove(old)
        self.values[new] = Value(new, value.axes, value.shape, value.dtype)
        self.operations.append(Operation(new, step.op, step.kind, step.operands, step.space, step.axes))

    def _as_declared(self, name: str) -> None:
        dtype = next((output.dtype for output in self.module.outputs if output.name == name), "")
        value = self.values[name]
        if dtype and dtype != value.dtype and name not in self.inputs:
            self.values[name] = Value(name, value.axes, value.shape, dtype)

    def _made(self, step: Operation, axes: tuple[str, ...], dtype: str) -> str:
        """A value without a name; the same operation on the same operands is one value."""
        for other in self.operations:
            same = (other.op, other.operands, other.axes) == (step.op, step.operands, step.axes)
            if same and self.values[other.target].dtype == dtype:
                return other.target
        self.fresh.add(step.target)
        return self._add(step, axes, dtype)

    def _fresh(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def _add(self, step: Operation, axes: tuple[str, ...], dtype: str) -> str:
        if step.target in self.values:
            raise UnreadError(f"{step.target} is computed twice")
        shape = tuple(1 if step.kind == "reduction" and at in step.axes else n for at, n in enumerate(step.space))
        kept = tuple(
            "1" if length == 1 and at in step.axes else axis
            for at, (axis, length) in enumerate(zip(axes, shape, strict=True))
        )
        self.values[step.target] = Value(step.target, kept, shape, dtype)
        self.operations.append(step)
        return step.target

    # Expressions.

    def _value(self, node: Node) -> str | float:
        """The name of the value that `node` computes, or the number that it is."""
        match node:
            case Number(value):
                return float(value)
            case Name(name):
                return self._name(name)
            case Call():
                return self._call(node)
            case Listed():
                raise UnreadError(f"the list [{', '.join(node.entries)}]")

    def _name(self, name: str) -> str | float:
        name = self.aliases.get(name, name)
        if name in self.values:
            return name
        if name in self.scalars:
            return float(self.scalars[name])
        if name in self.extents:
            return float(self.extents[name])
        if name in self.contract.params:
            raise UnreadError(f"the parameter {name} is no number")
        raise UnreadError(f"{name} is no value of the Module")

    def _call(self, node: Call) -> str | float:
        if node.op in BYTES:
            return self._cast(node)
        if node.op in CREATED:
            return self._created(node)
        if node.op == "arange" and len(node.args) == 1:
            return self._counting(node.args[0])
        row = table().get(node.op)
        if row is None:
            raise UnreadError(f"{node.op} is not an operation that planning reads")
        if row["kind"] in ("reduction", "whole"):
            return self._over_axes(node, row["kind"])
        operands = [self._value(argument) for argument in node.args]
        if node.op == "scalar_tensor":
            return operands[0]
        if all(isinstance(operand, float) for operand in operands):
            return _number(node.op, operands)
        if row["kind"] != "elementwise":
            raise UnreadError(f"{node.op} in a vector Module")
        return self._elementwise(node.op, operands)

    def _created(self, node: Call) -> float:
        """A tensor of one value computes as that number does."""
        value = self._value(node.args[0]) if node.op == "full" and node.args else CREATED[node.op]
        if isinstance(value, float):
            return value
        raise UnreadError(f"{node.op} of the tensor {value}")

    def _counting(self, node: Node) -> str:
        """The numbers 0, 1, ... along an axis."""
        axis = _spelled(node)
        extent = concrete(f"[{axis}]", self.extents)
        return self._made(Operation(self._fresh(), "arange", "elementwise", (), extent), (axis,), "int32")

    def _cast(self, node: Call) -> str | float:
        operands = [self._value(argument) for argument in node.args]
        if len(operands) != 1:
            raise UnreadError(f"{node.op} of {len(operands)} values")
        if isinstance(operands[0], float):
            return operands[0]
        value = self.values[operands[0]]
        step = Operation(self._fresh(), "cast", "elementwise", (operands[0],), value.shape)
        return self._made(step, value.axes, node.op)

    def _elementwise(self, op: str, operands: list[str | float]) -> str:
        mixed = op in ARITHMETIC and self._floats(op, operands)
        widened = [self._widened(operand, mixed) if isinstance(operand, str) else operand for operand in operands]
        names = [operand for operand in widened if isinstance(operand, str)]
        axes, space = self._broadcast(names)
        dtype = "bool" if op in TRUTHS else _promoted([self.values[name].dtype for name in names])
        return self._made(Operation(self._fresh(), op, "elementwise", tuple(widened), space), axes, dtype)

    def _floats(self, op: str, operands: list[str | float]) -> bool:
        """Whether the operation computes in floating point: one of its operands is such, or no integer."""
        dtypes = [self.values[operand].dtype for operand in operands if isinstance(operand, str)]
        whole = all(operand.is_integer() and abs(operand) < 2**31 for operand in operands if isinstance(operand, float))
        return op == "div" or not whole or any("float" in dtype for dtype in dtypes)

    def _widened(self, name: str, mixed: bool = False) -> str:
        """The value as float32, where the Module computes in it: one cast for each value. mixed: integers as well."""
        value = self.values[name]
        narrow = value.dtype in NARROW and self.casts
        if not narrow and not (mixed and "float" not in value.dtype):
            return name
        if name not in self.wide:
            step = Operation(f"{name}_f32", "cast", "elementwise", (name,), value.shape)
            self.wide[name] = self._add(step, value.axes, "float32")
        return self.wide[name]

    def _over_axes(self, node: Call, kind: str) -> str:
        first = self._value(node.args[0]) if node.args else 1.0
        if isinstance(first, float):
            raise UnreadError(f"{node.op} of a number")
        name = self._widened(first)
        value = self.values[name]
        axes = tuple(sorted({self._axis(value, argument) for argument in node.args[1:]} | self._numbered(value, node)))
        axes = axes or tuple(range(len(value.shape)))
        dtype = "int32" if node.op.startswith("arg") else value.dtype
        return self._made(Operation(self._fresh(), node.op, kind, (name,), value.shape, axes), value.axes, dtype)

    def _axis(self, value: Value, node: Node) -> int:
        text = _spelled(node)
        if value.axes.count(text) != 1:
            raise UnreadError(f"{text} is no axis of {value.name}")
        return value.axes.index(text)

    def _numbered(self, value: Value, node: Call) -> set[int]:
        found: set[int] = set()
        for key, text in node.attrs:
            if key == "dim" and text.isdigit() and int(text) < len(value.shape):
                found.add(int(text))
            elif key == "dim":
                raise UnreadError(f"dim={text} of {value.name}")
        return found

    def _broadcast(self, names: list[str]) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Axes and shape of the values together; those of lower rank are stretched to the rank of the others."""
        widest = max((self.values[name] for name in names), key=lambda value: (len(value.shape), product(value.shape)))
        axes, shape = list(widest.axes), list(widest.shape)
        for name in names:
            value = self._stretched(name, widest)
            for at, (axis, length) in enumerate(zip(value.axes, value.shape, strict=True)):
                if shape[at] == 1 and (length > 1 or axes[at] == "1"):
                    axes[at], shape[at] = axis, length
                elif length not in (1, shape[at]):
                    raise UnreadError(f"{name} and {widest.name} do not broadcast")
        return tuple(axes), tuple(shape)

    def _stretched(self, name: str, widest: Value) -> Value:
        """The value at the rank of the widest one; what computes it, elementwise from inputs, is stretched with it."""
        value = self.values[name]
        if len(value.shape) == len(widest.shape):
            return value
        axes, shape = _stretch(value, _places(value.axes, widest.axes), len(widest.shape))
        made = next((at for at, step in enumerate(self.operations) if step.target == name), None)
        used = [step for step in self.operations if name in step.operands and len(step.space) != len(shape)]
        if used or (made is not None and self.operations[made].kind != "elementwise"):
            raise UnreadError(f"{name} is used at another rank than it has")
        self.values[name] = Value(name, axes, shape, value.dtype)
        if made is not None:
            step = self.operations.pop(made)
            for operand in dict.fromkeys(step.operands):
                if isinstance(operand, str):
                    self._stretched(operand, widest)
            self.operations.insert(made, Operation(name, step.op, step.kind, step.operands, shape))
        return self.values[name]


def _stretch(value: Value, places: list[int], rank: int) -> tuple[tuple[str, ...], Shape]:
    axes, shape = ["1"] * rank, [1] * rank
    for place, axis, length in zip(places, value.axes, value.shape, strict=True):
        axes[place], shape[place] = axis, length
    return tuple(axes), tuple(shape)


def _places(axes: tuple[str, ...], within: tuple[str, ...]) -> list[int]:
    """Where the axes of a value lie in a longer shape: by name from the right, else as numpy broadcasts."""
    places: list[int] = []
    at = len(within) - 1
    for axis in reversed(axes):
        while at >= 0 and axis not in ("1", within[at]):
            at -= 1
        if at < 0:
            return list(range(len(within) - len(axes), len(within)))
        places.insert(0, at)
        at -= 1
    return places


def _promoted(dtypes: list[str]) -> str:
    floats = [dtype for dtype in dtypes if "float" in dtype]
    known = floats or dtypes
    return max(known, key=lambda dtype: BYTES.get(dtype, 4)) if known else "float32"


def _number(op: str, operands: list[Any]) -> float:
    """A scalar expression; 1 where it has no value: it changes nothing that is planned."""
    try:
        return float(FUNCTIONS[op](*operands))
    except (KeyError, ValueError, ArithmeticError, TypeError):
        return 1.0


def _spelled(node: Node) -> str:
    """An axis as `dimensions` spells it."""
    infix = {"add": "+", "sub": "-", "mul": "*", "floor_divide": "//"}
    match node:
        case Name(name):
            return name
        case Number(value):
            return str(int(value))
        case Call(op, (left, right)) if op in infix:
            return f"{_spelled(left)} {infix[op]} {_spelled(right)}"
    raise UnreadError("an axis that planning does not read")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
