"""Rewrites of a kernel file where one is safe: the same computation in a form that compiles, the rest left as written."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from r0kit.finding import InputError
from r0kit.lint.parse import LIMIT, RULE
from r0kit.lint.rows import PITFALLS
from r0kit.lint.subject import Subject, subject_of
from r0kit.lint.versions import holds, number
from r0kit.source import decode, read_bytes

PASSES = 8  # rewrites may stand inside each other; each pass takes the outermost ones


class Edit(NamedTuple):
    """Characters start to end of the text (from 0, end exclusive) give way to `new`."""

    start: int
    end: int
    new: str


class Fixed(NamedTuple):
    """A file before and after; edits: how many; rules: whose findings they repair."""

    before: str
    text: str
    edits: int = 0
    rules: tuple[str, ...] = ()


def fixed_file(path: str, version: str | None = None) -> Fixed:
    """The file `path` with all safe rewrites; InputError where it cannot be read. Nothing is written."""
    content = read_bytes(path, RULE, LIMIT)
    mark = "\ufeff" if content.startswith(b"\xef\xbb\xbf") else ""
    fixed = fixed_text(decode(content, path, RULE), path, version)
    return fixed._replace(before=mark + fixed.before, text=mark + fixed.text)


def fixed_text(text: str, path: str = "<text>", version: str | None = None) -> Fixed:
    """`text` with all safe rewrites, line ends as they were. InputError where it is no Python."""
    before, count = text, 0
    rules: set[str] = set()
    for _ in range(PASSES if "\r" not in text.replace("\r\n", "") else 0):
        subject = subject_of(text, path, version)
        version = subject.version
        found = list(_outermost(_edits(subject)))
        changed = _applied(text, [edit for _, edit in found])
        if not found or not _parses(changed, path, version):
            break
        text, count = changed, count + len(found)
        rules.update(rule for rule, _ in found)
    return Fixed(before, text, count, tuple(sorted(rules)))


def _parses(text: str, path: str, version: str) -> bool:
    try:
        subject_of(text, path, version)
    except InputError:
        return False
    return True


def _edits(subject: Subject) -> Iterator[tuple[str, Edit]]:
    starts = _line_starts(subject.text)
    for rule in PITFALLS:
        if rule.id in FIXES and holds(rule.versions, subject.version):
            for fault in rule.check(subject):
                for node, new in FIXES[rule.id](subject, fault.at):
                    yield rule.id, Edit(*_extent(subject.text, starts, node), new)


def _outermost(edits: Iterable[tuple[str, Edit]]) -> Iterator[tuple[str, Edit]]:
    """The edits without those that lie in another one, in the order of the text."""
    end = -1
    for rule, edit in sorted(set(edits), key=lambda pair: (pair[1].start, -pair[1].end)):
        if edit.start >= end:
            yield rule, edit
            end = edit.end


def _applied(text: str, edits: list[Edit]) -> str:
    for edit in reversed(edits):
        text = text[: edit.start] + edit.new + text[edit.end :]
    return text


def _line_starts(text: str) -> list[int]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _extent(text: str, starts: list[int], node: ast.AST) -> tuple[int, int]:
    """Where a node stands in the text, in characters."""
    first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
    offsets = (first, getattr(node, "col_offset", 0)), (last, getattr(node, "end_col_offset", 0))
    start, end = (_character(text, starts, line, offset) for line, offset in offsets)
    return start, end


def _character(text: str, starts: list[int], line: int, offset: int) -> int:
    """Index of the byte `offset` of a line."""
    whole = text[starts[line - 1] : starts[line]]
    return starts[line - 1] + len(whole.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "ignore"))


Rewrite = Iterator[tuple[ast.AST, str]]
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_RENAMED = {
    "clamp": "clip",
    "clamp_min": "maximum",
    "clamp_max": "minimum",
    "cat": "concat",
    "multiply": "mul",
    "divide": "div",
    "subtract": "sub",
    "negative": "neg",
    "absolute": "abs",
    "power": "pow",
}


def _source(subject: Subject, node: ast.expr) -> str:
    """The text of an operand, in brackets unless it holds together."""
    text = ast.get_source_segment(subject.text, node) or ast.unparse(node)
    atom = isinstance(node, (ast.Name, ast.Constant, ast.Attribute, ast.Call, ast.Subscript))
    return text if atom else f"({text})"


def _scalar_left(subject: Subject, node: ast.AST) -> Rewrite:
    """c - x -> (x * (-1.0) + c); c * x -> (x * c)."""
    if isinstance(node, ast.BinOp):
        left, right = _source(subject, node.left), _source(subject, node.right)
        if isinstance(node.op, ast.Sub):
            yield node, f"({right} * (-1.0) + {left})"
        elif isinstance(node.op, ast.Mult):
            yield node, f"({right} * {left})"


def _scalar_first(subject: Subject, node: ast.AST) -> Rewrite:
    """pypto.add(c, x) -> pypto.add(x, c); pypto.sub(c, x) -> (c - x), where that operator exists."""
    name, arguments = _plain_call(node)
    if len(arguments) != 2 or name not in _SIGNS:
        return
    left, right = (_source(subject, argument) for argument in arguments)
    if name in ("add", "mul"):
        yield arguments[0], right
        yield arguments[1], left
    elif number(subject.version) >= number("0.2.0"):
        yield node, f"({left} {_SIGNS[name]} {right})"


def _closures(subject: Subject, node: ast.AST) -> Rewrite:
    """pypto.mul(delta, -1.0) -> (delta * (-1.0))."""
    name, arguments = _plain_call(node)
    if name in _SIGNS and len(arguments) == 2:
        left, right = (_source(subject, argument) for argument in arguments)
        yield node, f"({left} {_SIGNS[name]} {right})"
    elif name == "neg" and len(arguments) == 1:
        yield node, f"(-{_source(subject, arguments[0])})"


def _plain_call(node: ast.AST) -> tuple[str, list[ast.expr]]:
    """Name and arguments of a call without keywords; no name for anything else."""
    if not isinstance(node, ast.Call) or node.keywords or not isinstance(node.func, ast.Attribute):
        return "", []
    return node.func.attr, node.args


def _renamed(subject: Subject, node: ast.AST) -> Rewrite:
    """Every use of a name that only is called otherwise."""
    wanted = subject.names.dotted(node) if isinstance(node, ast.expr) else None
    for inner in subject.nodes:
        if isinstance(inner, ast.Attribute) and inner.attr in _RENAMED and subject.names.dotted(inner) == wanted:
            yield inner, f"{ast.unparse(inner.value)}.{_RENAMED[inner.attr]}"


def _module(subject: Subject, node: ast.AST) -> Rewrite:
    """import pto and every pto. -> pypto; a lone `pto.` where the file imports pypto as that."""
    if isinstance(node, ast.Name):
        yield node, "pypto"
    elif isinstance(node, ast.alias):
        yield node, f"pypto as {node.asname}" if node.asname not in (None, "pypto") else "pypto"
        for inner in subject.nodes if not node.asname else ():
            if isinstance(inner, ast.Name) and inner.id == node.name:
                yield inner, "pypto"


FIXES: dict[str, Callable[[Subject, ast.AST], Rewrite]] = {
    "P01": _scalar_left,
    "P03": _scalar_first,
    "P04": _closures,
    "P05": _renamed,
    "P24": _module,
}
