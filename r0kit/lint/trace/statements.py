"""Statements of a kernel in their order: assignments, stores, branches, loops, and calls of the file's own helpers."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from r0kit.lint.trace.expressions import Expressions, joined, joined_tiles
from r0kit.lint.trace.model import MAYBE, UNKNOWN, Kernel, Tile, Value
from r0kit.lint.trace.scope import Names, parameters

DEEPEST_CALL = 6
_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class Tracer(Expressions):
    """Runs over the statements of one function, and of the helpers that it calls."""

    def __init__(
        self,
        names: Names,
        kernel: Kernel,
        environment: dict[str, Value],
        functions: dict[str, ast.FunctionDef],
        calls: tuple[str, ...] = (),
    ) -> None:
        super().__init__(names, kernel, environment)
        self.functions = dict(functions)
        self.calls = calls
        self.returned: Value | None = None

    def run(self, body: Iterable[ast.stmt]) -> bool:
        """Trace statements; whether the path ends among them."""
        for statement in body:
            method = getattr(self, f"at_{type(statement).__name__.lower()}", None)
            if method is not None:
                method(statement)
            else:
                self._other(statement)
            if isinstance(statement, _ENDS):
                return True
        return False

    def _other(self, statement: ast.stmt) -> None:
        """A statement of no interest of its own: its expressions, then its blocks; what they assign is unknown after."""
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.expr):
                self.value(child)
            elif isinstance(child, ast.withitem):
                self.value(child.context_expr)
        blocks = [getattr(statement, name, None) for name in ("body", "handlers", "orelse", "finalbody", "cases")]
        for block in blocks:
            self._block(block if isinstance(block, list) else [])
        if not isinstance(statement, (ast.With, ast.Expr)):
            self._blur(statement)

    def _block(self, block: list[ast.AST]) -> None:
        for part in block:
            self.run([part] if isinstance(part, ast.stmt) else getattr(part, "body", []))

    def _blur(self, *statements: ast.stmt) -> None:
        """Forget the exact value of every name that the statements assign."""
        for name in _stored(statements):
            old = self.environment.get(name)
            if old is not None:
                self.environment[name] = Value(old.kind) if old.kind in ("tensor", "scalar") else UNKNOWN

    def at_assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self._bind(target, value, node)

    def at_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._bind(node.target, self.value(node.value), node)

    def at_augassign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            whole = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
            self._bind(node.target, self.value(whole), node)
        else:
            self.value(node.value)

    def _bind(self, target: ast.expr, value: Value, node: ast.stmt) -> None:
        if isinstance(target, ast.Name):
            self.environment[target.id] = value
            self.functions.pop(target.id, None)
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = value.items if len(value.items) == len(target.elts) else (_part(value),) * len(target.elts)
            for part, item in zip(target.elts, items, strict=True):
                self._bind(part, item, node)
        elif isinstance(target, ast.Subscript):
            base = self.value(target.value)
            if base.is_tensor or value.is_tensor:
                self.kernel.stores.append((base, value, node))
            self.value(target.slice) if not isinstance(target.slice, (ast.Slice, ast.Tuple)) else None

    def at_return(self, node: ast.Return) -> None:
        value = self.value(node.value) if node.value is not None else UNKNOWN
        self.returned = value if self.returned is None else joined(self.returned, value)

    def at_functiondef(self, node: ast.FunctionDef) -> None:
        self.functions[node.name] = node

    def at_if(self, node: ast.If) -> None:
        self.value(node.test)
        taken = self._decided(node.test)
        if taken is not None:
            self.run(node.body if taken else node.orelse)
            return
        before = dict(self.environment), self.vec, self.cube
        ended = self.run(node.body)
        after = self.environment, self.vec, self.cube
        self.environment, self.vec, self.cube = before
        if self.run(node.orelse):
            self.environment, self.vec, self.cube = after
        elif not ended:
            self._join(*after)

    def _decided(self, test: ast.expr) -> bool | None:
        """The outcome of `x is None` or `x is not None`, where x is known; None for every other test."""
        if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.Is, ast.IsNot)):
            return None
        operand = self.environment.get(test.left.id) if isinstance(test.left, ast.Name) else None
        if operand is None or operand.kind == "unknown" or self.value(test.comparators[0]).kind != "none":
            return None
        return (operand.kind == "none") == isinstance(test.ops[0], ast.Is)

    def _join(self, environment: dict[str, Value], vec: Tile, cube: Tile) -> None:
        names = self.environment.keys() | environment.keys()
        self.environment = {
            name: joined(self.environment.get(name, UNKNOWN), environment.get(name, UNKNOWN)) for name in names
        }
        self.vec = joined_tiles(self.vec, vec)
        self.cube = joined_tiles(self.cube, cube)

    def at_for(self, node: ast.For) -> None:
        self.value(node.iter)
        self.kernel.loops = True
        self._blur(*node.body)
        self._loop_tiles(node.body)
        self._bind(node.target, Value("scalar") if isinstance(node.target, ast.Name) else UNKNOWN, node)
        before = dict(self.environment), self.vec, self.cube
        self.run(node.body)
        self._join(*before)
        self.run(node.orelse)
        self._blur(*node.body)

    def at_while(self, node: ast.While) -> None:
        self._blur(*node.body)
        self._loop_tiles(node.body)
        self.value(node.test)
        before = dict(self.environment), self.vec, self.cube
        self.run(node.body)
        self._join(*before)
        self._blur(*node.body)

    def _loop_tiles(self, body: list[ast.stmt]) -> None:
        """A tile that the loop sets is in force when its next trip begins."""
        called = {
            self.names.dotted(inner.func) for node in body for inner in ast.walk(node) if isinstance(inner, ast.Call)
        }
        if any(name is None or not name.startswith("pypto.") or "tile_shapes" in name for name in called):
            self.vec = joined_tiles(self.vec, MAYBE)
            self.cube = joined_tiles(self.cube, MAYBE)

    def call_local(self, name: str, node: ast.Call, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """A helper of the same file is read with the arguments of the call."""
        helper = self.functions.get(name) or self.names.functions.get(name)
        starred = any(isinstance(argument, ast.Starred) for argument in node.args) or any(
            not k.arg for k in node.keywords
        )
        if helper is None or name in self.calls or len(self.calls) >= DEEPEST_CALL or starred:
            return super().call_local(name, node, arguments, keywords)
        return self._inlined(helper, arguments, keywords)

    def _inlined(self, helper: ast.FunctionDef, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        outside = (
            {**self.names.constants, **self.environment} if helper.name in self.functions else self.names.constants
        )
        bound = parameters(helper, self.names, self.names.constants, kernel=True)
        bound.update(zip(bound, arguments, strict=False))
        bound.update((key, value) for key, value in keywords.items() if key in bound)
        inner = Tracer(self.names, self.kernel, {**outside, **bound}, self.functions, (*self.calls, helper.name))
        inner.vec, inner.cube = self.vec, self.cube
        inner.run(helper.body)
        self.vec, self.cube = inner.vec, inner.cube
        return inner.returned or UNKNOWN


def _part(value: Value) -> Value:
    """One of the values that something unknown is unpacked into."""
    return Value("tensor") if value.is_tensor and value.op is not None and value.op.name == "topk" else UNKNOWN


def _stored(statements: Iterable[ast.stmt]) -> set[str]:
    return {
        node.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
