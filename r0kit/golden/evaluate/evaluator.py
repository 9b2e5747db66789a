"""Static evaluation of a golden: the tables of syntax tied together."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from r0kit.golden.builder import OperationError
from r0kit.golden.evaluate import arithmetic, assignment, calls, conditions, forgetting
from r0kit.golden.evaluate.expressions import EXPRESSIONS
from r0kit.golden.evaluate.flow import Flow
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.evaluate.statements import STATEMENTS
from r0kit.golden.values import TensorValue, Value


class Evaluator(Run):
    """Reads expressions and statements through the tables; what fails becomes a finding at its place."""

    def value(self, node: ast.expr, scope: Scope) -> Value:
        self.budget.spend(len(self.builder.steps))
        read = EXPRESSIONS.get(type(node))
        if read is None:
            return self.unsupported(node, f"`{type(node).__name__}` expressions are not read")
        try:
            result = read(self, node, scope)
        except OperationError as error:
            return self.unsupported(node, error.message, error.hint)
        if isinstance(result, TensorValue) and self.storage.superseded:
            return self.storage.latest(result)
        return result

    def block(self, statements: Sequence[ast.stmt], scope: Scope) -> Flow | None:
        for place, statement in enumerate(statements):
            self.budget.spend(len(self.builder.steps))
            if type(statement) is ast.If:
                flow, complete = conditions.branch(self, statement, statements, place + 1, scope)
                if complete or flow is not None:
                    return flow
                continue
            flow = self._statement(statement, scope)
            if flow is not None:
                return flow
        return None

    def _statement(self, statement: ast.stmt, scope: Scope) -> Flow | None:
        read = STATEMENTS.get(type(statement))
        if read is None:
            return self._unread(statement, scope, f"`{type(statement).__name__}` statements are not read")
        try:
            return read(self, statement, scope)
        except OperationError as error:
            return self._unread(statement, scope, error.message, error.hint)
        except RecursionError:
            reason = "this statement is nested too deeply to be read"
            return self._unread(statement, scope, reason, "split it into several")

    def _unread(self, statement: ast.stmt, scope: Scope, reason: str, hint: str = "") -> Flow | None:
        self.unsupported(statement, reason, hint)
        return forgetting.unread(self, statement, scope, reason)

    def call(self, function: Value, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
        return calls.call(self, function, args, kwargs, node)

    def binary(self, node: ast.AST, kind: type[ast.AST], left: Value, right: Value) -> Value:
        return arithmetic.binary(self, node, kind, left, right)

    def compare(self, node: ast.AST, kind: type[ast.AST], left: Value, right: Value) -> Value:
        return arithmetic.compare(self, node, kind, left, right)

    def assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        assignment.assign(self, target, value, scope)
