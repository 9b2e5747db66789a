#!/usr/bin/env python3
"""Mutation testing of the rules: mutate_rules.py [MODULE...] [--line N]

Each rule is switched off, each condition is made true and made false, each comparison is turned round, each `and` and
`or` becomes the other, each number is moved by one, each yielded fault is left out. A mutant lives when the tests of the
rules still pass with it. It is imported in place of its module in a process of its own; no file is changed.
"""

import argparse
import ast
import copy
import importlib.abc
import importlib.machinery
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

_CASES = ("tests/validate/test_rule_cases.py", "tests/validate/test_rules.py", "tests/validate/test_conformance.py")
_GOLDEN = ("tests/validate/test_golden_rules.py",)
_READER = ("tests/contract/test_read.py",)
# A module of the package -> the tests that judge its mutants, the quickest first.
MODULES: dict[str, tuple[str, ...]] = {
    "validate.rules": (*_CASES, *_GOLDEN),
    "validate.document": _CASES,
    "validate.modules": _CASES,
    "validate.tensors": _CASES,
    "validate.wiring": _CASES,
    "validate.subject": (*_CASES, *_GOLDEN),
    "validate.interface": (*_GOLDEN, *_CASES[:2]),
    "validate.slices": (*_GOLDEN, *_CASES[:2]),
    "contract.structure": (*_CASES, *_READER),
    "contract.shape": _CASES,
    "contract.wire": _CASES,
    "contract.read": (*_READER, *_CASES),
    "contract.scalars": (*_READER, *_CASES),
    "contract.places": (*_READER, *_CASES),
}
LONGEST = 120  # seconds of one mutant; what takes longer is noticed too

_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.Lt: ast.GtE,
    ast.Gt: ast.LtE,
    ast.In: ast.NotIn,
    ast.Is: ast.IsNot,
}
_TURNED |= {there: here for here, there in _TURNED.items()}


class Change(NamedTuple):
    """One field of a node set to another value."""

    what: str
    field: str
    value: Any


class Mutant(NamedTuple):
    """A module with one change."""

    module: str
    line: int
    what: str
    tree: ast.Module


def mutants(module: str) -> Iterator[Mutant]:
    """Every mutant of a module of the package."""
    tree = ast.parse((ROOT / "r0kit" / f"{module.replace('.', '/')}.py").read_text("utf-8"))
    for index, node in enumerate(_nodes(tree)):
        for change in _changes(node):
            changed = copy.deepcopy(tree)
            setattr(_nodes(changed)[index], change.field, change.value)
            line = getattr(node, "lineno", 0) or getattr(getattr(node, "target", None), "lineno", 0)
            yield Mutant(module, line, change.what, ast.fix_missing_locations(changed))


def _nodes(tree: ast.AST) -> list[ast.AST]:
    """The nodes that may change: not those of types, nor of what only a type checker runs."""
    found: list[ast.AST] = []
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        found.append(node)
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns", "decorator_list"):
                pending += [
                    child for child in (value if isinstance(value, list) else [value]) if isinstance(child, ast.AST)
                ]
    return found


def _changes(node: ast.AST) -> Iterator[Change]:
    """What can be changed at a node."""
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        said = ast.unparse(node.test)
        yield from (Change(f"`{said}` made {truth}", "test", ast.Constant(truth)) for truth in (True, False))
    elif isinstance(node, ast.Compare):
        turned = [_TURNED[type(operator)]() for operator in node.ops]
        yield Change(f"`{ast.unparse(node)}` turned round", "ops", turned)
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield Change(f"`{ast.unparse(node)}` with the other operator", "op", other)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield Change(f"`{ast.unparse(node)}` without its not", "operand", ast.UnaryOp(ast.Not(), node.operand))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom):
        yield Change(f"`{ast.unparse(node)[:80]}` left out", "value", ast.YieldFrom(ast.Tuple([], ast.Load())))
    elif isinstance(node, ast.comprehension):
        yield from (Change(f"`if {ast.unparse(test)}` left out", "ifs", _but(node.ifs, test)) for test in node.ifs)
    elif isinstance(node, ast.keyword) and node.arg == "check":
        yield Change(
            f"the rule {ast.unparse(node.value)} switched off", "value", ast.parse("lambda _: ()").body[0].value
        )  # type: ignore[attr-defined]
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield Change(f"{node.value} made {node.value + 1}", "value", node.value + 1)


def _but(tests: Sequence[ast.expr], one: ast.expr) -> list[ast.expr]:
    return [test for test in tests if test is not one]


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the mutant where its module is imported."""

    def __init__(self, mutant: Mutant) -> None:
        self._name = f"r0kit.{mutant.module}"
        self._path = str(ROOT / "r0kit" / f"{mutant.module.replace('.', '/')}.py")
        self._code = compile(mutant.tree, self._path, "exec")

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """The mutant for the name of its module, nothing for all others."""
        return importlib.machinery.ModuleSpec(name, self, origin=self._path) if name == self._name else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the mutant."""
        module.__file__ = self._path
        exec(self._code, module.__dict__)


def lives(mutant: Mutant | None, tests: Sequence[str], cache: str) -> bool:
    """Whether the tests pass with the mutant (None: with the package as it is), in a process of its own."""
    child = os.fork()
    if not child:
        os._exit(_tested(mutant, tests, cache))
    deadline = time.monotonic() + LONGEST
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def _tested(mutant: Mutant | None, tests: Sequence[str], cache: str) -> int:
    import pytest

    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.chdir(ROOT)
    sys.dont_write_bytecode, sys.pycache_prefix = False, cache  # compiled once for all of them
    _forget()
    try:
        if mutant is not None:
            sys.meta_path.insert(0, _Finder(mutant))
        # plain: where r0kit is installed, pytest rewrites its modules as those of a plugin, and would load no mutant
        plain = ("--assert=plain", "-p", "no:cacheprovider", "-p", "no:r0kit.plugin")
        return int(pytest.main(["-x", "-q", *plain, *tests]))
    except BaseException:
        return 1


def _forget() -> None:
    """Whatever the process that forked this one has loaded of the project is to be loaded again, mutant included."""
    tests = f"{ROOT / 'tests'}{os.sep}"
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "r0kit" or (getattr(module, "__file__", None) or "").startswith(tests):
            del sys.modules[name]


def main() -> int:
    """Print a line per survivor and the score of each module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modules", nargs="*", choices=[[], *MODULES], metavar="MODULE", help=", ".join(MODULES))
    parser.add_argument("--line", type=int, help="only the mutants of this line")
    options = parser.parse_args()
    import hypothesis  # noqa: F401  # loaded once for all the processes
    import pytest  # noqa: F401
    import yaml  # noqa: F401

    with tempfile.TemporaryDirectory() as cache:
        for module in options.modules or MODULES:
            if not lives(None, MODULES[module], cache):
                print(f"{module}: the tests fail without any change")
                return 1
            score(module, options.line, cache)
    return 0


def score(module: str, line: int | None, cache: str) -> None:
    """Print the survivors among the mutants of a module (of one line of it), and how many are noticed."""
    found = [mutant for mutant in mutants(module) if line in (None, mutant.line)]
    alive = 0
    for mutant in found:
        if lives(mutant, MODULES[module], cache):
            alive += 1
            print(f"{module}:{mutant.line}: {mutant.what}", flush=True)
    print(f"{module}: {len(found) - alive} of {len(found)} mutants are noticed", flush=True)


if __name__ == "__main__":
    sys.exit(main())
