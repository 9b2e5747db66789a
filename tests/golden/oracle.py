"""Runs one torch expression twice, with torch and through the operation tables, and compares what comes out."""

from __future__ import annotations

import ast
import builtins
import math
import operator
import re
from typing import Any

from r0kit.golden import ops
from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, shape_of
from r0kit.golden.program import Constraint, Ref, Step
from r0kit.golden.scalars import Constant, Extent, Parameter, Reading, apply
from r0kit.golden.scalars import text as scalar_text
from r0kit.golden.values import (
    DictValue,
    DtypeValue,
    EllipsisValue,
    LibraryValue,
    ScalarValue,
    SequenceValue,
    SliceValue,
    TensorValue,
    Value,
    constant,
)

# Sizes with no common factors where that is possible, so that a mistake in a shape shows.
SIZES = {"B": 2, "M": 3, "N": 5, "K": 7, "P": 11, "H": 4, "S": 6, "D": 8, "C": 4, "W": 9, "Q": 13}
PARAMETERS = {"eps": 1e-5, "scale": 2.0, "count": 2}
# name: shape, dtype, how it is filled.
INPUTS: dict[str, tuple[tuple[str | int, ...], str, str]] = {
    "x": (("M", "N"), "float32", "randn"),
    "y": (("M", "N"), "float32", "randn"),
    "p": (("M", "N"), "float32", "positive"),
    "u": (("M", "N"), "float32", "unit"),
    "h": (("M", "N"), "float16", "randn"),
    "g": (("M", "N"), "bfloat16", "randn"),
    "d": (("M", "N"), "float64", "randn"),
    "i": (("M", "N"), "int64", "integers"),
    "j": (("M", "N"), "int32", "integers"),
    "e": (("M", "N"), "int8", "integers"),
    "m": (("M", "N"), "bool", "truth"),
    "n": (("M", "N"), "bool", "truth"),
    "nan": (("M", "N"), "float32", "nan"),
    "r": (("N",), "float32", "randn"),
    "c": (("M", 1), "float32", "randn"),
    "z": ((), "float32", "randn"),
    "zi": ((), "int64", "integers"),
    "v": (("K",), "float32", "randn"),
    "a": (("M", "K"), "float32", "randn"),
    "b": (("K", "N"), "float32", "randn"),
    "w": (("N", "K"), "float32", "randn"),
    "ha": (("M", "K"), "float16", "randn"),
    "hb": (("K", "N"), "float16", "randn"),
    "ia": (("M", "K"), "int32", "integers"),
    "ib": (("K", "N"), "int32", "integers"),
    "sq": (("N", "N"), "float32", "randn"),
    "t": (("B", "M", "N"), "float32", "randn"),
    "tk": (("B", "M", "K"), "float32", "randn"),
    "tkn": (("B", "K", "N"), "float32", "randn"),
    "q": (("B", "H", "S", "D"), "float32", "randn"),
    "k": (("B", "H", "P", "D"), "float32", "randn"),
    "vv": (("B", "H", "P", "D"), "float32", "randn"),
    "hq": (("B", "H", "S", "D"), "float16", "randn"),
    "causal": (("S", "P"), "bool", "mostly"),
    "bias4": (("B", 1, "S", "P"), "float32", "randn"),
    "img": (("B", "C", "W", "P"), "float32", "randn"),
    "sig": (("B", "C", "Q"), "float32", "randn"),
    "vol": (("B", "C", "S", "W", "K"), "float32", "randn"),
    "idx": (("P",), "int64", "rows"),
    "idx2": (("B", "P"), "int64", "rows"),
    "im": (("M", "N"), "int64", "rows"),
    "tgt": (("M",), "int64", "rows"),
    "mask1": (("M",), "bool", "mostly"),
}


def tensors(torch: Any) -> dict[str, Any]:
    """Every input as a real tensor; the same numbers each time."""
    torch.set_num_threads(1)  # the tensors are tiny
    torch.manual_seed(7)
    made = {}
    for name, (shape, dtype, filling) in INPUTS.items():
        extents = [SIZES[extent] if isinstance(extent, str) else extent for extent in shape]
        made[name] = _filled(torch, filling, extents).to(getattr(torch, dtype))
    return made


def _filled(torch: Any, filling: str, extents: list[int]) -> Any:
    normal = torch.randn(extents)
    match filling:
        case "positive":
            return normal.abs() + 0.5
        case "unit":
            return torch.rand(extents) * 0.9 + 0.05
        case "integers":
            return torch.randint(1, 9, extents)
        case "rows":
            return torch.randint(0, 3, extents)
        case "truth":
            return normal > 0
        case "mostly":
            return (normal > -1.5).index_fill(-1, torch.tensor([0]), True)
        case "nan":
            return torch.where(normal > 0.5, torch.tensor(math.nan), normal)
    return normal


_INPUT_VALUES = {name: TensorValue(name, shape_of(*shape), dtype) for name, (shape, dtype, _) in INPUTS.items()}


class Reader:
    """A minimal evaluator of expressions over the tables, for tests only."""

    def __init__(self, free: frozenset[str] = frozenset()) -> None:
        self.builder = Builder("case.py", ops.KINDS, PARAMETERS, {k: v for k, v in SIZES.items() if k not in free})
        self.names: dict[str, Value] = dict(_INPUT_VALUES)
        self.names |= {name: ScalarValue(Parameter(name), type(value)) for name, value in PARAMETERS.items()}
        self.names |= {"torch": LibraryValue("torch"), "F": LibraryValue("torch.nn.functional")}
        self.names |= {name: LibraryValue(name) for name in ("operator", "builtins", "math", "einops")}

    def read(self, node: ast.expr) -> Value:
        match node:
            case ast.Name(name):
                return self.names[name]
            case ast.Constant(value):
                return EllipsisValue() if value is ... else constant(value)
            case ast.Tuple(items) | ast.List(items):
                return SequenceValue([self.read(item) for item in items], isinstance(node, ast.List))
            case ast.Attribute(base, name):
                return self.attribute(self.read(base), name)
            case ast.Call():
                return self.call(node)
            case ast.Subscript(base, key):
                return self.subscript(self.read(base), key)
            case ast.BinOp(left, op, right):
                return self.operate(_BINARY[type(op)], self.read(left), self.read(right))
            case ast.UnaryOp(op, operand):
                return self.operate(_UNARY[type(op)], self.read(operand))
            case ast.Compare(left, [op], [right]):
                return self.operate(_COMPARE[type(op)], self.read(left), self.read(right))
        raise NotImplementedError(ast.dump(node))

    def attribute(self, base: Value, name: str) -> Value:
        if isinstance(base, LibraryValue):
            if base.path == "torch" and name in _DTYPES:
                return DtypeValue(name)
            return LibraryValue(f"{base.path}.{name}")
        if isinstance(base, TensorValue):
            known = ops.attribute(self.builder, base, name)
            return (
                known
                if known is not None
                else LibraryValue(
                    f"torch.Tensor.{name}",
                )
            )
        if isinstance(base, SequenceValue) and name in ("values", "indices"):
            return base.items[name == "indices"]
        raise NotImplementedError(name)

    def call(self, node: ast.Call) -> Value:
        args = [self.read(argument) for argument in node.args if not isinstance(argument, ast.Starred)]
        kwargs = {k.arg: self.read(k.value) for k in node.keywords if k.arg}
        if isinstance(node.func, ast.Attribute) and not isinstance(self.read_quietly(node.func.value), LibraryValue):
            base = self.read(node.func.value)
            if node.func.attr == "item" and isinstance(base, TensorValue):
                return ScalarValue(Reading(base.ref), float)  # the evaluator's part
            args = [base, *args]
            return ops.call(self.builder, f"torch.Tensor.{node.func.attr}", args, kwargs)
        if isinstance(node.func, ast.Name) and node.func.id == "float":
            return constant(float(ast.literal_eval(node.args[0])))
        target = self.read(node.func)
        assert isinstance(target, LibraryValue), target
        return ops.call(self.builder, target.path, args, kwargs)

    def read_quietly(self, node: ast.expr) -> Value | None:
        return self.read(node) if isinstance(node, (ast.Name, ast.Attribute)) else None

    def operate(self, name: str, *operands: Value) -> Value:
        if all(isinstance(operand, ScalarValue) for operand in operands):
            result = apply(_SCALAR[name], *(o.scalar for o in operands if isinstance(o, ScalarValue)))
            kind = type(result.value) if isinstance(result, Constant) else int if isinstance(result, Extent) else float
            return ScalarValue(result, kind)
        return ops.call(self.builder, f"operator.{name}", operands, {})

    def subscript(self, base: Value, key: ast.expr) -> Value:
        if isinstance(base, SequenceValue):
            if isinstance(key, ast.Slice):
                part = ast.unparse(key)
                return SequenceValue(eval(f"items[{part}]", {"items": base.items}))
            return base.items[ast.literal_eval(key)]
        assert isinstance(base, TensorValue)
        return ops.index(self.builder, base, self.items(key))

    def items(self, key: ast.expr) -> list[Value]:
        nodes = key.elts if isinstance(key, ast.Tuple) else [key]
        return [self.item(node) for node in nodes]

    def item(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Slice):
            return SliceValue(*(self.read(part) if part else None for part in (node.lower, node.upper, node.step)))
        return self.read(node)


# An in-place spelling, or an assignment.
IN_PLACE = re.compile(r"_\(|operator\.i|inplace=True| = ")
_BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor",
    ast.LShift: "lshift", ast.RShift: "rshift",
}  # fmt: skip
_UNARY = {ast.USub: "neg", ast.Invert: "invert", ast.UAdd: "pos"}
_COMPARE = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
_SCALAR = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "neg": "neg"}
_DTYPES = (
    "float16", "bfloat16", "float32", "float64", "int8", "uint8", "int16", "int32", "int64", "bool", "float", "half",
)  # fmt: skip


def namespace(torch: Any, made: dict[str, Any], text: str = "") -> dict[str, Any]:
    """What an expression is evaluated with: inputs that it writes into in place are copies."""
    written = set(re.findall(r"\w+", text)) if IN_PLACE.search(text) else set()
    import torch.nn.functional as functional

    return {
        **{name: value.clone() if name in written else value for name, value in made.items()},
        **PARAMETERS,
        "torch": torch,
        "F": functional,
        "operator": operator,
        "builtins": builtins,
        "math": math,
    }


def run_steps(steps: list[Step], names: dict[str, Any], sizes: dict[str, int]) -> dict[str, Any]:
    """Every Step computed from its torch text; its static shape and dtype compared with what torch says."""
    values = dict(names)
    for step in steps:
        texts = [operand_text(operand, sizes) for operand in step.operands]
        text = ops.torch_text(step, texts, lambda dim: str(dim.evaluate(sizes)))
        try:
            value = eval(text, values)
        except Exception as error:
            raise AssertionError(f"{step.op}: {text}: {error}") from error
        check_static(step.shape, step.dtype, value, sizes, text)
        values[_name(step.target)] = value
    return values


def _name(ref: str) -> str:
    """A Step's target, before it has a name of its own, as an identifier."""
    return ref.replace("%", "_v")


def operand_text(operand: Any, sizes: dict[str, int]) -> str:
    if isinstance(operand, Ref):
        return _name(operand.name)
    return scalar_text(operand, lambda dim: str(dim.evaluate(sizes)))


def check_static(shape: tuple[Dim, ...], dtype: str, value: Any, sizes: dict[str, int], text: str) -> None:
    """Static shape and dtype against the real ones; a symbol that is not bound yet takes the real extent."""
    assert str(value.dtype) == f"torch.{dtype}", f"{text}: dtype {dtype}, torch says {value.dtype}"
    assert len(shape) == value.dim(), f"{text}: shape {shape}, torch says {tuple(value.shape)}"
    for extent, real in zip(shape, value.shape, strict=True):
        if extent.symbol and extent.symbol not in sizes:
            sizes[extent.symbol] = real
        assert extent.evaluate(sizes) == real, f"{text}: shape {shape}, torch says {tuple(value.shape)}"


def leaves(value: Any) -> list[Any]:
    """Tensors and numbers of a result, in order."""
    if isinstance(value, SequenceValue):
        return [leaf for item in value.items for leaf in leaves(item)]
    if isinstance(value, DictValue):
        return [leaf for item in value.items.values() for leaf in leaves(item)]
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def compare(
    torch: Any, text: str, made: dict[str, Any], *, numbers: bool = True, free: frozenset[str] = frozenset()
) -> None:
    """The value of an expression through the tables against torch's own; both may refuse, but only together."""
    reader = Reader(free)
    try:
        real = eval(text, namespace(torch, made, text))
    except (TypeError, AttributeError, NotImplementedError, AssertionError):
        return  # not how this spelling is called, or no kernel for it: the tables may be more lenient
    except (RuntimeError, ValueError, IndexError) as error:
        if "accelerator" in str(error):
            return
        _expect_refusal(reader, text, error)
        return
    try:
        static = reader.read(ast.parse(text, mode="eval").body)
    except OperationError as error:
        raise AssertionError(f"{text}: the tables refuse: {error.message}") from error
    sizes = dict(SIZES)
    values = run_steps(reader.builder.steps, namespace(torch, made), sizes)
    ours, theirs = leaves(static), [torch.as_tensor(leaf) if hasattr(leaf, "tofile") else leaf for leaf in leaves(real)]
    assert len(ours) == len(theirs), f"{text}: {len(ours)} values, torch gives {len(theirs)}"
    for mine, known in zip(ours, theirs, strict=True):
        compare_leaf(torch, text, mine, known, values, sizes, numbers)


def read_store(reader: Reader, text: str) -> tuple[TensorValue, str]:
    """`x[...] = value` through the tables: the new value, and the name of what it is stored into."""
    statement = ast.parse(text).body[0]
    assert isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript)
    target = statement.targets[0]
    tensor, value = reader.read(target.value), reader.read(statement.value)
    assert isinstance(tensor, TensorValue)
    return ops.store(reader.builder, tensor, reader.items(target.slice), value), tensor.ref


def compare_store(torch: Any, text: str, made: dict[str, Any]) -> None:
    """`x[...] = value` as a functional update against torch's own store."""
    names = namespace(torch, made, text)
    exec(text, names)
    reader, sizes = Reader(), dict(SIZES)
    stored, name = read_store(reader, text)
    values = run_steps(reader.builder.steps, namespace(torch, made), sizes)
    compare_leaf(torch, text, stored, names[name], values, sizes, True)


def check_unbound(torch: Any, text: str, made: dict[str, Any]) -> None:
    """Shape and dtype of an expression where no symbol is bound to a number while the tables work."""
    reader, sizes = Reader(frozenset(SIZES)), dict(SIZES)
    try:
        static = reader.read(ast.parse(text, mode="eval").body)
    except OperationError as error:
        assert "p0 case" in error.hint, f"{text}: {error.message}"
        return
    assumed = bool(reader.builder.findings) or any(c.assumed for c in reader.builder.constraints)
    broken = [c for c in reader.builder.constraints if not _holds(c, sizes)]
    real = eval(text, namespace(torch, made, text))
    for mine, known in zip(leaves(static), leaves(real), strict=False):
        if isinstance(mine, TensorValue) and not assumed and not broken:
            check_static(mine.shape, mine.dtype, known, sizes, text)


def _holds(constraint: Constraint, sizes: dict[str, int]) -> bool:
    try:
        return constraint.left.evaluate(sizes) == constraint.right.evaluate(sizes)
    except KeyError:
        return True


def _expect_refusal(reader: Reader, text: str, error: Exception) -> None:
    try:
        value = reader.read(ast.parse(text, mode="eval").body)
    except OperationError:
        return
    raise AssertionError(f"{text}: torch refuses ({error}), the tables give {value}")


def compare_leaf(
    torch: Any, text: str, mine: Value, known: Any, values: dict[str, Any], sizes: dict[str, int], numbers: bool
) -> None:
    if isinstance(mine, ScalarValue):
        got = eval(operand_text(mine.scalar, sizes), values)
        assert got == known or math.isclose(got, float(known), rel_tol=1e-5), f"{text}: {got}, torch says {known}"
        return
    if isinstance(mine, DtypeValue):
        assert f"torch.{mine.name}" == str(known), f"{text}: {mine.name}, torch says {known}"
        return
    assert isinstance(mine, TensorValue), f"{text}: {mine}"
    check_static(mine.shape, mine.dtype, known, sizes, text)
    got = values[_name(mine.ref)]
    if numbers:
        assert close(torch, got, known), f"{text}:\n{got}\ntorch says\n{known}"


def close(torch: Any, got: Any, known: Any) -> bool:
    narrow = known.dtype in (torch.float16, torch.bfloat16)
    tolerance = 2e-2 if narrow else 2e-5
    return bool(torch.allclose(got.double(), known.double(), rtol=tolerance, atol=tolerance, equal_nan=True))
