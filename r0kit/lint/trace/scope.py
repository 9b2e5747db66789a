"""Names of a kernel file: what an import calls pypto, and the constants and functions that kernels see from outside."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from r0kit.lint.trace.model import UNKNOWN, Shape, Value
from r0kit.lint.trace.shapes import words

Scope = ast.FunctionDef | ast.ClassDef
SCALAR_NAMES = words(
    "eps epsilon alpha delta margin slope negative_slope lambd threshold temperature momentum inv_count inv_n"
)
_NUMBERS = ("int", "float", "bool")


@dataclass(frozen=True, slots=True)
class Names:
    """aliases: name -> dotted name it stands for; constants and functions: those of the module."""

    aliases: dict[str, str] = field(default_factory=dict)
    constants: dict[str, Value] = field(default_factory=dict)
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)

    def dotted(self, node: ast.expr) -> str | None:
        """`pypto.frontend.jit` for any spelling of it; None for what is not a dotted name."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        return ".".join((self.aliases.get(node.id, node.id), *reversed(parts)))

    def is_jit(self, decorator: ast.expr) -> bool:
        """Whether a decorator makes a kernel of the graph API."""
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        return self.dotted(called) in ("pypto.frontend.jit", "pypto.jit")


def names_of(tree: ast.Module, nodes: Iterable[ast.AST]) -> Names:
    """The names of a module."""
    aliases = dict(pair for node in nodes for pair in _imported(node))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    return Names(aliases, constants_of(tree.body), functions)


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield (alias.asname, alias.name) if alias.asname else (alias.name.split(".")[0],) * 2
    elif isinstance(node, ast.ImportFrom) and not node.level:
        for alias in node.names:
            yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def constants_of(body: list[ast.stmt]) -> dict[str, Value]:
    """Names of a scope that are assigned once, and to a constant."""
    counts = Counter(
        node.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    constants: dict[str, Value] = {}
    for statement in body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            if counts[name] == 1:
                constants[name] = constant(statement.value, constants, name)
    return constants


def constant(node: ast.expr, known: dict[str, Value], name: str = "") -> Value:
    """A number, or a list or tuple of numbers, as a value; UNKNOWN for anything else."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return Value("tuple", items=tuple(constant(item, known) for item in node.elts))
    if isinstance(node, ast.Name):
        return known.get(node.id, UNKNOWN)
    if isinstance(node, ast.BinOp):
        operands = constant(node.left, known), constant(node.right, known)
        return (
            Value("scalar", number=fold(node.op, *operands), name=name)
            if all(v.is_scalar for v in operands)
            else UNKNOWN
        )
    number = _number(node)
    return UNKNOWN if number is None else Value("scalar", number=number, name=name, closure=bool(name))


def _number(node: ast.expr) -> float | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _number(node.operand)
        return None if number is None else -number
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    return None


def fold(operator: ast.operator, left: Value, right: Value) -> float | None:
    """The number that two known numbers make; None where one is unknown or the result is none of the common ones."""
    a, b = left.number, right.number
    if a is None or b is None or max(abs(a), abs(b)) > 2**62:
        return None
    if isinstance(operator, ast.Add):
        return a + b
    if isinstance(operator, ast.Sub):
        return a - b
    if isinstance(operator, ast.Mult):
        return a * b
    if isinstance(operator, ast.FloorDiv) and b:
        return a // b
    if isinstance(operator, ast.Div) and b:
        return a / b
    return a % b if isinstance(operator, ast.Mod) and b else None


def parameters(node: ast.FunctionDef, names: Names, known: dict[str, Value], kernel: bool) -> dict[str, Value]:
    """The parameters of a function as values; known: constants that annotations may name."""
    arguments = [*node.args.posonlyargs, *node.args.args]
    defaults: list[ast.expr | None] = [None] * (len(arguments) - len(node.args.defaults)) + [*node.args.defaults]
    pairs = [*zip(arguments, defaults, strict=True), *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]
    return {argument.arg: _parameter(argument, default, names, known, kernel) for argument, default in pairs}


def _parameter(
    argument: ast.arg, default: ast.expr | None, names: Names, known: dict[str, Value], kernel: bool
) -> Value:
    annotation = argument.annotation
    if annotation is not None:
        tensor = _annotated(annotation, argument.arg, names, known)
        if tensor is not None:
            return tensor
        scalar = isinstance(annotation, ast.Name) and annotation.id in _NUMBERS
        return Value("scalar", name=argument.arg, closure=not kernel) if scalar else UNKNOWN
    if (default is not None and _number(default) is not None) or (not kernel and argument.arg in SCALAR_NAMES):
        return Value("scalar", name=argument.arg, closure=not kernel)
    return Value("unknown", name=argument.arg)


def _annotated(annotation: ast.expr, name: str, names: Names, known: dict[str, Value]) -> Value | None:
    """A tensor where the annotation is pypto.Tensor, with what it says of shape and dtype."""
    head, arguments, keywords = annotation, [], {}
    if isinstance(annotation, ast.Call):
        head, arguments = annotation.func, annotation.args
        keywords = {keyword.arg: keyword.value for keyword in annotation.keywords}
    elif isinstance(annotation, ast.Subscript):
        head = annotation.value
        arguments = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
    if names.dotted(head) not in ("pypto.Tensor", "pypto.tensor"):
        return None
    shape = keywords.get("shape", arguments[0] if arguments else None)
    dtype = keywords.get("dtype", arguments[1] if len(arguments) > 1 else None)
    written = keywords.get("format", arguments[2] if len(arguments) > 2 else None)
    nd = written is None or (names.dotted(written) or "").endswith("TILEOP_ND")
    return Value("tensor", _shape(shape, known), dtype_of(dtype, names), name=name, nd=nd)


def dtype_of(node: ast.expr | None, names: Names) -> str | None:
    """`DT_FP32` of any spelling of pypto.DT_FP32."""
    dotted = names.dotted(node) if node is not None else None
    return dotted.rsplit(".", 1)[-1] if dotted and dotted.startswith("pypto.DT_") else None


def _shape(node: ast.expr | None, known: dict[str, Value]) -> Shape | None:
    """Extents as written; an empty list and `...` leave the rank open."""
    if isinstance(node, ast.Name):
        items = known.get(node.id, UNKNOWN).items
        return tuple(_extent(item) for item in items) or None
    if not isinstance(node, (ast.Tuple, ast.List)) or not node.elts:
        return None
    if any(isinstance(item, (ast.Starred,)) or _is_ellipsis(item) for item in node.elts):
        return None
    return tuple(_extent(constant(item, known)) for item in node.elts)


def _extent(value: Value) -> int | None:
    return value.number if isinstance(value.number, int) and value.number > 0 else None


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis
