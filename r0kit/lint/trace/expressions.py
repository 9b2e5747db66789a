"""Expressions of a kernel -> values, with one `Op` for each operation on tensors."""

from __future__ import annotations

import ast
from typing import Literal

from r0kit.lint.trace.model import MAYBE, NONE, UNKNOWN, Kernel, Op, Tile, Value
from r0kit.lint.trace.scope import Names, dtype_of, fold
from r0kit.lint.trace.shapes import result_shape, sizes_of, words

MOST_OPS = 20_000  # operations of one kernel; a helper that is inlined again and again ends here
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.MatMult: "matmul",
}
_ALIASES = {"max": "maximum", "min": "minimum", "floor_div": "floordiv", "remainder": "mod", "ceil_div": "ceildiv"}
_NO_TENSOR = words(
    "loop loop_unroll is_loop_begin is_loop_end cond options function set_pass_options set_semantic_label assemble "
    "set_vec_tile_shapes set_cube_tile_shapes set_codegen_options set_host_options set_debug_options bytes_of ceildiv "
    "pass_verify_print pass_verify_save symbolic_scalar SymbolicScalar element Element set_matrix_size"
)
_HARMLESS = words(
    "len range print int float bool str list tuple isinstance enumerate zip abs min max sum getattr hasattr"
)


class Expressions:
    """Evaluates expressions in the environment of one function."""

    def __init__(self, names: Names, kernel: Kernel, environment: dict[str, Value]) -> None:
        self.names = names
        self.kernel = kernel
        self.environment = environment
        self.vec = Tile() if kernel.jit else MAYBE
        self.cube = Tile() if kernel.jit else MAYBE

    def value(self, node: ast.expr) -> Value:
        """What an expression evaluates to."""
        method = getattr(self, f"on_{type(node).__name__.lower()}", None)
        if method is not None:
            result: Value = method(node)
            return result
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
        return UNKNOWN

    def on_constant(self, node: ast.Constant) -> Value:
        if node.value is None:
            return NONE
        return Value("scalar", number=node.value) if isinstance(node.value, (int, float)) else UNKNOWN

    def on_name(self, node: ast.Name) -> Value:
        return self.environment.get(node.id, UNKNOWN)

    def on_tuple(self, node: ast.Tuple | ast.List) -> Value:
        items = tuple(self.value(item) for item in node.elts)
        return UNKNOWN if any(isinstance(item, ast.Starred) for item in node.elts) else Value("tuple", items=items)

    on_list = on_tuple

    def on_unaryop(self, node: ast.UnaryOp) -> Value:
        operand = self.value(node.operand)
        if not isinstance(node.op, ast.USub):
            return Value("scalar") if operand.is_scalar else UNKNOWN
        if operand.is_scalar:
            return Value("scalar", number=None if operand.number is None else -operand.number, closure=operand.closure)
        return self.emit("neg", (operand,), {}, node, "operator") if operand.is_tensor else UNKNOWN

    def on_binop(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        name = _OPERATORS.get(type(node.op))
        if name and (left.is_tensor or right.is_tensor):
            return self.emit(name, (left, right), {}, node, "operator")
        if left.is_scalar and right.is_scalar:
            return Value("scalar", number=fold(node.op, left, right))
        return UNKNOWN

    def on_compare(self, node: ast.Compare) -> Value:
        operands = tuple(self.value(item) for item in (node.left, *node.comparators))
        if any(value.is_tensor for value in operands):
            return self.emit("compare", operands, {}, node, "operator")
        return UNKNOWN

    def on_attribute(self, node: ast.Attribute) -> Value:
        base = self.value(node.value)
        if base.is_tensor and node.attr == "shape" and base.shape is not None:
            return Value("tuple", items=tuple(Value("scalar", number=size) for size in base.shape))
        return UNKNOWN

    def on_subscript(self, node: ast.Subscript) -> Value:
        base, index = self.value(node.value), node.slice
        if base.kind == "tuple":
            position = self.value(index).number
            known = isinstance(position, int) and -len(base.items) <= position < len(base.items)
            return base.items[int(position)] if known and position is not None else UNKNOWN
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        bounds = [self._bounds(part) for part in parts]
        whole = all(isinstance(part, ast.Slice) or _is_ellipsis(part) for part in parts)
        if not base.is_tensor or not whole:  # an index reads an element: a symbolic scalar, where every axis has one
            return UNKNOWN
        return self.emit("slice", (base,), {}, node, "operator", self._sliced(base, parts, bounds))

    def _bounds(self, part: ast.expr) -> tuple[Value, Value]:
        if isinstance(part, ast.Slice):
            start = Value("scalar", number=0) if part.lower is None else self.value(part.lower)
            return start, UNKNOWN if part.upper is None else self.value(part.upper)
        self.value(part)
        return UNKNOWN, UNKNOWN

    def _sliced(
        self, base: Value, parts: list[ast.expr], bounds: list[tuple[Value, Value]]
    ) -> tuple[int | None, ...] | None:
        """The shape of a slice, where only slices are taken and no axis is dropped."""
        if base.shape is None or len(parts) > len(base.shape) or not all(isinstance(part, ast.Slice) for part in parts):
            return None
        sizes = list(base.shape)
        for axis, (part, (start, end)) in enumerate(zip(parts, bounds, strict=True)):
            if isinstance(part, ast.Slice) and not (part.lower is None and part.upper is None):
                stop = end.number if part.upper is not None else base.shape[axis]
                known = isinstance(start.number, int) and isinstance(stop, int) and 0 <= start.number < stop
                sizes[axis] = int(stop) - int(start.number) if known and stop and start.number is not None else None
        return tuple(sizes)

    def on_ifexp(self, node: ast.IfExp) -> Value:
        self.value(node.test)
        return joined(self.value(node.body), self.value(node.orelse))

    def on_call(self, node: ast.Call) -> Value:
        dotted = self.names.dotted(node.func)
        if dotted is not None and dotted.startswith("pypto."):
            return self._pypto(dotted, node)
        if isinstance(node.func, ast.Attribute):
            base = self.value(node.func.value)
            if base.is_tensor:
                return self._method(base, node.func.attr, node)
        arguments = [self.value(argument) for argument in node.args]
        keywords = {k.arg: self.value(k.value) for k in node.keywords if k.arg}
        if isinstance(node.func, ast.Name):
            return self.call_local(node.func.id, node, arguments, keywords)
        if dotted is None or dotted.split(".")[0] not in ("math", "torch", "np", "numpy", "logging"):
            self.lose_tiles()
        return UNKNOWN

    def call_local(self, name: str, node: ast.Call, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The result of a function that is called by its plain name; overridden where functions are known."""
        if name not in _HARMLESS:
            self.lose_tiles()
        scalar = name in ("len", "int", "float", "min", "max", "abs")
        return Value("scalar") if scalar else UNKNOWN

    def lose_tiles(self) -> None:
        """A function that nobody has read may set any tile."""
        self.vec, self.cube, self.kernel.whole = MAYBE, MAYBE, False

    def _pypto(self, dotted: str, node: ast.Call) -> Value:
        name = dotted.removeprefix("pypto.")
        arguments, options = self._arguments(node)
        if name == "set_vec_tile_shapes":
            known = not any(isinstance(argument, ast.Starred) for argument in node.args)
            sizes = sizes_of(Value("tuple", items=arguments)) if known and arguments else None
            self.vec = Tile("set", sizes, node)
            self.kernel.tiles.append(self.vec)
        elif name == "set_cube_tile_shapes":
            self.cube = Tile("set", None, node)
            self.kernel.tiles.append(self.cube)
        elif name in ("loop", "loop_unroll"):
            self.kernel.loops = True
            return Value("scalar")
        elif name == "assemble" and len(arguments) > 2:
            self.kernel.stores.append((arguments[2], arguments[0], node))
        elif name in ("Tensor", "tensor"):
            return self._new_tensor(node, arguments)
        elif name not in _NO_TENSOR and "." not in name and not name.startswith(("get_", "set_", "is_")):
            return self._operation(name, arguments, options, node)
        return UNKNOWN

    def _arguments(self, node: ast.Call) -> tuple[tuple[Value, ...], dict[str, Value]]:
        arguments = tuple(self.value(argument) for argument in node.args)
        return arguments, {k.arg: self.value(k.value) for k in node.keywords if k.arg}

    def _new_tensor(self, node: ast.Call, arguments: tuple[Value, ...]) -> Value:
        dtype = dtype_of(node.args[1], self.names) if len(node.args) > 1 else None
        return Value("tensor", sizes_of(arguments[0]) if arguments else None, dtype)

    def _method(self, base: Value, name: str, node: ast.Call) -> Value:
        arguments, options = self._arguments(node)
        if name == "move" and arguments:
            self.kernel.stores.append((base, arguments[0], node))
        if name in ("dim", "set_cache_policy", "fill_", "move"):
            return Value("scalar") if name == "dim" else UNKNOWN
        return self.emit(_ALIASES.get(name, name), (base, *arguments), options, node, "method")

    def _operation(self, name: str, arguments: tuple[Value, ...], options: dict[str, Value], node: ast.Call) -> Value:
        if "input" in options:
            arguments = (options.pop("input"), *arguments)
        if "other" in options:
            arguments = (*arguments, options.pop("other"))
        if name in ("max", "min", "maximum", "minimum") and not any(value.is_tensor for value in arguments):
            return UNKNOWN  # of symbolic scalars, perhaps
        return self.emit(_ALIASES.get(name, name), arguments, options, node, "function")

    def emit(
        self,
        name: str,
        arguments: tuple[Value, ...],
        options: dict[str, Value],
        node: ast.expr,
        form: Literal["operator", "function", "method"],
        shape: tuple[int | None, ...] | None = None,
    ) -> Value:
        """Record an operation and return its result."""
        if len(self.kernel.ops) >= MOST_OPS:
            return UNKNOWN
        op = Op(name, arguments, options, node, form, self.vec, self.cube)
        tensors = [value for value in arguments if value.is_tensor]
        dtype = self._cast_to(op, node) if name in ("cast", "matmul") else tensors[0].dtype if tensors else None
        result = Value("tensor", shape if name == "slice" else result_shape(op), dtype, op=op)
        self.kernel.ops.append(op)
        self.kernel.results[id(op)] = result
        return result

    def _cast_to(self, op: Op, node: ast.expr) -> str | None:
        if not isinstance(node, ast.Call):
            return op.args[0].dtype
        place = 1 if op.name == "cast" else 2
        place -= op.form == "method"
        return dtype_of(node.args[place], self.names) if len(node.args) > place else None


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def joined(first: Value, second: Value) -> Value:
    """What is known of a value that is one of two."""
    if first is second:
        return first
    if first.is_tensor and second.is_tensor:
        shape = first.shape if first.shape == second.shape else None
        return Value("tensor", shape, first.dtype if first.dtype == second.dtype else None)
    if first.is_scalar and second.is_scalar:
        return Value("scalar")
    return UNKNOWN


def joined_tiles(first: Tile, second: Tile) -> Tile:
    """The tile that is in force after one of two paths."""
    if first == second:
        return first
    return Tile("set") if first.state == second.state == "set" else MAYBE
