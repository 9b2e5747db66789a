"""What every function of this package works through: the state of one reading, and what they ask of each other."""

from __future__ import annotations

import ast
import itertools
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from r0kit.finding import Severity
from r0kit.golden.builder import Builder
from r0kit.golden.evaluate.budget import Budget
from r0kit.golden.evaluate.flow import Flow
from r0kit.golden.evaluate.module import Module
from r0kit.golden.evaluate.scope import Journal, Scope
from r0kit.golden.evaluate.state import State
from r0kit.golden.evaluate.storage import Storage
from r0kit.golden.evaluate.text import SourceText
from r0kit.golden.evaluate.trial import Trial
from r0kit.golden.values import UnknownValue, Value

# `x[i] = v`, `x += y`, `x.f_(...)`, `f(x, inplace=True)`, `nn.ReLU(True)`: what may change a tensor in place (comments
# and strings may look like it).
_CHANGE = re.compile(r"\]\s*=(?!=)|[-+*/@%&|^<>]=|\w_\(|\binplace\b|\bout=|[(,]\s*True\b")


class Run(ABC):
    """The reading of one golden file; Steps and findings go to `builder`. Its methods dispatch to the tables.

    trials: the loops that are being read with a symbolic trip, the innermost last.
    calls: functions of the file that are being read inside each other; fields: of each class, in order; state: what the
    golden's module owns. regions: number of loops kept so far. fills: whether a loop has filled a list so far.
    changes_tensors: whether the file changes any tensor in place, so that copies matter.
    """

    def __init__(self, source: SourceText, tree: ast.Module, builder: Builder, budget: Budget | None = None) -> None:
        self.source, self.builder = source, builder
        self.budget = budget or Budget()
        self.journal = Journal()
        self.storage: Storage = Storage(builder, self.journal)
        self.module = Module(tree, self.journal, self.block)
        self.changes_tensors = any(map(_CHANGE.search, source.lines))
        self.trials: list[Trial] = []
        self.calls: list[ast.AST] = []
        self.fields: dict[str, list[str]] = {}
        self.state = State()
        self.open_branches = 0
        self.regions = 0
        self.fills = False
        self._loop_symbols: set[str] = set()

    @abstractmethod
    def value(self, node: ast.expr, scope: Scope) -> Value:
        """What an expression stands for."""

    @abstractmethod
    def block(self, statements: Sequence[ast.stmt], scope: Scope) -> Flow | None:
        """Run statements one after another; how they leave the block, None where they run through."""

    @abstractmethod
    def call(self, function: Value, args: Sequence[Value], kwargs: Mapping[str, Value], node: ast.AST) -> Value:
        """`function(*args, **kwargs)`."""

    @abstractmethod
    def binary(self, node: ast.AST, kind: type[ast.AST], left: Value, right: Value) -> Value:
        """`left <kind> right`, an operator of `arithmetic.BINARY`."""

    @abstractmethod
    def compare(self, node: ast.AST, kind: type[ast.AST], left: Value, right: Value) -> Value:
        """`left <kind> right`, a comparison."""

    @abstractmethod
    def assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Bind a target: a name, an unpacking, `x[i]` or `a.b`."""

    @contextmanager
    def loop_symbols(self, *names: str) -> Iterator[list[str]]:
        """Symbols for the trip and the tile of a loop, unlike every other one that means something inside."""
        inputs = self.builder.inputs.values()
        taken = {symbol for value in inputs for extent in value.shape for symbol in extent.symbols}
        taken |= {*self.builder.case, *self._loop_symbols, *(symbol.name for symbol in self.builder.symbols)}
        chosen: list[str] = []
        for name in names:
            numbered = (f"{name}_{number}" if number > 1 else name for number in itertools.count(1))
            chosen.append(next(symbol for symbol in numbered if symbol not in taken))
            taken.add(chosen[-1])
        self._loop_symbols |= set(chosen)
        self.builder.trips.add(chosen[0])
        try:
            yield chosen
        finally:
            self._loop_symbols -= set(chosen)
            self.builder.trips.discard(chosen[0])

    @contextmanager
    def own_numbers(self) -> Iterator[None]:
        """Numbers read inside mean themselves, even where they are as large as a tile."""
        trials, self.trials = self.trials, []
        try:
            yield
        finally:
            self.trials = trials

    # Findings

    def note(self, node: ast.AST, rule: str, message: str, hint: str, severity: Severity = Severity.WARNING) -> None:
        """A finding at `node`."""
        self.builder.note(rule, message, hint, severity, self.source.span(node))

    def unsupported(
        self, node: ast.AST, message: str, hint: str = "", rule: str = "golden.unsupported"
    ) -> UnknownValue:
        """A finding at `node`, and the value that nothing is known of."""
        self.note(node, rule, message, hint or "write it with operations and statements that r0kit reads")
        return UnknownValue(message)
