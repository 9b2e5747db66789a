"""How a golden uses its parameters: as tensors, lists of tensors, mappings of tensors, or plain Python values."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from r0kit.golden.candidates import Candidate, Function, dotted


class Role(str, Enum):
    """What a parameter is."""

    TENSOR = "tensor"
    TENSORS = "tensors"  # a list or tuple of tensors
    SCALAR = "scalar"  # any Python value that is no tensor: a number, a flag, a tuple of axes, a function
    MAPPING = "mapping"  # a dict with a tensor under each name


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Attributes that only tensors have; methods that other objects have. A name of neither says nothing.
_TENSOR_ATTRIBUTES = _words("shape dtype device T mT ndim requires_grad")
_OTHER_METHODS = _words(
    "get items keys values pop append extend insert lower upper strip startswith endswith split join format"
)
# Keywords of torch calls that take a tensor; every other keyword takes a plain value.
_TENSOR_KEYWORDS = _words(
    """input other weight bias mat1 mat2 vec1 vec2 out mask src index tensor tensors query key value attn_mask target
    running_mean running_var condition boundaries end x y a b q k v"""
)
# Calls whose arguments after the tensor are extents, axes or counts.
_LAYOUT = _words(
    """view reshape expand permute transpose repeat unsqueeze squeeze flatten unflatten split chunk sum mean amax amin
    prod softmax log_softmax logsumexp topk cumsum cumprod narrow roll flip movedim repeat_interleave argmax argmin
    sort argsort size tile unbind select var std norm"""
)
# torch functions that make tensors out of plain values, and functions of plain values.
_CREATION = _words("zeros ones full empty arange linspace rand randn randint eye tensor manual_seed Size")
_NUMERIC = _words("range math isinstance str format pow")
_LIBRARIES = _words("torch F functional nn np numpy th einops fn")

_DEEPEST = 20  # calls of helpers by helpers that are followed


@dataclass(slots=True)
class Use:
    """Evidence about one name: how often it is used as what, and the keys under which a mapping is read and stored.

    read, stored: key -> the node where that happens first; stored holds keys whose content is overwritten in place.
    whole: the keys in `read` of which more is read than shape or dtype.
    filled: it is itself overwritten in place; read_whole: it occurs elsewhere too. aliases: key -> a name that is bound
    to it (`x = tensors["x"]`).
    """

    evidence: Counter[Role] = field(default_factory=Counter)
    read: dict[str, ast.expr] = field(default_factory=dict)
    stored: dict[str, ast.expr] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    defaults: dict[str, ast.expr] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    filled: bool = False
    read_whole: bool = False


def uses(function: Function, known: Mapping[str, Candidate]) -> dict[str, Use]:
    """Use of every name in the body of `function`; calls of functions of the file count what these do with theirs."""
    return _uses(function, known, {}, 0)


def _uses(
    function: Function, known: Mapping[str, Candidate], seen: dict[Function, dict[str, Use]], depth: int
) -> dict[str, Use]:
    if function in seen or depth > _DEEPEST:
        return seen.get(function, {})
    seen[function] = {}  # what a recursive call finds
    collector = _Collector(known, seen, depth)
    for statement in function.body if isinstance(function, ast.FunctionDef) else [function.body]:
        for node in ast.walk(statement):
            handler = _HANDLERS.get(type(node))
            if handler is not None:
                handler(collector, node)
    seen[function] = collector.found
    return collector.found


class _Collector:
    def __init__(self, known: Mapping[str, Candidate], seen: dict[Function, dict[str, Use]], depth: int) -> None:
        self.known, self.seen, self.depth = known, seen, depth
        self.found: dict[str, Use] = {}
        # What stands there only to be overwritten, or for its shape or dtype; parents are visited before children.
        self.targets: set[ast.expr] = set()
        self.glances: set[ast.expr] = set()

    def use(self, node: ast.expr | None) -> Use | None:
        """The record of a plain name; None of anything else."""
        return self.found.setdefault(node.id, Use()) if isinstance(node, ast.Name) else None

    def count(self, node: ast.expr | None, role: Role) -> None:
        use = self.use(node)
        if use is not None:
            use.evidence[role] += 1

    def name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and node not in self.targets and node not in self.glances:
            self.found.setdefault(node.id, Use()).read_whole = True

    def attribute(self, node: ast.Attribute) -> None:
        if node.attr in _TENSOR_ATTRIBUTES:
            self.count(node.value, Role.TENSOR)
            if node.attr not in ("T", "mT"):
                self.glances.add(node.value)

    def operator(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.MatMult):
            self.count(node.left, Role.TENSOR)
            self.count(node.right, Role.TENSOR)

    def number(self, node: ast.expr | None) -> None:
        """Every name in the arithmetic of a number is one."""
        if isinstance(node, ast.BinOp):
            self.number(node.left)
            self.number(node.right)
        else:
            self.count(node.operand if isinstance(node, ast.UnaryOp) else node, Role.SCALAR)

    def bounds(self, node: ast.Slice) -> None:
        for bound in (node.lower, node.upper, node.step):
            self.number(bound)

    def loop(self, node: ast.For | ast.comprehension) -> None:
        self.count(node.iter, Role.TENSORS)

    def returned(self, node: ast.Return) -> None:
        """To return what it has filled is no reading; what its old content is needed for, the Steps tell."""
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        self.glances.update(value for value in values if isinstance(value, ast.Name))

    def formatted(self, node: ast.FormattedValue) -> None:
        self.count(node.value, Role.SCALAR)

    def branch(self, node: ast.If | ast.IfExp | ast.While | ast.Assert) -> None:
        self.condition(node.test)

    # Calls

    def call(self, node: ast.Call) -> None:
        path = dotted(node.func)
        root, name = path.split(".")[0], path.rpartition(".")[2]
        if path in self.known:
            self.own_call(node, self.known[path])
        elif isinstance(node.func, ast.Attribute) and root not in _LIBRARIES | {"math"}:
            self.method(node, node.func)
        elif path == "len":
            self.count(node.args[0] if node.args else None, Role.TENSORS)
        elif root in _NUMERIC or name in _CREATION:
            for argument in node.args:
                self.number(argument)
        elif root in _LIBRARIES:
            self.library_call(node, name)
        self.keywords(node)

    def library_call(self, node: ast.Call, name: str) -> None:
        for position, argument in enumerate(node.args):
            if position == 0:
                if isinstance(argument, (ast.List, ast.Tuple)):
                    for item in argument.elts:
                        self.count(item, Role.TENSOR)
                self.count(argument, Role.TENSORS if name in ("cat", "stack", "concat") else Role.TENSOR)
            elif name in _LAYOUT:
                self.number(argument)

    def method(self, node: ast.Call, function: ast.Attribute) -> None:
        if function.attr in ("get", "pop") and node.args and isinstance(node.args[0], ast.Constant):
            self.key(function.value, node.args[0].value, node, node.args[1] if len(node.args) > 1 else None)
        elif function.attr.endswith("_") and not function.attr.endswith("__"):
            self.fill(function.value, blind=function.attr in ("copy_", "fill_", "zero_"))
        elif function.attr not in _OTHER_METHODS:
            self.count(function.value, Role.TENSOR)
        if function.attr in _LAYOUT:
            for argument in node.args:
                self.number(argument)

    def keywords(self, node: ast.Call) -> None:
        for keyword in node.keywords:
            if dotted(node.func) not in self.known and keyword.arg:
                self.count(keyword.value, Role.TENSOR if keyword.arg in _TENSOR_KEYWORDS else Role.SCALAR)

    def own_call(self, node: ast.Call, callee: Candidate) -> None:
        """What a function of the file does with its parameters, its caller does with the arguments."""
        inner = _uses(callee.node, self.known, self.seen, self.depth + 1)
        signature = callee.node.args
        names = [argument.arg for argument in (*signature.posonlyargs, *signature.args)]
        if dotted(node.func).startswith("self."):
            names = names[1:]
        pairs = [*zip(names, node.args, strict=False), *((keyword.arg, keyword.value) for keyword in node.keywords)]
        for name, argument in pairs:
            use = self.use(argument)
            if use is not None and name in inner:
                use.evidence.update(inner[name].evidence)
                use.filled |= inner[name].filled
                if inner[name].filled and not inner[name].read_whole:
                    self.targets.add(argument)

    # Keys, stores, conditions

    def subscript(self, node: ast.Subscript) -> None:
        if node in self.targets and _key_of(node):
            return
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            if isinstance(node.ctx, ast.Load):
                self.key(node.value, node.slice.value, node, None)
        elif isinstance(node.slice, (ast.Slice, ast.Tuple)) or _is_ellipsis(node.slice):
            self.count(node.value, Role.TENSOR)

    def key(self, mapping: ast.expr, key: object, node: ast.expr, default: ast.expr | None) -> None:
        use = self.use(mapping)
        if use is not None and isinstance(key, str):
            use.evidence[Role.MAPPING] += 1
            use.read.setdefault(key, node)
            if node not in self.glances:
                use.whole.add(key)
            if default is not None:
                use.defaults.setdefault(key, default)

    def assignment(self, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> None:
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Subscript):
                self.fill(target if _key_of(target) else target.value, blind=not isinstance(node, ast.AugAssign))
            value = node.value
            if isinstance(target, ast.Name) and value is not None:
                self.alias(target.id, value)
            if isinstance(target, (ast.Tuple, ast.List)):
                self.count(value, Role.TENSORS)

    def alias(self, name: str, value: ast.expr) -> None:
        mapping, key = _keyed(value)
        use = self.use(mapping)
        if use is not None and key:
            use.aliases.setdefault(key, name)

    def fill(self, target: ast.expr, blind: bool) -> None:
        """`target` is overwritten in place, `blind` without being read: a parameter, or what a mapping holds."""
        if blind:
            self.targets.add(target)
        mapping, key = _keyed(target)
        use = self.use(mapping)
        if use is not None and key:
            use.evidence[Role.MAPPING] += 1
            use.stored.setdefault(key, target)
        elif isinstance(target, ast.Name):
            use = self.found.setdefault(target.id, Use())
            use.evidence[Role.TENSOR] += 1
            use.filled = True
        elif isinstance(target, ast.Subscript):  # x[i][j] = v
            self.fill(target.value, blind)

    def comparison(self, node: ast.Compare) -> None:
        for left, right in ((node.left, node.comparators[0]), (node.comparators[0], node.left)):
            plain = isinstance(right, ast.Constant) and right.value is not None
            if plain:
                self.count(left, Role.SCALAR)

    def condition(self, test: ast.expr) -> None:
        for part in test.values if isinstance(test, ast.BoolOp) else [test]:
            self.count(part.operand if isinstance(part, ast.UnaryOp) else part, Role.SCALAR)
            if isinstance(part, ast.Compare):
                self.comparison(part)


def _keyed(node: ast.expr) -> tuple[ast.expr | None, str]:
    """(mapping, key) of `m["key"]`, `m.get("key")`, each perhaps with a method or an index behind it."""
    if isinstance(node, ast.Subscript):
        return (node.value, _key_of(node)) if _key_of(node) else (None, "")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        first = node.args[0] if node.args else None
        if node.func.attr in ("get", "pop") and isinstance(first, ast.Constant) and isinstance(first.value, str):
            return node.func.value, first.value
        return _keyed(node.func.value)
    return None, ""


def _key_of(node: ast.Subscript) -> str:
    return node.slice.value if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str) else ""


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (..., None)


def parameters_of(function: Function) -> Iterator[ast.arg]:
    """Every parameter in the order of the signature, `*args` and `**kwargs` included."""
    signature = function.args
    yield from (*signature.posonlyargs, *signature.args)
    if signature.vararg:
        yield signature.vararg
    yield from signature.kwonlyargs
    if signature.kwarg:
        yield signature.kwarg


_HANDLERS: dict[type[ast.AST], Callable[[_Collector, Any], None]] = {
    ast.Name: _Collector.name,
    ast.Attribute: _Collector.attribute,
    ast.BinOp: _Collector.operator,
    ast.Call: _Collector.call,
    ast.Subscript: _Collector.subscript,
    ast.Slice: _Collector.bounds,
    ast.FormattedValue: _Collector.formatted,
    ast.Return: _Collector.returned,
    **dict.fromkeys((ast.If, ast.IfExp, ast.While, ast.Assert), _Collector.branch),
    **dict.fromkeys((ast.Assign, ast.AugAssign, ast.AnnAssign), _Collector.assignment),
    **dict.fromkeys((ast.For, ast.comprehension), _Collector.loop),
}
