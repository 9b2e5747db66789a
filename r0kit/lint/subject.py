"""What pitfalls are looked for in: a kernel file with its kernels traced."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from r0kit.lint.parse import parse
from r0kit.lint.place import Line
from r0kit.lint.trace.model import UNKNOWN, Kernel, Op, Value
from r0kit.lint.trace.scope import Names, Scope, constant, constants_of, names_of, parameters
from r0kit.lint.trace.statements import Tracer
from r0kit.lint.versions import JUDGED, NEWER, api

Calls = dict[str, list[ast.Call]]


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, without its mark, and where it stands."""

    text: str
    place: Line


@dataclass(frozen=True, slots=True)
class Subject:
    """A file of kernels. helpers: functions that compute with pypto and are no kernels.

    nodes: every node of the tree; version: that of pypto; asked: somebody named it, rather than that it was told from
    the names in the file.
    """

    path: str
    text: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]
    names: Names
    version: str
    kernels: tuple[Kernel, ...] = ()
    helpers: tuple[Kernel, ...] = ()
    comments: tuple[Comment, ...] = ()
    lines: tuple[str, ...] = ()
    asked: bool = True

    def ops(self, *names: str) -> Iterator[tuple[Kernel, Op]]:
        """Every operation of these names (of any name where none is given), each once."""
        seen: set[int] = set()
        for kernel in (*self.kernels, *self.helpers):
            for op in kernel.ops:
                if (not names or op.name in names) and id(op.node) not in seen:
                    seen.add(id(op.node))
                    yield kernel, op

    def classes(self) -> dict[str, ast.ClassDef]:
        """The classes of the module."""
        return {node.name: node for node in self.tree.body if isinstance(node, ast.ClassDef)}


def subject_of(text: str, path: str, version: str | None) -> Subject:
    """The file `text` as a subject. InputError where it cannot be read; version: None for the one that it is written for."""
    tree = parse(text, path)
    nodes = tuple(ast.walk(tree))
    names = names_of(tree, nodes)
    if not _imports_pypto(names):
        return Subject(path, text, tree, nodes, names, version or JUDGED, lines=tuple(text.split("\n")))
    functions, calls = list(_functions(tree)), _calls(nodes)
    kernels = tuple(_traced(node, outer, names, True, calls) for node, outer in functions if _is_kernel(node, names))
    read = {id(op.node) for kernel in kernels for op in kernel.ops}
    helpers = tuple(
        _traced(node, outer, names, False, calls)
        for node, outer in functions
        if not _is_kernel(node, names) and _computes(node, names) and not _covered(node, read)
    )
    return Subject(
        path,
        text,
        tree,
        nodes,
        names,
        version or _written_for(nodes, names),
        kernels,
        helpers,
        tuple(_comments(text)),
        tuple(text.split("\n")),
        asked=bool(version),
    )


def _imports_pypto(names: Names) -> bool:
    return any(target == "pypto" or target.startswith("pypto.") for target in names.aliases.values())


def _functions(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef, tuple[Scope, ...]]]:
    """Every function with the functions and classes around it."""
    stack: list[tuple[ast.AST, tuple[Scope, ...]]] = [(tree, ())]
    while stack:
        node, outer = stack.pop()
        for child in reversed(list(ast.iter_child_nodes(node))):
            inner = (*outer, child) if isinstance(child, (ast.FunctionDef, ast.ClassDef)) else outer
            stack.append((child, inner))
        if isinstance(node, ast.FunctionDef):
            yield node, outer[:-1]


def _is_kernel(node: ast.FunctionDef, names: Names) -> bool:
    return any(names.is_jit(decorator) for decorator in node.decorator_list)


def _computes(node: ast.FunctionDef, names: Names) -> bool:
    """Whether the function itself, and not only one inside it, calls an operation of the graph API."""
    stack: list[ast.AST] = list(node.body)
    while stack:
        inner = stack.pop()
        if isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
            continue
        dotted = names.dotted(inner.func) if isinstance(inner, ast.Call) else None
        if dotted and dotted.startswith("pypto.") and dotted.removeprefix("pypto.") in api().names[NEWER]:
            return True
        stack.extend(ast.iter_child_nodes(inner))
    return False


def _covered(node: ast.FunctionDef, read: set[int]) -> bool:
    """Whether the function has been read where a kernel calls it."""
    return any(id(inner) in read for inner in ast.walk(node))


def _calls(nodes: Iterable[ast.AST]) -> Calls:
    """The calls of each plain name, `self.` left out."""
    found: Calls = {}
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            found.setdefault(node.func.id if isinstance(node.func, ast.Name) else node.func.attr, []).append(node)
    return found


def _given(factory: ast.FunctionDef, names: Names, calls: Calls) -> dict[str, Value]:
    """Parameters of a factory that every call in the file gives the same number."""
    given: dict[str, Value] = {}
    for index, argument in enumerate(factory.args.args):
        values = [_argument(call, index, argument.arg, names) for call in calls.get(factory.name, ())]
        numbers = {value.number for value in values}
        if len(numbers) == 1 and None not in numbers:
            given[argument.arg] = Value("scalar", number=numbers.pop(), name=argument.arg, closure=True)
    return given


def _argument(call: ast.Call, index: int, name: str, names: Names) -> Value:
    keyword = next((keyword.value for keyword in call.keywords if keyword.arg == name), None)
    starred = any(isinstance(argument, ast.Starred) for argument in call.args[: index + 1])
    node = keyword or (call.args[index] if index < len(call.args) and not starred else None)
    return constant(node, names.constants) if node is not None else UNKNOWN


def _traced(node: ast.FunctionDef, outer: tuple[Scope, ...], names: Names, jit: bool, calls: Calls) -> Kernel:
    known = dict(names.constants)
    for scope in outer:
        if isinstance(scope, ast.FunctionDef):
            known.update(parameters(scope, names, known, kernel=False))
            known.update(_given(scope, names, calls))
            known.update(constants_of(scope.body))
    own = parameters(node, names, known, kernel=True)
    kernel = Kernel(node, jit, own, outer)
    Tracer(names, kernel, {**known, **own}, {}).run(node.body)
    return kernel


def _written_for(nodes: Iterable[ast.AST], names: Names) -> str:
    """JUDGED, or NEWER where the file uses what only the source after it has."""
    newer = api().names[NEWER] - api().names[JUDGED]
    used = (names.dotted(node) for node in nodes if isinstance(node, ast.Attribute))
    return NEWER if any(name and name.startswith("pypto.") and name[6:] in newer for name in used) else JUDGED


def _comments(text: str) -> Iterator[Comment]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                line, start = token.start
                yield Comment(token.string.lstrip("#").strip(), Line(line, start + 1, token.end[1] + 1))
    except (tokenize.TokenError, SyntaxError):
        return


def is_tensor(value: Value | None) -> bool:
    """Whether there is a value and it is a tensor."""
    return value is not None and value.is_tensor
