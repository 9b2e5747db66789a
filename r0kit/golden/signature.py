"""The interface of a golden: which function it is, its tensor and scalar parameters in order, its return values."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from r0kit.finding import Finding, Location, Severity
from r0kit.golden.candidates import Candidate, Function, candidates, is_static, made_by
from r0kit.golden.parse import parse_golden, read_golden
from r0kit.golden.returns import Returned, ReturnValue, named, records_of, returned
from r0kit.golden.select import NAMES, choose
from r0kit.golden.span import Span, span_of, text_of
from r0kit.golden.usage import Role, Use, uses
from r0kit.spec.model import Spec

__all__ = ["GoldenFunction", "Parameter", "Passing", "ReturnValue", "Role", "Style", "find_golden", "read_interface"]


class Passing(str, Enum):
    """How the caller passes an argument."""

    POSITIONAL = "positional"  # before `/`
    ANY = "any"
    VARIADIC = "variadic"  # `*args`
    KEYWORD = "keyword"  # after `*`
    KEYWORDS = "keywords"  # `**kwargs`
    KEY = "key"  # a name read from `**kwargs` or from a dict parameter


class Style(str, Enum):
    """How the golden takes its tensors and gives its results."""

    FUNCTION = "function"
    MODEL = "model"  # `forward` of a class, KernelBench's way
    MAPPING = "mapping"  # one dict of tensors, results stored into it


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the golden.

    default: its source text, "" where there is none. optional: it may be None. key_of: the dict parameter (or the
    `**kwargs`) under whose key `name` it is read. read, written: whether the golden reads it, and overwrites it in place.
    """

    name: str
    role: Role
    passing: Passing
    span: Span
    default: str = ""
    annotation: str = ""
    optional: bool = False
    key_of: str = ""
    read: bool = True
    written: bool = False

    @property
    def tensor(self) -> bool:
        """Whether it is a tensor or a list of tensors."""
        return self.role in (Role.TENSOR, Role.TENSORS)


@dataclass(frozen=True, slots=True)
class GoldenFunction:
    """The golden of a file, as its signature and body show it.

    node: the function that runs, behind aliases, partials and factories; for a Model its `forward`. owner: the class
    whose method it is. bound, given: arguments that `functools.partial` gives by name, and how many by position.
    closure: arguments of the factory that returned it. lines: the source, split at "\\n".
    """

    path: str
    op: str
    name: str
    qualified: str
    style: Style
    node: Function
    owner: ast.ClassDef | None
    tree: ast.Module
    lines: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    returns: tuple[ReturnValue, ...]
    findings: tuple[Finding, ...] = ()
    bound: Mapping[str, ast.expr] = field(default_factory=dict)
    given: int = 0
    closure: Mapping[str, ast.expr] = field(default_factory=dict)

    @property
    def tensors(self) -> tuple[Parameter, ...]:
        """Tensor parameters that the golden reads, in order."""
        return tuple(parameter for parameter in self.parameters if parameter.tensor and parameter.read)

    @property
    def scalars(self) -> tuple[Parameter, ...]:
        """Scalar parameters, in order."""
        return tuple(parameter for parameter in self.parameters if parameter.role is Role.SCALAR)


def read_interface(path: str, op: str | None = None, spec: Spec | None = None) -> GoldenFunction:
    """`find_golden` of the file `path`. InputError also where it cannot be read."""
    return find_golden(read_golden(path), path, op, spec)


def find_golden(source: str, path: str, op: str | None = None, spec: Spec | None = None) -> GoldenFunction:
    """The golden of `source`, the text of the file `path`.

    op: the operator, where the user names it; spec: says which parameters are tensors, and how results are called.
    InputError where the source is not Python, where nothing in it is a golden, or where several may be it.
    """
    tree = parse_golden(source, path)
    found = candidates(tree)
    known = {candidate.qualified: candidate for candidate in found}
    hints = [spec.op_name] if spec is not None and spec.op_name else []
    chosen, name = choose(found, path, op, hints)
    chosen = made_by(chosen, None, known) or chosen
    return _Reader(source.split("\n"), path, known, spec or Spec(path)).golden(tree, chosen, name, op)


@dataclass(slots=True)
class _Reader:
    lines: Sequence[str]
    path: str
    known: Mapping[str, Candidate]
    spec: Spec
    findings: list[Finding] = field(default_factory=list)

    def golden(self, tree: ast.Module, chosen: Candidate, op: str, asked: str | None) -> GoldenFunction:
        usage = uses(chosen.node, self._in_scope(chosen))
        parameters = tuple(self.parameters(chosen, usage))
        returns = self.returns(tree, chosen, parameters)
        if asked and chosen.name not in [pattern.format(op=asked) for pattern in NAMES] and chosen.name != "forward":
            message = f"no function is named {asked}_golden_cpu or {asked}_golden; {chosen.name} is taken for it"
            self.note("name", chosen.node, message, "rename it, or give its own name with --op")
        return GoldenFunction(
            path=self.path,
            op=op,
            name=chosen.name,
            qualified=chosen.qualified,
            style=_style(chosen, parameters),
            node=chosen.node,
            owner=chosen.owner,
            tree=tree,
            lines=tuple(self.lines),
            parameters=parameters,
            returns=returns,
            findings=tuple(self.findings),
            bound=chosen.bound,
            given=chosen.given,
            closure=chosen.closure,
        )

    def _in_scope(self, chosen: Candidate) -> dict[str, Candidate]:
        """Functions as the golden calls them: by their names, its own nested ones, and methods through `self`."""
        inside = f"{chosen.qualified}."
        beside = f"{chosen.qualified.rpartition('.')[0]}." if chosen.owner is not None else None
        scope: dict[str, Candidate] = {}
        for name, candidate in self.known.items():
            scope[name] = candidate
            if name.startswith(inside):
                scope[name.removeprefix(inside)] = candidate
            if beside and name.startswith(beside):
                scope[f"self.{name.removeprefix(beside)}"] = candidate
        return scope

    # Parameters

    def parameters(self, chosen: Candidate, usage: Mapping[str, Use]) -> Iterator[Parameter]:
        listed = list(_signature(chosen))
        names = {argument.arg for argument, _, _ in listed}
        for argument, passing, default in listed:
            use = usage.get(argument.arg, Use())
            mapping = passing is Passing.ANY and self.is_mapping(argument, use, usage, alone=len(listed) == 1)
            if passing is Passing.KEYWORDS or mapping:
                yield from self.keys(argument, use, usage)
            elif passing is Passing.VARIADIC and self.spec.inputs:
                yield from self.variadic(argument, names)
            else:
                yield self.parameter(argument, passing, default, use)

    def parameter(self, argument: ast.arg, passing: Passing, default: ast.expr | None, use: Use) -> Parameter:
        annotation = text_of(argument.annotation, self.lines) if argument.annotation else ""
        written = text_of(default, self.lines) if default is not None else ""
        return Parameter(
            name=argument.arg,
            role=self.role(argument.arg, annotation, default, use, passing),
            passing=passing,
            span=span_of(argument, self.lines),
            default=written,
            annotation=annotation,
            optional=written == "None" or "Optional[" in annotation or "None" in annotation.replace(" ", "").split("|"),
            read=use.read_whole or not use.filled,
            written=use.filled,
        )

    def role(self, name: str, annotation: str, default: ast.expr | None, use: Use, passing: Passing) -> Role:
        """SPEC decides, then the annotation, then the default, then the use; what is left is a tensor."""
        listed = self.spec.input(name)
        if listed is not None:
            return Role.TENSORS if listed.is_list else Role.TENSOR
        if name in self.spec.default_params or any(name in case.params for case in self.spec.p0_cases):
            return Role.SCALAR
        annotated = _annotated(annotation)
        if annotated is not None:
            return annotated
        if passing is Passing.VARIADIC:
            return Role.TENSORS
        if default is not None and not (isinstance(default, ast.Constant) and default.value is None):
            return Role.SCALAR
        return _used_as(use)

    def is_mapping(self, argument: ast.arg, use: Use, usage: Mapping[str, Use], alone: bool) -> bool:
        """Whether a parameter is a dict of tensors rather than one of settings: SPEC, its annotation and its use say."""
        keys = {*use.read, *use.stored}
        if not keys or self.spec.input(argument.arg) is not None or use.evidence[Role.TENSOR]:
            return False
        if self.spec.inputs:
            return any(self.spec.input(key) or self.spec.output(key) for key in keys)
        annotation = text_of(argument.annotation, self.lines) if argument.annotation else ""
        if "[" in annotation and "Tensor" not in annotation:  # Dict[str, int]
            return False
        tensors = [alias for alias in use.aliases.values() if usage.get(alias, Use()).evidence[Role.TENSOR]]
        return bool(alone or use.stored or tensors)

    def keys(self, argument: ast.arg, use: Use, usage: Mapping[str, Use]) -> Iterator[Parameter]:
        """The names read from, or stored under, the keys of a dict parameter, in the order of the source."""
        nodes = {**use.stored, **use.read}
        for key in sorted(nodes, key=lambda name: (nodes[name].lineno, nodes[name].col_offset)):
            default = use.defaults.get(key)
            alias = usage.get(use.aliases.get(key, ""), Use())
            yield Parameter(
                name=key,
                role=self.role(key, "", default, alias, Passing.KEY),
                passing=Passing.KEY,
                span=span_of(nodes[key], self.lines),
                default=text_of(default, self.lines) if default is not None else "",
                optional=isinstance(default, ast.Constant) and default.value is None,
                key_of=argument.arg,
                read=key in use.whole or key not in use.stored,
                written=key in use.stored,
            )

    def variadic(self, argument: ast.arg, names: set[str]) -> Iterator[Parameter]:
        """`*tensors`: the inputs of SPEC that no other parameter is."""
        for tensor in self.spec.inputs:
            if tensor.name not in names:
                role = Role.TENSORS if tensor.is_list else Role.TENSOR
                yield Parameter(tensor.name, role, Passing.VARIADIC, span_of(argument, self.lines), key_of=argument.arg)

    # Return values

    def returns(self, tree: ast.Module, chosen: Candidate, parameters: Sequence[Parameter]) -> tuple[ReturnValue, ...]:
        values: Returned = returned(chosen.node, self._in_scope(chosen), records_of(tree))
        for node, doubt in values.doubts:
            self.note("returns", node, f"{chosen.name}: {doubt}", "write the values out in the last return statement")
        if values.names:
            given = {parameter.name for parameter in parameters}
            return named(values, [tensor.name for tensor in self.spec.outputs], self.lines, given)
        written = [parameter for parameter in parameters if parameter.written]
        if not written:
            hint = "return the results, or store them into a parameter"
            self.note("returns", chosen.node, f"{chosen.name} returns nothing", hint)
        return tuple(ReturnValue(parameter.name, parameter.name, parameter.span) for parameter in written)

    def note(self, rule: str, node: ast.AST, message: str, hint: str) -> None:
        span = span_of(node, self.lines)
        place = Location(self.path, span.line, span.column, span.end_line, span.end_column)
        self.findings.append(Finding(f"golden.{rule}", Severity.WARNING, message, place, hint))


def _signature(chosen: Candidate) -> Iterator[tuple[ast.arg, Passing, ast.expr | None]]:
    """(argument, how it is passed, its default) in order, without `self` and without what a partial has given."""
    signature = chosen.node.args
    positional = [*signature.posonlyargs, *signature.args]
    defaults = [None] * (len(positional) - len(signature.defaults)) + list(signature.defaults)
    method = chosen.owner is not None and isinstance(chosen.node, ast.FunctionDef) and not is_static(chosen.node)
    skipped = chosen.given + (1 if method else 0)
    for index, (argument, default) in enumerate(zip(positional, defaults, strict=True)):
        if index >= skipped:
            passing = Passing.POSITIONAL if index < len(signature.posonlyargs) else Passing.ANY
            yield argument, passing, chosen.bound.get(argument.arg, default)
    if signature.vararg:
        yield signature.vararg, Passing.VARIADIC, None
    for argument, default in zip(signature.kwonlyargs, signature.kw_defaults, strict=True):
        yield argument, Passing.KEYWORD, chosen.bound.get(argument.arg, default)
    if signature.kwarg:
        yield signature.kwarg, Passing.KEYWORDS, None


_PLAIN_ANNOTATIONS = ("int", "float", "bool", "str", "dtype", "device", "Size", "Callable", "dict", "Dict", "Mapping")


def _annotated(annotation: str) -> Role | None:
    """The role that an annotation states; None where it states none."""
    bare = annotation.strip("'\"")
    if "Tensor" in bare or "ndarray" in bare:
        if "Callable" in bare or bare.removeprefix("typing.").startswith(("dict", "Dict", "Mapping")):
            return Role.SCALAR
        listed = ("List[", "list[", "Sequence[", "Tuple[", "tuple[", "Iterable[", "TensorList")
        return Role.TENSORS if any(word in bare for word in listed) else Role.TENSOR
    words = set(bare.replace("[", " ").replace("]", " ").replace("|", " ").replace(".", " ").replace(",", " ").split())
    return Role.SCALAR if words & set(_PLAIN_ANNOTATIONS) else None


def _used_as(use: Use) -> Role:
    """The role with most evidence; one tensor use outweighs conditions and counts, for None and flags look like them."""
    if use.evidence[Role.TENSOR]:
        return Role.TENSOR
    strongest = use.evidence.most_common(1)
    role = strongest[0][0] if strongest else Role.TENSOR
    return Role.SCALAR if role is Role.MAPPING else role


def _style(chosen: Candidate, parameters: Sequence[Parameter]) -> Style:
    if chosen.owner is not None and chosen.name == "forward":
        return Style.MODEL
    mapped = any(parameter.passing is Passing.KEY for parameter in parameters)
    return Style.MAPPING if mapped else Style.FUNCTION
